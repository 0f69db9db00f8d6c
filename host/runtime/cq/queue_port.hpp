// The host's end of a hardware queue: records into the issue ring, pages out of the completion ring, events, and what
// happens when the device stops. docs/hardware/fast-dispatch.md 4, 11, 20
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "host/device/pinned_memory.hpp"
#include "host/runtime/chip.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "host/runtime/cq/commands.hpp"
#include "host/runtime/cq/completion_ring.hpp"
#include "host/runtime/cq/completions.hpp"
#include "host/runtime/cq/in_flight.hpp"
#include "host/runtime/cq/issue_ring.hpp"
#include "host/runtime/cq/lowering.hpp"
#include "host/runtime/cq/service.hpp"

namespace kerr::host::cq {

/// Everything but is_over(), next_event() and the counts is called inside call(), or while nobody else knows the queue.
/// A DeviceError other than HostError ends the queue's life: every later call() throws.
class QueuePort {
 public:
  /// Pins the region and starts the queue's kernels. Throws DeviceError: HostError for options that cannot be, or if
  /// somebody has the queue; as QueueService does.
  QueuePort(Chip& chip, const QueueOptions& options);

  /// `body` under the queue's lock; then what it has added goes into the ring.
  template <class Body>
  auto call(Body&& body);
  /// Takes completions also when another queue of the chip waits for room in its ring, from now on or no more.
  void drain_for_others(bool on);
  bool is_dead() const { return !dead_.empty(); }

  // Commands, executed in this order. Those of one call are one record as far as its limit goes: one entry of the
  // prefetch queue, one read of host memory; without QueueOptions::overlap each is a record of its own.
  void send(const Command& command) { add(record(command.payload, command.to)); }
  void send(std::span<const std::byte> payload) { add(record(payload)); }  ///< for the dispatcher
  void add(std::span<const std::byte> commands);  ///< for the prefetcher, padded to its strides
  /// A record of its own: `commands` and `data`, padded with zeros to a multiple of 64. `stall`: the prefetcher takes
  /// up no record behind it before it is done.
  void push(std::span<const std::byte> commands, std::span<const std::byte> data = {}, bool stall = false);
  /// What has been added goes into the ring; waits while that is full.
  void flush();
  /// Records go to the end of `to` from now on, not to the device; nullptr: to the device again.
  void divert(Bytes* to) { diverted_ = to; }

  // What comes back.
  Completions& completions() { return completions_; }
  InFlight& in_flight() { return in_flight_; }
  /// The event that is reached when everything sent so far is done. `partial`: that of one sub-device only.
  uint32_t send_event(bool partial = false);
  /// Launches since the last event that was not partial.
  uint32_t launches_since_event() const { return launches_since_event_; }
  void count_launch() { ++launches_since_event_; }
  /// The number of the next event. From any thread.
  uint32_t next_event() const { return next_event_; }
  /// Takes what is there; the device gets its pages back every few pages, so that it never waits for long.
  void drain();
  bool has_reached(uint32_t event) const { return has_passed(event, completions_.reached()); }
  void wait(uint32_t event);
  /// The queue is dead, and the event had been reached by then. From any thread, outside call().
  bool is_over(uint32_t event);
  /// Ends the kernels, behind all that was sent, and waits until they have.
  void end();

  Chip& chip() const { return chip_; }
  const QueueOptions& options() const { return options_; }
  const PinnedMemory& region() const { return region_; }
  /// The tile whose kernel executes commands and counts completions.
  arch::NocCoord dispatch_tile() const { return service_->dispatch_tile(); }
  /// Records sent so far, and their bytes.
  uint64_t records() const { return records_; }
  uint64_t record_bytes() const { return record_bytes_; }

 private:
  void write_record(std::span<const std::byte> commands, std::span<const std::byte> data, bool stall);
  void make_room(uint32_t bytes);
  void retire_consumed();
  void await_progress(const std::string& what, const std::function<bool()>& condition);
  void require_alive() const;
  [[noreturn]] void die(const DeviceError& error);

  Chip& chip_;
  QueueOptions options_;
  std::shared_ptr<void> claim_;
  PinnedMemory region_;
  std::mutex mutex_;
  IssueRing issue_;
  CompletionRing ring_;
  std::optional<QueueService> service_;
  Completions completions_;
  InFlight in_flight_;
  std::string dead_;         // why, or empty
  std::string dead_report_;  // the device's state at that time
  std::atomic<uint32_t> next_event_ = 1;
  uint32_t launches_since_event_ = 0;
  Bytes batch_;                // commands of this call that are not in the ring yet
  Bytes* diverted_ = nullptr;  // where records go instead
  uint64_t records_ = 0;
  uint64_t record_bytes_ = 0;
};

template <class Body>
auto QueuePort::call(Body&& body) {
  std::lock_guard lock(mutex_);
  require_alive();
  try {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      flush();
    } else {
      auto result = body();
      flush();
      return result;
    }
  } catch (const DeviceError& error) {
    batch_.clear();
    if (error.category() != Category::HostError) die(error);
    throw;
  }
}

}  // namespace kerr::host::cq
