#include "emu/hash.hpp"

#define XXH_INLINE_ALL  // libttsim_bh.so imports nothing but libc and libm
#include <xxhash.h>

namespace kerr::emu {

uint64_t mix(uint64_t hash, uint64_t value) { return XXH3_64bits_withSeed(&value, sizeof value, hash); }

uint64_t mix_bytes(uint64_t hash, std::span<const uint8_t> bytes) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), hash);
}

}  // namespace kerr::emu
