// An executable as bytes, for caches: what it is made of, for which board, and a checksum. It is compiled when it is
// loaded: code that another commit of the same version has made would be accepted.
//
//   8  "KERRLOOP"
//   4  kBlobAbi      4  bytes of the library's version     4  of the board's name     4  path
//   4  math     4  max_harts     4  check_bounds                                8  bytes of the text
//      version, board, text
//   8  XXH3 of all before
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loops/executable.hpp"

namespace kerr::loops {

inline constexpr uint32_t kBlobAbi = 3;

struct Blob {
  std::string board, text;
  CompileOptions options;
  bool operator==(const Blob&) const = default;
};

std::vector<std::byte> to_bytes(const Blob& blob);
/// Throws std::invalid_argument with a sentence for one of another library version or ABI, or one that is damaged.
Blob read_blob(std::span<const std::byte> bytes);
/// The version of this library, which every blob that it makes names.
std::string_view library_version();

}  // namespace kerr::loops
