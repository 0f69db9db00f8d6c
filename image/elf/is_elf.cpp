// Apart from the reader, which needs libelf and libdw.
#include <elf.h>

#include <cstring>

#include "image/elf/reader.hpp"

namespace kerr::image {

bool is_elf(std::span<const uint8_t> bytes) {
  return bytes.size() >= SELFMAG && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0;
}

}  // namespace kerr::image
