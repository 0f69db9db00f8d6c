// Commands of the prefetcher as bytes, each padded to its stride. Commands may follow each other in one record.
// docs/hardware/fast-dispatch.md 6, ABI "blackhole-py"
#pragma once

#include <span>

#include "host/runtime/cq/commands.hpp"

namespace kerr::host::cq {

/// All encoders throw DeviceError (HostError) for what the prefetcher cannot execute: nothing is sent then.

/// The beginning of a dispatch command (a multiple of 16 bytes, below 4096) whose data the next command delivers:
/// relay_linear(), relay_paged() or relay_ringbuffer().
Bytes relay_inline_noflush(std::span<const std::byte> payload);

/// A span of memory: host memory (noc_xy_addr = arch::cq::kPcieNocXyAddr) or DRAM at a multiple of 64, L1 of 16.
Bytes relay_linear(uint32_t noc_xy_addr, uint64_t address, uint64_t length);
/// Pages of an interleaved buffer from `start_page` on: page p is in bank p mod banks, at
/// base + p / banks * page_bytes.
struct PageRange {
  bool is_dram = true;
  uint8_t start_page = 0;
  uint32_t base = 0;  ///< a multiple of 64 (DRAM) or 16 (L1), as page_bytes
  uint32_t page_bytes = 0;
  uint32_t pages = 0;
  uint32_t drop = 0;  ///< bytes left out at the end of the last page: a multiple of 32 below the page and 32 KiB
};
Bytes relay_paged(const PageRange& range);

/// Reads DRAM pages into the prefetcher's ring buffer, which takes `room` bytes (a multiple of 64, at least `length`).
/// RELAY_RINGBUFFER then counts from there. `from_start`: the ring begins again.
Bytes paged_to_ringbuffer(bool from_start, uint8_t log2_page_bytes, uint8_t start_page, uint32_t base, uint32_t length,
                          uint32_t room);
Bytes set_ringbuffer_offset(uint32_t offset, bool write_pointer);
struct RingPiece {
  uint32_t start = 0;
  uint32_t length = 0;
};
Bytes relay_ringbuffer(std::span<const RingPiece> pieces);

/// Goes on with the commands in an interleaved DRAM buffer. Last in its record, whose queue entry has the stall flag.
Bytes exec_buf(uint32_t base, uint32_t log2_page_bytes, uint32_t pages);
/// The end of such a buffer; tells the dispatcher too.
Bytes exec_buf_end();

/// Waits for one wait() with kWaitNotifyPrefetch, sent before.
Bytes stall();
Bytes prefetch_terminate();

}  // namespace kerr::host::cq
