// Buffers through the queue. docs/hardware/fast-dispatch.md 6.3, 7.4, 11.3
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "host/runtime/buffer.hpp"
#include "host/runtime/cq/queue_port.hpp"

namespace kerr::host::cq {

/// Ranges inside a buffer, as as few commands as it takes. Called inside QueuePort::call(), behind waits for the
/// programs that were launched before.
class Transfers {
 public:
  explicit Transfers(QueuePort& port) : port_(port) {}

  /// Returns when the bytes are in the ring.
  void write(const Buffer& buffer, std::span<const std::byte> bytes, uint64_t offset);
  /// `out` must live until an event that is sent behind this.
  void read(const Buffer& buffer, std::span<std::byte> out, uint64_t offset);
  /// The prefetcher reads memory itself: not before every write has arrived.
  void settle_writes();

 private:
  void write_pages(const Buffer& buffer, uint32_t first, std::span<const std::byte> bytes);
  void write_bytes(const Buffer::Place& place, std::span<const std::byte> bytes);
  void read_pages(const Buffer& buffer, uint32_t first, std::span<std::byte> out);
  void read_bytes(Memory memory, const Buffer::Place& place, std::span<std::byte> out);

  QueuePort& port_;
};

}  // namespace kerr::host::cq
