// Fast dispatch: programs go to the device as command bytes in host memory and run one after another without the host.
// docs/hardware/fast-dispatch.md; the recommended host region is 2.3
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arch/cq_layout.hpp"
#include "arch/grid.hpp"
#include "host/error.hpp"
#include "host/runtime/buffer.hpp"
#include "host/runtime/chip.hpp"
#include "host/runtime/program/program.hpp"

namespace kerr::host {

namespace cq {
class LaunchPolicy;
struct Recorded;
}  // namespace cq

struct QueueOptions {
  arch::cq::HostRegion region = arch::cq::kDefaultHostRegion;
  /// Go words are sent by dispatch_s on the dispatch tile's NCRISC, not by the dispatcher itself.
  bool subordinate = false;
  /// The next program is written while one runs, into the other half of the kernel-config area; the cores then start it
  /// without delay. Code that a core still holds is not sent again. Off: one command after another in the order of the
  /// blackhole-py's host (docs/hardware/fast-dispatch.md 16), each a record of its own.
  bool overlap = true;
  /// Go words by multicast where the cores make rectangles; off: to one core after another, 20 cycles apart.
  bool multicast_go = true;
  /// With overlap off: how a launch becomes commands (launch_policy.hpp); nullptr: as few as it takes. Must outlive the
  /// queue.
  const cq::LaunchPolicy* launch_policy = nullptr;
  /// Every core tells when it began and ended (ProgramTime::cores), for as many programs between two finish() as the
  /// region has core-timing slots. One queue of a chip at a time.
  bool core_times = false;
  /// Which of the chip's queues (ChipOptions::queues).
  uint32_t index = 0;
  /// The split kernels: prefetch_h and dispatch_h on the first pair of a chip with two queues, prefetch_d and
  /// dispatch_d on the second. Such a queue is the only one of its chip.
  bool split = false;
  /// Without any progress for so long, a wait for room or for an event fails (20.3).
  Deadline stall{200'000'000, std::chrono::milliseconds(10'000)};
  /// Called by the queue's destructor if work that was still queued, or the queue's own kernels, do not end: with the
  /// reason. Must not throw, and must outlive the queue. nullptr: standard error is told.
  const std::function<void(const DeviceError&)>* when_stuck = nullptr;
};

/// Device cycles from the go signal of one program (or trace) to its last core's end, by the dispatch tile's clock.
struct ProgramTime {
  std::string name;
  uint64_t start_cycles = 0;
  uint64_t end_cycles = 0;
  /// Before the first of its commands was executed. With overlap off, start_cycles is this moment too, unless
  /// QueueOptions::launch_policy stamps the go signal.
  uint64_t first_command_cycles = 0;
  /// By each core's own clock, from its go word to the end of its last hart (QueueOptions::core_times). Clocks of
  /// different tiles differ by a constant on silicon.
  struct Core {
    arch::NocCoord core;
    uint64_t start_cycles = 0;
    uint64_t end_cycles = 0;
  };
  std::vector<Core> cores;
};

/// What CommandQueue::end_trace() returns, to be replayed on the queue that recorded it. Freed when the last copy goes
/// and no replay needs it.
class Trace {
 public:
  Trace() = default;  ///< no trace; not to be replayed
  /// For the queue.
  explicit Trace(std::shared_ptr<const cq::Recorded> recorded) : recorded_(std::move(recorded)) {}

  /// Bytes of its commands in device memory; 0 if there are none.
  uint64_t bytes() const;
  const std::shared_ptr<const cq::Recorded>& recorded() const { return recorded_; }

 private:
  std::shared_ptr<const cq::Recorded> recorded_;
};

/// One hardware queue of a chip. Thread-safe: calls are atomic, order is the order of the calls. Programs of one queue
/// run one after another, unless the workers are divided into sub-devices; those of two queues must use different
/// cores, or be ordered by wait_for().
/// A DeviceError other than HostError kills the queue: every later call throws, and only a new Chip helps (after a
/// fault, one on a device that was reset: chip_reset.hpp). What had come back by then is not lost: events that were
/// reached can still be asked for, and the data of reads before them are there.
class CommandQueue {
 public:
  /// An event: reached when everything enqueued before it is done. Compare by order of creation.
  struct Event {
    uint32_t id = 0;
  };
  using ProgramTime = host::ProgramTime;

  /// Starts the queue's kernels on the chip's dispatch pair and makes one round trip. The chip must outlive the queue.
  /// Throws DeviceError (HostError) if the chip has a queue of this index already.
  explicit CommandQueue(Chip& chip, const QueueOptions& options = {});
  /// Ends the kernels; work that is still queued runs first, unless the queue is dead. See QueueOptions::when_stuck.
  ~CommandQueue();

  /// Returns once the commands are in the ring; waits while it is full. Throws DeviceError (HostError), with nothing
  /// enqueued, for a program that cannot run: see Chip::check(); a core that belongs to a queue.
  void enqueue(const Program& program);
  /// Throws DeviceError (HostError) while a trace is recorded.
  Event record_event();
  /// Reached when everything enqueued before it on one of the sub-devices is done, and all transfers.
  Event record_event(uint32_t sub_device);
  /// Never waits.
  bool is_reached(Event event);
  /// Events may be waited for in any order. Throws DeviceError: HostError for an event that was not recorded; what ends
  /// the queue, as Timeout if nothing moves for QueueOptions::stall.
  void wait(Event event);
  /// What is enqueued here from now on runs after `event` of another queue of the chip. Nothing waits on the host.
  void wait_for(const CommandQueue& other, Event event);

  /// From now on, `groups` of workers (at most 8, no core in two of them) run their programs independently: a program's
  /// cores must lie in one group, and it waits for those before it in the same group only. Everything else waits for
  /// all of them. Without groups the workers are one device again. Needs QueueOptions::overlap. The end of a
  /// ProgramTime is when the dispatcher next looked at the group; its cores' own times are exact. Throws DeviceError
  /// (HostError).
  void set_sub_devices(std::span<const std::vector<arch::NocCoord>> groups);

  /// Waits for everything; returns the times of the programs enqueued since the last finish(), those beyond the
  /// region's timestamp slots missing.
  std::vector<ProgramTime> finish();

  /// Buffers through the queue, in order with its programs. Any offset and size inside the buffer. write() returns when
  /// the bytes are in the ring; read() when they have come. `out` of enqueue_read() must live until its event.
  void write(const Buffer& buffer, std::span<const std::byte> bytes, uint64_t offset = 0);
  void read(const Buffer& buffer, std::span<std::byte> out, uint64_t offset = 0);
  Event enqueue_read(const Buffer& buffer, std::span<std::byte> out, uint64_t offset = 0);

  /// Between these two, enqueue() records instead of running, and nothing else is allowed. end_trace() writes the
  /// commands to device memory. Arguments are recorded as they are now. Throws DeviceError (HostError).
  void begin_trace();
  Trace end_trace();
  /// Runs all programs of a trace in order; costs the host one record, whatever they are.
  void replay(const Trace& trace);

  /// The pinned host region as it is now (arch::cq::HostRegion): what `kerr cq dump --region` reads from a file.
  std::span<const std::byte> region() const;
  arch::cq::HostRegion region_layout() const;  ///< what lies where in it
  /// Records sent so far, and their bytes.
  uint64_t records() const;
  uint64_t record_bytes() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace kerr::host
