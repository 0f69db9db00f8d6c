// Helpers of the command encoders.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include <fmt/format.h>

#include "host/error.hpp"
#include "host/runtime/cq/commands.hpp"

namespace kerr::host::cq {

constexpr uint32_t align_up(size_t n, uint32_t to) { return static_cast<uint32_t>((n + to - 1) / to * to); }

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

/// A command that has an id only.
template <class Id>
Bytes bare(Id id) {
  return header(arch::cq::BareCommand{static_cast<uint8_t>(id), {}});
}

/// Zeros up to a multiple of `to`.
inline void pad(Bytes& bytes, uint32_t to) { bytes.resize(align_up(bytes.size(), to)); }

inline void append_bytes(Bytes& bytes, std::span<const std::byte> data) {
  bytes.insert(bytes.end(), data.begin(), data.end());
}

/// Data, then zeros up to a multiple of 16 of the whole.
inline void append_padded(Bytes& bytes, std::span<const std::byte> data) {
  append_bytes(bytes, data);
  pad(bytes, arch::cq::kL1Align);
}

/// A header and what follows it.
inline Bytes with_data(Bytes header, std::span<const std::byte> data) {
  append_bytes(header, data);
  return header;
}

/// A command of the prefetcher, whose header then says how far it is to the next one.
template <class Header>
Bytes with_stride(Bytes bytes) {
  pad(bytes, arch::cq::kPcieAlign);
  const auto stride = static_cast<uint32_t>(bytes.size());
  std::memcpy(bytes.data() + offsetof(Header, stride), &stride, sizeof stride);
  return bytes;
}

// Checks of `command`; they throw DeviceError (HostError).
inline void require_multiple(const char* command, const char* what, uint64_t value, uint32_t of) {
  if (value % of != 0) host_error(fmt::format("{}: {} {:#x} is not a multiple of {}", command, what, value, of));
}
inline void require_count(const char* command, const char* what, size_t count, size_t most) {
  if (count == 0 || count > most) {
    host_error(fmt::format("{}: {} {}, wanted are 1 to {}", command, count, what, most));
  }
}

/// For a write: of `bytes` to an address.
inline void check_data(const char* command, uint64_t address, size_t bytes, uint32_t offset) {
  require_multiple(command, "address", address, arch::cq::kL1Align);
  if (bytes == 0) host_error(fmt::format("{}: no data", command));
  if (offset >= arch::cq::kMaxWriteOffsets) {
    host_error(fmt::format("{}: write offset {}, there are {}", command, offset, arch::cq::kMaxWriteOffsets));
  }
}
/// Its corners are Tensix tiles.
void check_rectangle(const char* command, const Rectangle& rectangle);

}  // namespace kerr::host::cq
