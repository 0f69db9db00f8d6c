// Who began and ended when: slots for the dispatcher's timestamps, and rows for those of every core.
// docs/hardware/fast-dispatch.md 15
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/runtime/cq/command_queue.hpp"
#include "host/runtime/cq/queue_port.hpp"

namespace kerr::host::cq {

/// Times of the programs since the last collect(), as far as the region has slots. Programs run in groups, in each of
/// which the next one's start is the moment at which the dispatcher saw the last one's end. Called inside
/// QueuePort::call().
class TimeSlots {
 public:
  explicit TimeSlots(QueuePort& port) : port_(port) {}

  /// Tells every worker where its times go (QueueOptions::core_times), or that nobody wants them.
  void arm_cores(bool armed);
  /// Whether there are slots for one more program, and for the ends of those that run.
  bool has_room(uint32_t group) const;
  /// The row of the cores' times for the next program, from 1 on; 0: none.
  uint32_t next_row();
  /// Whether the group's last program has no end yet.
  bool is_open(uint32_t group) const { return open_.contains(group); }

  /// The dispatcher has waited for every program of the group before: the moment is also the last one's end.
  void stamp_start(uint32_t group, const std::string& name, uint32_t row = 0);
  /// What the program needs is in place, which took time since stamp_start().
  void stamp_go();
  /// The dispatcher has waited for every program of the group.
  void stamp_end(uint32_t group);

  /// All of them, in order, once everything is done; their slots are free again.
  std::vector<ProgramTime> collect();

 private:
  struct Timed {
    std::string name;
    uint32_t start, end;  // slots
    uint32_t row;         // of the cores' times; 0: none
    uint32_t first;       // as start, or one before: of the first command
  };
  uint32_t stamp();
  uint64_t clock(uint32_t slot);
  std::vector<ProgramTime::Core> take_row(uint32_t row);

  QueuePort& port_;
  std::vector<Timed> timed_;
  std::map<uint32_t, size_t> open_;  // of timed_, by group: the last program, while its end has no timestamp
  uint32_t next_slot_ = 0;
  uint32_t rows_used_ = 0;
};

}  // namespace kerr::host::cq
