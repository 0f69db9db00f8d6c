// Commands of the queue as bytes. Each function returns one dispatch command with its data (the payload of a record);
// record() wraps it for the issue ring. docs/hardware/fast-dispatch.md 5 to 7, ABI "BHPY", vectors in 16.4
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arch/cq.hpp"
#include "arch/grid.hpp"
#include "arch/messages.hpp"
#include "host/rectangle.hpp"

namespace kerr::host::cq {

using Bytes = std::vector<std::byte>;

/// Limit of one record: half of the prefetcher's buffer, so that it can fetch one record while it relays another.
inline constexpr uint32_t kRecordLimitBytes = 128 * 1024;
/// Sub-commands of one unicast WRITE_PACKED: the dispatcher keeps them in local memory, one for every worker.
inline constexpr uint32_t kMaxPackedCores = arch::kTensixTiles;

/// All encoders throw DeviceError (kHostError) for what the dispatcher cannot execute (20.3): nothing is sent then.
/// L1 addresses must be multiples of 16: command data lie at multiples of 16 in the dispatcher's buffer, and a NoC
/// write needs equal low bits on both sides (7.4).

/// The same bytes to each core, at most 4096 together with the list of cores.
Bytes write_packed_shared(arch::cq::PackedType type, uint32_t address, std::span<const arch::NocCoord> cores,
                          std::span<const std::byte> bytes);
/// `data.size() / cores.size()` bytes (at most 4096) to each core, in the order of `cores`.
Bytes write_packed(arch::cq::PackedType type, uint32_t address, std::span<const arch::NocCoord> cores,
                   std::span<const std::byte> data);
/// The same bytes by multicast to each rectangle (at most 35 rectangles, 64 KiB). `dispatch_noc`: the NoC on which the
/// dispatcher sends, which decides the order of the corners (0.2).
Bytes write_packed_large(arch::cq::PackedLargeType type, uint32_t address, std::span<const Rectangle> rectangles,
                         std::span<const std::byte> bytes, int dispatch_noc = 0);
/// Bytes that one write_packed_large() to so many rectangles can carry within kRecordLimitBytes; a multiple of 16.
uint32_t packed_large_capacity(size_t rectangles);

/// WAIT with any of the flags arch::cq::kWait*.
Bytes wait(uint8_t flags, uint16_t stream = 0, uint32_t count = 0, uint32_t address = 0);

Bytes set_go_signal_noc_data(std::span<const arch::NocCoord> cores);
/// The go word to `cores` entries of the table from `first_entry`, once `stream` has counted to `wait_count`.
Bytes send_go_signal(arch::GoMessage go, uint32_t cores, uint8_t first_entry = 0, uint32_t wait_count = 0,
                     uint32_t stream = arch::cq::kFirstStream);
Bytes notify_subordinate_go_signal(bool barrier, uint16_t index_bitmask);

/// Completion with an event id. 11.4
Bytes host_event(uint32_t id);
/// Wall clock of the dispatch tile to host memory at `noc_local` (16 bytes are reserved there, 8 written). 15.1
Bytes timestamp(uint32_t noc_local);
Bytes terminate();

/// Wraps a payload for one of the dispatchers: header, payload, zeros up to a multiple of 64.
Bytes record(std::span<const std::byte> payload, arch::cq::Dispatcher to = arch::cq::Dispatcher::kDispatchD);
/// The prefetcher's own TERMINATE.
Bytes prefetch_terminate();
/// What the queue entry of a record says: its length in units of 16 bytes.
uint16_t queue_entry(std::span<const std::byte> record);

}  // namespace kerr::host::cq
