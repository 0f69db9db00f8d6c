// Fast dispatch: programs go to the device as command bytes in host memory and run one after another without the host.
// docs/hardware/fast-dispatch.md; the recommended host region is 2.3
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "arch/cq_layout.hpp"
#include "host/device/pinned_memory.hpp"
#include "host/runtime/chip.hpp"
#include "host/runtime/cq/commands.hpp"
#include "host/runtime/cq/completion_ring.hpp"
#include "host/runtime/cq/issue_ring.hpp"
#include "host/runtime/cq/lowering.hpp"
#include "host/runtime/cq/pending_read.hpp"
#include "host/runtime/cq/prepared_launch.hpp"
#include "host/runtime/cq/ring_cache.hpp"
#include "host/runtime/cq/service.hpp"
#include "host/runtime/program/running.hpp"

namespace kerr::host {

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
  /// With overlap off: how the data of a launch are cut.
  cq::Pieces pieces = cq::Pieces::Large;
  /// Every core tells when it began and ended (ProgramTime::cores), for as many programs between two finish() as the
  /// region has core-timing slots. One queue of a chip at a time.
  bool core_times = false;
  /// Which of the chip's queues (ChipOptions::queues).
  uint32_t index = 0;
  /// The split kernels: prefetch_h and dispatch_h on the first pair of a chip with two queues, prefetch_d and dispatch_d
  /// on the second. Such a queue is the only one of its chip.
  bool split = false;
  /// Without any progress for so long, a wait for room or for an event fails (20.3).
  Deadline stall{200'000'000, std::chrono::milliseconds(10'000)};
};

/// Programs recorded once and replayed from device memory, on the queue that recorded them. Freed when the last copy goes and no replay needs it.
class Trace {
 public:
  uint64_t bytes() const;

 private:
  friend class CommandQueue;
  struct State;
  std::shared_ptr<const State> state_;
};

/// One hardware queue of a chip. Thread-safe: calls are atomic, order is the order of the calls. Programs of one queue
/// run one after another, unless the workers are divided into sub-devices; those of two queues must use different
/// cores, or be ordered by wait_for().
/// A DeviceError other than kHostError kills the queue: every later call throws, and only a new Chip helps (after a fault,
/// one on a device that was reset: chip_reset.hpp). What had come back by then is not lost: events that were reached can
/// still be asked for, and the data of reads before them are there.
class CommandQueue {
 public:
  /// An event: reached when everything enqueued before it is done. Compare by order of creation.
  struct Event {
    uint32_t id = 0;
  };
  /// Device cycles from the go signal of one program (or trace) to its last core's end, by the dispatch tile's clock.
  struct ProgramTime {
    std::string name;
    uint64_t start_cycles = 0;
    uint64_t end_cycles = 0;
    /// Before the first of its commands was executed. Differs from start_cycles with cq::Pieces::Small; otherwise,
    /// with overlap off, start_cycles is this moment too.
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

  /// Starts the queue's kernels on the chip's dispatch pair and makes one round trip. The chip must outlive the queue.
  /// Throws DeviceError (kHostError) if the chip has a queue of this index already.
  explicit CommandQueue(Chip& chip, const QueueOptions& options = {});
  /// Ends the kernels; work that is still queued runs first, unless the queue is dead.
  ~CommandQueue();

  /// Returns once the commands are in the ring; waits while it is full. Throws DeviceError (kHostError), with nothing
  /// enqueued, for a program that cannot run: see Chip::check(); a core that belongs to a queue.
  void enqueue(const Program& program);
  Event record_event();
  /// Reached when everything enqueued before it on one of the sub-devices is done, and all transfers.
  Event record_event(uint32_t sub_device);
  bool is_reached(Event event);
  /// Events may be waited for in any order.
  void wait(Event event);
  /// What is enqueued here from now on runs after `event` of another queue of the chip. Nothing waits on the host.
  void wait_for(const CommandQueue& other, Event event);

  /// From now on, `groups` of workers (at most 8, no core in two of them) run their programs independently: a program's
  /// cores must lie in one group, and it waits for those before it in the same group only. Everything else waits for all
  /// of them. Without groups the workers are one device again. Needs QueueOptions::overlap. The end of a ProgramTime is
  /// when the dispatcher next looked at the group; its cores' own times are exact. Throws DeviceError (kHostError).
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
  /// commands to device memory. Arguments are recorded as they are now. Throws DeviceError (kHostError).
  void begin_trace();
  Trace end_trace();
  /// Runs all programs of a trace in order; costs the host one record, whatever they are.
  void replay(const Trace& trace);

  /// The pinned host region as it is now (arch::cq::HostRegion): what `kerr cq dump --region` reads from a file.
  std::span<const std::byte> region() const { return region_.bytes(); }
  arch::cq::HostRegion region_layout() const { return options_.region; }
  /// Records sent so far, and their bytes.
  uint64_t records() const { return records_; }
  uint64_t record_bytes() const { return record_bytes_; }

 private:
  using Programs = std::shared_ptr<const std::vector<RunningProgram>>;
  struct Timed {
    std::string name;
    uint32_t start, end;  // timestamp slots
    uint32_t row;         // of the cores' times; 0: none
    uint32_t first;       // as start, or one before: of the first command
  };
  struct Outstanding {
    Programs programs;
    std::shared_ptr<const void> keep;  // what the device still reads
    uint32_t before_event;             // done when this event is reached
  };
  static constexpr size_t kNone = ~size_t{0};
  // Cores whose programs run one after another: all workers, or a sub-device. Counts are of the completions on its
  // stream since it was last 0.
  struct Group {
    uint32_t launched = 0;            // by everything enqueued
    uint32_t waited = 0;              // that the dispatcher has waited for
    uint32_t area_busy[2] = {0, 0};   // after so many, a half of the kernel-config area is free
    uint32_t next_area = 0;
    size_t open = kNone;              // of timed_: the last program, whose end has no timestamp yet
  };
  struct Capture {
    cq::Bytes commands;
    std::map<arch::NocCoord, uint32_t> launches;
    std::vector<RunningProgram> programs;
    std::vector<uint32_t> go_table;
  };

  // command_queue.cpp
  template <class Body>
  auto guarded(Body&& body);
  bool has_passed(Event event) const { return static_cast<int32_t>(reached_event_ - event.id) >= 0; }
  bool was_reached_before_death(Event event);
  void push(std::span<const std::byte> record, std::span<const std::byte> more = {}, bool stall = false);
  void write_record(std::span<const std::byte> record, std::span<const std::byte> more, bool stall);
  void add(std::span<const std::byte> commands);
  void flush();
  void send(const cq::Command& command) { add(cq::record(command.payload, command.to)); }
  void send(std::span<const std::byte> payload) { add(cq::record(payload)); }
  void make_room(uint32_t bytes);
  void retire_consumed();
  void drain_completions();
  void take_page(const std::byte* page, uint32_t written);
  void wait_locked(Event event);
  Event record_event_locked();
  Event send_event();
  void collect_times();
  void arm_cores(bool armed);
  std::vector<ProgramTime::Core> core_times(uint32_t row);
  void await_progress(const std::string& what, const std::function<bool()>& condition);
  std::string explain_stuck(const DeviceStatus& status);
  std::optional<ProgramFault> find_fault(const DeviceStatus& status) const;
  void require_no_capture(const char* what) const;
  [[noreturn]] void die(const DeviceError& error);

  // programs.cpp
  std::shared_ptr<cq::PreparedLaunch> prepared(const Program& program);
  void launch_one_by_one(cq::PreparedLaunch& launch);
  uint32_t launch_overlapped(cq::PreparedLaunch& launch);
  uint32_t group_of(const cq::PreparedLaunch& launch) const;
  void write_launch(cq::PreparedLaunch& launch, uint32_t area, uint32_t row);
  bool write_from_ring(cq::PreparedLaunch& launch, uint32_t area, uint32_t slot);
  void set_go_table(const std::vector<uint32_t>& words);
  void wait_for_cores(uint32_t group, uint32_t count, uint8_t flags = 0);
  void close_group(uint32_t group);
  void close_programs();
  void reset_counts();
  bool has_time_slots(uint32_t group) const;
  void stamp_start(uint32_t group, const std::string& name, uint32_t row = 0);
  void stamp_go();
  void stamp_end(uint32_t group);
  uint32_t next_row();
  cq::Bytes timestamp(uint32_t slot) const;
  void send_timestamp(uint32_t slot);
  uint32_t next_slot(arch::NocCoord core) const;
  arch::GoMessage go_message(arch::RunMessage message, uint32_t group = 0) const;

  // buffers.cpp
  void write_locked(const Buffer& buffer, std::span<const std::byte> bytes, uint64_t offset);
  void write_pages(const Buffer& buffer, uint32_t first, std::span<const std::byte> bytes);
  void write_bytes(const Buffer::Place& place, std::span<const std::byte> bytes);
  void read_pages(const Buffer& buffer, uint32_t first, std::span<std::byte> out);
  void read_bytes(const Buffer::Place& place, std::span<std::byte> out);
  void settle_writes();

  // Of the chip's queues, a bit each.
  class Claim {
   public:
    Claim(Chip& chip, uint32_t mask) : chip_(chip), mask_(mask) { chip_.claim_queues(mask); }
    ~Claim() { chip_.release_queues(mask_); }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;

   private:
    Chip& chip_;
    uint32_t mask_;
  };

  Chip& chip_;
  QueueOptions options_;
  Claim claim_;
  PinnedMemory region_;
  std::mutex mutex_;
  cq::IssueRing issue_;
  cq::CompletionRing completion_;
  std::optional<cq::QueueService> service_;
  std::string dead_;         // why, or empty
  std::string dead_report_;  // the device's state at that time
  std::atomic<uint32_t> next_event_ = 1;
  uint32_t reached_event_ = 0;
  std::deque<Outstanding> outstanding_;
  std::deque<cq::PendingRead> reads_;  // in the order of their data
  uint64_t read_position_ = 0;         // in the stream of the first one, header included; 0: between commands

  std::vector<Group> groups_{1};       // the first one's stream is kFirstStream
  std::map<arch::NocCoord, uint32_t> sub_device_of_;  // empty: one group of all workers
  std::deque<uint32_t> partial_events_;  // of one sub-device
  uint32_t since_event_ = 0;           // launches
  std::vector<uint32_t> go_table_;  // what the dispatcher's table holds
  std::unique_ptr<Capture> capture_;

  cq::Bytes batch_;  // commands of this call that are not in the ring yet
  std::deque<std::shared_ptr<cq::PreparedLaunch>> prepared_;  // the most recent first
  cq::RingCache ring_;
  uint32_t read_tag_ = 0;

  std::vector<Timed> timed_;
  uint32_t next_time_slot_ = 0;
  uint32_t rows_used_ = 0;  // of core-timing slots
  std::vector<ProgramTime> times_;
  uint64_t records_ = 0;
  uint64_t record_bytes_ = 0;
};

}  // namespace kerr::host
