// Fast dispatch: programs go to the device as command bytes in host memory and run one after another without the host.
// docs/hardware/fast-dispatch.md; the recommended host region is 2.3
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "arch/cq_layout.hpp"
#include "host/chip.hpp"
#include "host/cq/commands.hpp"
#include "host/cq/completion_ring.hpp"
#include "host/cq/issue_ring.hpp"
#include "host/cq/service.hpp"
#include "host/device/pinned_memory.hpp"
#include "host/program/running.hpp"

namespace kerr::host {

struct QueueOptions {
  arch::cq::HostRegion region = arch::cq::kDefaultHostRegion;
  /// Go words are sent by dispatch_s on the dispatch tile's NCRISC, not by the dispatcher itself.
  bool subordinate = false;
  /// Without any progress for so long, a wait for room or for an event fails (20.3).
  Deadline stall{2'000'000'000, std::chrono::milliseconds(10'000)};
};

/// One hardware queue of a chip. Thread-safe: enqueues are atomic, order is the order of the calls.
/// A DeviceError other than kHostError kills the queue: every later call throws, and only a new Chip helps.
class CommandQueue {
 public:
  /// An event: reached when everything enqueued before it is done. Compare by order of creation.
  struct Event {
    uint32_t id = 0;
  };
  /// Device cycles around one program, both from the dispatch tile's clock.
  struct ProgramTime {
    std::string name;
    uint64_t start_cycles = 0;
    uint64_t end_cycles = 0;
  };

  /// Starts the queue's kernels on the chip's dispatch pair and makes one round trip. The chip must outlive the queue.
  explicit CommandQueue(Chip& chip, const QueueOptions& options = {});
  /// Ends the kernels; work that is still queued runs first, unless the queue is dead.
  ~CommandQueue();

  /// Returns once the commands are in the ring; waits while it is full. Throws DeviceError (kHostError), with nothing
  /// enqueued, for a program that cannot run: see Chip::check(); a core that is one of the dispatch pair.
  void enqueue(const Program& program);
  Event record_event();
  bool is_reached(Event event);
  void wait(Event event);

  /// Waits for everything; returns the times of the programs enqueued since the last finish(), those beyond the
  /// region's timestamp slots missing.
  std::vector<ProgramTime> finish();

  /// Buffers by the PCI windows, in order with the queue: both finish() first and keep the times for the next one.
  void write(const Buffer& buffer, std::span<const std::byte> bytes, uint64_t offset = 0);
  void read(const Buffer& buffer, std::span<std::byte> out, uint64_t offset = 0);

  /// Records sent so far, and their bytes.
  uint64_t records() const { return records_; }
  uint64_t record_bytes() const { return record_bytes_; }

 private:
  struct Timed {
    std::string name;
    uint32_t slot;
  };

  template <class Body>
  auto guarded(Body&& body);
  void push(std::span<const std::byte> record);
  void make_room(uint32_t bytes);
  void retire_consumed();
  void drain_completions();
  void wait_locked(Event event);
  Event record_event_locked();
  void collect_times();
  void await_progress(const std::string& what, const std::function<bool()>& condition);
  std::string explain_stuck();
  [[noreturn]] void die(const DeviceError& error);

  Chip& chip_;
  QueueOptions options_;
  PinnedMemory region_;
  std::mutex mutex_;
  cq::IssueRing issue_;
  cq::CompletionRing completion_;
  std::optional<cq::QueueService> service_;
  std::string dead_;  // why, or empty
  uint32_t next_event_ = 1;
  uint32_t reached_event_ = 0;
  struct Outstanding {
    RunningProgram program;
    uint32_t before_event;  // done when this event is reached
  };
  std::deque<Outstanding> outstanding_;
  std::vector<Timed> timed_;
  std::vector<ProgramTime> times_;
  uint64_t records_ = 0;
  uint64_t record_bytes_ = 0;
};

}  // namespace kerr::host
