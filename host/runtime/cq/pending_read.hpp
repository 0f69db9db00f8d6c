// Bytes that the device sends for a read, and where they go.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

namespace kerr::host::cq {

/// The stream holds pages of `stride` bytes of which the first `page` count, after `skip` bytes that nobody asked for.
struct PendingRead {
  std::byte* out = nullptr;
  uint64_t wanted = 0;  ///< bytes to deliver
  uint64_t length = 0;  ///< of the stream
  uint32_t skip = 0;
  uint32_t page = 0;
  uint32_t stride = 0;
  uint32_t tag = 0;  ///< echoed in the header

  /// Takes the stream's bytes from `position` on.
  void take(uint64_t position, std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
      size_t n = bytes.size();
      if (position < skip) {
        n = std::min<size_t>(n, skip - position);
      } else {
        const uint64_t row = (position - skip) / stride, in_row = (position - skip) % stride;
        n = std::min<size_t>(n, stride - in_row);
        const uint64_t to = row * page + in_row;
        if (in_row < page && to < wanted) {
          std::memcpy(out + to, bytes.data(), std::min<uint64_t>({n, page - in_row, wanted - to}));
        }
      }
      position += n;
      bytes = bytes.subspan(n);
    }
  }
};

}  // namespace kerr::host::cq
