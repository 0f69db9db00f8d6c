// Programs as commands: where each is written, what need not be sent again, and whom its go signal waits for.
// docs/hardware/fast-dispatch.md 6.3 (EXEC_BUF), 12, 16
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "host/runtime/cq/capture.hpp"
#include "host/runtime/cq/prepared_launch.hpp"
#include "host/runtime/cq/queue_port.hpp"
#include "host/runtime/cq/ring_cache.hpp"
#include "host/runtime/cq/time_slots.hpp"
#include "host/runtime/cq/transfers.hpp"

namespace kerr::host::cq {

/// Called inside QueuePort::call(). Throws DeviceError (HostError), with nothing enqueued, for what cannot be done.
class Launcher {
 public:
  Launcher(QueuePort& port, Transfers& transfers, TimeSlots& times)
      : port_(port), chip_(port.chip()), transfers_(transfers), times_(times) {}

  /// To the device, or into the trace that is recorded.
  void launch(const Program& program);
  /// Everything behind this is executed after the last program's end.
  void close_all();
  /// The event that is reached when all programs, or those of one sub-device, and all transfers are done.
  uint32_t record_event();
  uint32_t record_event(uint32_t sub_device);
  /// As CommandQueue::set_sub_devices().
  void set_sub_devices(std::span<const std::vector<arch::NocCoord>> groups);

  bool is_recording() const { return capture_ != nullptr; }
  void begin_trace();
  Trace end_trace();
  void drop_trace() { capture_.reset(); }
  void replay(const Trace& trace);

 private:
  // Cores whose programs run one after another: all workers, or a sub-device. Counts are of the completions on its
  // stream since it was last 0.
  struct Group {
    uint32_t launched = 0;           // by everything enqueued
    uint32_t waited = 0;             // that the dispatcher has waited for
    uint32_t area_busy[2] = {0, 0};  // after so many, a half of the kernel-config area is free
    uint32_t next_area = 0;
  };
  std::shared_ptr<PreparedLaunch> prepared(const Program& program);
  uint32_t group_of(const PreparedLaunch& launch) const;
  uint32_t next_slot(arch::NocCoord core) const { return capture_ ? capture_->slot(core) : chip_.ledger().slot(core); }
  arch::GoMessage go_message(arch::RunMessage message, uint32_t group = 0) const;
  bool has_time_slots(uint32_t group) const { return !is_recording() && times_.has_room(group); }

  void launch_one_by_one(const Program& program, PreparedLaunch& launch);
  uint32_t launch_overlapped(const Program& program, PreparedLaunch& launch);
  void say_launch(const Program& program, const LaunchPlan& plan);
  void write_launch(PreparedLaunch& launch, uint32_t area, uint32_t row);
  bool write_from_ring(PreparedLaunch& launch, uint32_t area, uint32_t slot);
  void set_go_table(const std::vector<uint32_t>& words);
  void close(uint32_t group);
  void wait_for_cores(uint32_t group, uint32_t count, uint8_t flags = 0);
  void reset_counts();

  QueuePort& port_;
  Chip& chip_;
  Transfers& transfers_;
  TimeSlots& times_;
  std::vector<Group> groups_{1};                          // the first one's stream is kFirstStream
  std::map<arch::NocCoord, uint32_t> sub_device_of_;      // empty: one group of all workers
  std::vector<uint32_t> go_table_;                        // what the dispatcher's table holds
  std::deque<std::shared_ptr<PreparedLaunch>> prepared_;  // the most recent first
  RingCache ring_;
  std::unique_ptr<Capture> capture_;  // while a trace is recorded
  uint64_t said_ = 0;                 // the launch that the device was told of last (host/runtime/notes.hpp)
};

}  // namespace kerr::host::cq
