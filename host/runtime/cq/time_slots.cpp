#include "host/runtime/cq/time_slots.hpp"

#include <cstring>

#include "arch/bytes.hpp"
#include "arch/profiler.hpp"
#include "host/runtime/cq/launch_policy.hpp"
#include "host/runtime/cq/prefetch_commands.hpp"

namespace kerr::host::cq {

namespace wire = arch::cq;

void TimeSlots::arm_cores(bool armed) {
  if (!port_.options().core_times) return;
  Chip& chip = port_.chip();
  const auto workers = chip.workers();
  for (size_t i = 0; i < workers.size(); ++i) {
    arch::profiler::Control control;
    if (armed) {
      control.armed = arch::profiler::kArmed;
      control.noc_xy_addr = wire::kPcieNocXyAddr;
      control.base = port_.region().noc_local() + port_.options().region.core_timing_offset();
      control.core_bytes = wire::kTimestampSlotBytes;
      control.core = static_cast<uint32_t>(i);
      control.row_bytes = wire::kTimestampSlotBytes * static_cast<uint32_t>(workers.size());
    }
    chip.io().write(workers[i], arch::profiler::kControl, arch::bytes_of(control));
  }
}

// Slots needed: one for the start, one for the end, one more if the go signal is timed separately, and one for each
// other group whose end is still outstanding.
bool TimeSlots::has_room(uint32_t group) const {
  const size_t others = open_.size() - open_.count(group);
  const LaunchPolicy* const policy = port_.options().launch_policy;
  const size_t slots = next_slot_ + (policy != nullptr && policy->stamps_go() ? 3 : 2) + others;
  return slots <= port_.options().region.timestamp_slots;
}

uint32_t TimeSlots::next_row() {
  const size_t slots = (rows_used_ + 1) * port_.chip().workers().size();
  if (!port_.options().core_times || slots > port_.options().region.core_timing_slots) return 0;
  return ++rows_used_;
}

// The dispatcher writes its clock into the next slot.
uint32_t TimeSlots::stamp() {
  const uint32_t slot = next_slot_++;
  port_.send(timestamp(port_.region().noc_local() + port_.options().region.timestamp_offset() +
                       wire::kTimestampSlotBytes * slot));
  return slot;
}

void TimeSlots::stamp_start(uint32_t group, const std::string& name, uint32_t row) {
  const uint32_t slot = stamp();
  if (is_open(group)) timed_[open_[group]].end = slot;
  open_[group] = timed_.size();
  timed_.push_back({name, slot, slot, row, slot});
}

void TimeSlots::stamp_go() { timed_.back().start = stamp(); }

void TimeSlots::stamp_end(uint32_t group) {
  if (!is_open(group)) return;
  timed_[open_[group]].end = stamp();
  open_.erase(group);
}

std::vector<ProgramTime> TimeSlots::collect() {
  std::vector<ProgramTime> times;
  for (const Timed& t : timed_) {
    times.push_back({t.name, clock(t.start), clock(t.end), clock(t.first), take_row(t.row)});
  }
  timed_.clear();
  rows_used_ = 0;
  next_slot_ = 0;
  return times;
}

uint64_t TimeSlots::clock(uint32_t slot) {
  const uint64_t at = port_.options().region.timestamp_offset() + wire::kTimestampSlotBytes * slot;
  return port_.region().load(at) | static_cast<uint64_t>(port_.region().load(at + 4)) << 32;
}

// The times of the cores that ran the program; clears their slots.
std::vector<ProgramTime::Core> TimeSlots::take_row(uint32_t row) {
  std::vector<ProgramTime::Core> out;
  if (row == 0) return out;
  const auto workers = port_.chip().workers();
  for (size_t i = 0; i < workers.size(); ++i) {
    uint64_t times[2];
    std::byte* slot = port_.region().bytes().data() + port_.options().region.core_timing_offset() +
                      wire::kTimestampSlotBytes * ((row - 1) * workers.size() + i);
    std::memcpy(times, slot, sizeof times);
    std::memset(slot, 0, sizeof times);
    if (times[1] != 0) out.push_back({workers[i], times[0], times[1]});
  }
  return out;
}

}  // namespace kerr::host::cq
