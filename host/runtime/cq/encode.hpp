// Helpers of the command encoders.
#pragma once

#include <cstring>
#include <span>

#include "host/runtime/cq/commands.hpp"

namespace kerr::host::cq {

constexpr uint32_t align16(uint32_t n) { return (n + 15) & ~15u; }
constexpr uint32_t align64(uint32_t n) { return (n + 63) & ~63u; }

template <class Struct>
void append(Bytes& bytes, const Struct& item) {
  const size_t at = bytes.size();
  bytes.resize(at + sizeof item);
  std::memcpy(bytes.data() + at, &item, sizeof item);
}

template <class Struct>
Bytes header(const Struct& command) {
  Bytes bytes;
  append(bytes, command);
  return bytes;
}

inline void append_bytes(Bytes& bytes, std::span<const std::byte> data) {
  bytes.insert(bytes.end(), data.begin(), data.end());
}

/// Data, then zeros up to a multiple of 16 of the whole.
inline void append_padded(Bytes& bytes, std::span<const std::byte> data) {
  append_bytes(bytes, data);
  bytes.resize(align16(static_cast<uint32_t>(bytes.size())));
}

}  // namespace kerr::host::cq
