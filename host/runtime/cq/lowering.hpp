// A launch plan as dispatch commands. docs/hardware/fast-dispatch.md 16.2
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "host/runtime/cq/commands.hpp"
#include "host/runtime/cq/launch_policy.hpp"
#include "host/runtime/program/launch_plan.hpp"

namespace kerr::host::cq {

/// The same bytes to every core: multicast to the rectangles that cover them, as many commands as it takes of at
/// most so many bytes.
void lower_shared(std::vector<Command>& out, arch::cq::PackedLargeType type, uint32_t address,
                  std::span<const arch::NocCoord> cores, std::span<const std::byte> bytes,
                  uint32_t most_at_once = ~uint32_t{0});

/// `bytes_per_core` bytes (a multiple of 16) of `data` to each core, in order; at most so many (likewise) a command.
void lower_per_core(std::vector<Command>& out, arch::cq::PackedType type, uint32_t address,
                    std::span<const arch::NocCoord> cores, std::span<const std::byte> data, uint32_t bytes_per_core,
                    uint32_t most_at_once = arch::cq::kPageBytes);

struct WriteOptions {
  bool resident = false;  ///< code and tables of circular buffers are in place: only what a run changes is written
  bool joined = true;     ///< small image and launch message in one command; off: one each, as blackhole-py's host does
};

/// Images, launch messages and arguments; no barrier, no go signal.
/// `slot`: the entry of a core's launch ring that its firmware reads next.
std::vector<Command> lower_writes(const LaunchPlan& plan, const arch::FirmwareLayout& layout,
                                  const std::function<uint32_t(arch::NocCoord)>& slot,
                                  const WriteOptions& options = {});

/// The same with images and launch messages coming out of the prefetcher's ring buffer (fast-dispatch.md 6.3).
struct RingWrites {
  Bytes data;      ///< what has to lie in the ring, a multiple of 64; once, for however many rectangles
  Bytes commands;  ///< for the prefetcher; RELAY_RINGBUFFER counts from where `data` begin
};
/// `slot`: of every core. Nothing if a group of cores needs more sub-commands than one command has.
std::optional<RingWrites> lower_ring_writes(const LaunchPlan& plan, const arch::FirmwareLayout& layout, uint32_t slot);

/// Go signals of dispatch_s, each after its notification: when `wait_count` cores have finished on the stream that
/// `go` names. `words`: of the go table.
void lower_subordinate_go(std::vector<Command>& out, std::span<const uint32_t> words, arch::GoMessage go,
                          uint32_t wait_count);

/// The go signal to all cores, on a counter that is 0, and the wait that brings it back there. `go`: as
/// LaunchRequest's.
std::vector<Command> lower_run(std::span<const arch::NocCoord> cores, arch::GoMessage go, bool subordinate);

/// A launch in the order of blackhole-py's host: images, launch messages, arguments, barrier.
InOrderLaunch in_order(const LaunchRequest& request);

}  // namespace kerr::host::cq
