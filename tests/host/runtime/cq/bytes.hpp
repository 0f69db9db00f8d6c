#pragma once

#include <algorithm>
#include <string>

#include "host/runtime/cq/commands.hpp"

namespace kerr::host::cq {

// "05000000 20000000 ..." as in the tables of fast-dispatch.md 16.4, filled up with zeros to a multiple of `fill`.
inline Bytes vector(std::string text, size_t fill = 64) {
  std::erase(text, ' ');
  Bytes bytes((text.size() / 2 + fill - 1) / fill * fill);
  for (size_t i = 0; i < text.size() / 2; ++i) {
    bytes[i] = static_cast<std::byte>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
  }
  return bytes;
}

}  // namespace kerr::host::cq
