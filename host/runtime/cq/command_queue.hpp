// Fast dispatch: programs go to the device as command bytes in host memory and run one after another without the host.
// docs/hardware/fast-dispatch.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arch/cq_layout.hpp"
#include "arch/grid.hpp"
#include "host/runtime/buffer.hpp"
#include "host/runtime/chip.hpp"
#include "host/runtime/cq/program_time.hpp"
#include "host/runtime/cq/queue_options.hpp"
#include "host/runtime/cq/trace.hpp"
#include "host/runtime/program/program.hpp"

namespace kerr::host {

/// One hardware queue of a chip. Thread-safe: calls are atomic, order is the order of the calls. Programs of one queue
/// run one after another, unless the workers are divided into sub-devices; those of two queues must use different
/// cores, or be ordered by wait_for().
/// A DeviceError other than HostError kills the queue: every later call throws, and only a new Chip helps (after a fault,
/// one on a device that was reset: chip_reset.hpp). What had come back by then is not lost: events that were reached can
/// still be asked for, and the data of reads before them are there.
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
  /// Ends the kernels; work that is still queued runs first, unless the queue is dead.
  ~CommandQueue();

  /// Returns once the commands are in the ring; waits while it is full. Throws DeviceError (HostError), with nothing
  /// enqueued, for a program that cannot run: see Chip::check(); a core that belongs to a queue.
  void enqueue(const Program& program);
  /// Throws DeviceError (HostError) while a trace is recorded, as everything but enqueue() and end_trace() does.
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
  /// cores must lie in one group, and it waits for those before it in the same group only. Everything else waits for all
  /// of them. Without groups the workers are one device again. Needs QueueOptions::overlap. The end of a ProgramTime is
  /// when the dispatcher next looked at the group; its cores' own times are exact. Throws DeviceError (HostError).
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
