#include "emu/observe/hash.hpp"

#define XXH_INLINE_ALL  // libttsim_bh.so imports nothing but libc and libm
#include <xxhash.h>

namespace kerr::emu {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) { return XXH3_64bits_withSeed(&value, sizeof value, hash); }

std::uint64_t mix_bytes(std::uint64_t hash, std::span<const std::uint8_t> bytes) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), hash);
}

}  // namespace kerr::emu
