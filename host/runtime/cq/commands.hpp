// Commands that the host sends to dispatchers, as bytes. Each function returns one command with its data (the payload
// of a record); record() wraps it for the issue ring. docs/hardware/fast-dispatch.md 5 to 7, ABI "blackhole-py"
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arch/cq.hpp"
#include "arch/grid.hpp"
#include "arch/messages.hpp"
#include "host/driver/rectangle.hpp"

namespace kerr::host::cq {

using Bytes = std::vector<std::byte>;

/// A dispatch command, and which kernel executes it.
struct Command {
  Bytes payload;
  arch::cq::Dispatcher to = arch::cq::Dispatcher::DispatchD;
};

/// Limit of one record: half of the prefetcher's buffer, so that it can fetch one record while it relays another.
inline constexpr uint32_t kRecordLimitBytes = 128 * 1024;
/// Sub-commands of one unicast WRITE_PACKED: the dispatcher keeps them in local memory, one for every worker.
inline constexpr uint32_t kMaxPackedCores = arch::kTensixTiles;

/// All encoders throw DeviceError (HostError) for what the dispatcher cannot execute (20.3): nothing is sent then.
/// L1 addresses must be multiples of 16: command data lie at multiples of 16 in the dispatcher's buffer, and a NoC
/// write needs equal low bits on both sides (7.4). `offset`: which of SET_WRITE_OFFSET's values the dispatcher adds to
/// the address. `dispatch_noc`: the NoC on which the dispatcher sends, which decides the order of corners (0.2).
/// Functions named ..._header make a command whose data follow by another way.

/// The same bytes to each core, at most 4096 together with the list of cores.
Bytes write_packed_shared(arch::cq::PackedType type, uint32_t address, std::span<const arch::NocCoord> cores,
                          std::span<const std::byte> bytes, uint16_t offset = 0);
/// `data.size() / cores.size()` bytes (at most 4096) to each core, in the order of `cores`.
Bytes write_packed(arch::cq::PackedType type, uint32_t address, std::span<const arch::NocCoord> cores,
                   std::span<const std::byte> data, uint16_t offset = 0);
/// The same bytes by multicast to each rectangle (at most 35 rectangles, 64 KiB).
Bytes write_packed_large(arch::cq::PackedLargeType type, uint32_t address, std::span<const Rectangle> rectangles,
                         std::span<const std::byte> bytes, int dispatch_noc = 0, uint16_t offset = 0);
/// Bytes that one write_packed_large() to so many rectangles can carry within kRecordLimitBytes; a multiple of 16.
uint32_t packed_large_capacity(size_t rectangles);
/// Several pieces to each rectangle on one reserved path: rectangles times pieces are at most 35, a piece 64 KiB.
struct MulticastPiece {
  uint32_t address;
  std::span<const std::byte> data;
};
Bytes write_packed_large_pieces(arch::cq::PackedLargeType type, std::span<const Rectangle> rectangles,
                                std::span<const MulticastPiece> pieces, int dispatch_noc = 0, uint16_t offset = 0);
/// With every piece, padded to 16, to follow for each rectangle.
Bytes write_packed_large_pieces_header(arch::cq::PackedLargeType type, std::span<const Rectangle> rectangles,
                                       std::span<const MulticastPiece> pieces, int dispatch_noc = 0,
                                       uint16_t offset = 0);
/// Data to one place: a tile, or host memory (noc_xy_addr = arch::cq::kPcieNocXyAddr).
Bytes write_linear_header(uint32_t noc_xy_addr, uint64_t address, uint64_t length, uint8_t offset = 0);
/// Pages of an interleaved buffer from `start_page` on: page p is in bank p mod banks, at
/// base + p / banks * page_bytes. Both are multiples of 16; the data are whole pages.
Bytes write_paged_header(bool is_dram, uint16_t start_page, uint32_t base, uint32_t page_bytes, uint32_t pages);

/// WAIT with any of the flags arch::cq::kWait*.
Bytes wait(uint8_t flags, uint16_t stream = 0, uint32_t count = 0, uint32_t address = 0);

Bytes set_go_signal_noc_data(std::span<const arch::NocCoord> cores);
/// With words of arch::cq::go_rectangle() among them (go_targets()).
Bytes set_go_signal_noc_data(std::span<const uint32_t> words);
/// The go word to `entries` of the table from `first_entry`, once `stream` has counted to `wait_count`.
Bytes send_go_signal(arch::GoMessage go, uint32_t entries, uint8_t first_entry = 0, uint32_t wait_count = 0,
                     uint32_t stream = arch::cq::kFirstStream);
Bytes notify_subordinate_go_signal(bool barrier, uint16_t index_bitmask);
Bytes set_num_worker_sems(uint32_t count);

/// Completion with an event id. 11.4
Bytes host_event(uint32_t id);
/// Completion with `length` bytes of data to follow: what the host reads. `tag` is echoed.
Bytes host_data_header(uint32_t length, uint32_t tag = 0);
/// Wall clock of the dispatch tile to host memory at `noc_local` (16 bytes are reserved there, 8 written). 15.1
Bytes timestamp(uint32_t noc_local);

Bytes terminate();

/// Wraps a payload for one of the dispatchers: header, payload, zeros up to a multiple of 64.
Bytes record(std::span<const std::byte> payload, arch::cq::Dispatcher to = arch::cq::Dispatcher::DispatchD);
/// The beginning of a record whose payload is `payload` and `more` bytes that follow it.
Bytes record_header(std::span<const std::byte> payload, size_t more,
                    arch::cq::Dispatcher to = arch::cq::Dispatcher::DispatchD);
/// What the queue entry of a record says: its length in units of 16 bytes, and whether fetching stops behind it.
uint16_t queue_entry(std::span<const std::byte> record, bool stall = false);

}  // namespace kerr::host::cq
