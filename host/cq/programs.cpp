// Programs and traces through the queue. docs/hardware/fast-dispatch.md 6.3 (EXEC_BUF), 12, 16
#include <algorithm>

#include <fmt/format.h>

#include "host/cq/guarded.hpp"
#include "host/cq/prefetch_commands.hpp"

namespace kerr::host {

namespace wire = arch::cq;

namespace {

// The stream counts on 17 bits and a command may ask for less than 65536: it is cleared well before.
constexpr uint32_t kClearCountAt = 60'000;
constexpr uint32_t kTracePageLog2 = 12;
// An event after so many launches without one lets the host forget what has run.
constexpr uint32_t kLaunchesPerEvent = 512;
// Programs that are kept ready.
constexpr size_t kPreparedKept = 16;

}  // namespace

struct Trace::State {
  Buffer buffer;
  uint64_t bytes;
  std::map<arch::NocCoord, uint32_t> launches;  // per core
  std::shared_ptr<const std::vector<RunningProgram>> programs;
};

uint64_t Trace::bytes() const { return state_ == nullptr ? 0 : state_->bytes; }

arch::GoMessage CommandQueue::go_message(arch::RunMessage message) const {
  const arch::NocCoord dispatcher = service_->dispatch_tile();
  return {0, dispatcher.x, dispatcher.y, static_cast<uint8_t>(message)};
}

uint32_t CommandQueue::next_slot(arch::NocCoord core) const {
  if (capture_ == nullptr) return chip_.launch_slot(core);
  const auto found = capture_->launches.find(core);  // a replay starts every core at slot 0
  return found == capture_->launches.end() ? 0 : found->second % chip_.layout().launch_entries;
}

cq::Bytes CommandQueue::timestamp(uint32_t slot) const {
  return cq::timestamp(region_.noc_local() + options_.region.timestamp_offset() + wire::kTimestampSlotBytes * slot);
}

void CommandQueue::send_timestamp(uint32_t slot) { send(timestamp(slot)); }

// For a start and the end that belongs to it.
bool CommandQueue::has_time_slots() const {
  return capture_ == nullptr && next_time_slot_ + 2 <= options_.region.timestamp_slots;
}

// The dispatcher has waited for every program before: the moment is also the last one's end.
void CommandQueue::stamp_start(const std::string& name, uint32_t row) {
  const uint32_t slot = next_time_slot_++;
  if (end_due_) timed_.back().end = slot;
  timed_.push_back({name, slot, slot, row});
  end_due_ = true;
  send_timestamp(slot);
}

// Where the cores' times of the next program go; 0: nowhere.
uint32_t CommandQueue::next_row() {
  const size_t slots = (rows_used_ + 1) * chip_.workers().size();
  if (!options_.core_times || slots > options_.region.core_timing_slots) return 0;
  return ++rows_used_;
}

void CommandQueue::stamp_end() {
  if (!end_due_) return;
  timed_.back().end = next_time_slot_++;
  end_due_ = false;
  send_timestamp(timed_.back().end);
}

// The dispatcher waits until `count` cores have finished; other `flags` first.
void CommandQueue::wait_for_cores(uint32_t count, uint8_t flags) {
  const bool cores = static_cast<int32_t>(count - waited_) > 0;
  if (cores) {
    flags |= wire::kWaitStream;
    waited_ = count;
  }
  if (flags != 0) send(cq::wait(flags, cores ? wire::kFirstStream : 0, cores ? count : 0));
}

// Everything behind this is executed after the last program's end.
void CommandQueue::close_programs() {
  wait_for_cores(launched_);
  stamp_end();
}

void CommandQueue::reset_counts() {
  close_programs();
  if (launched_ != 0 || capture_ != nullptr) {
    send(cq::wait(wire::kWaitStream | wire::kWaitClearStream, wire::kFirstStream, launched_));
  }
  launched_ = waited_ = 0;
  area_busy_[0] = area_busy_[1] = 0;
}

std::shared_ptr<cq::PreparedLaunch> CommandQueue::prepared(const Program& program) {
  const auto found = std::find_if(prepared_.begin(), prepared_.end(),
                                  [&](const auto& p) { return p->revision() == program.revision(); });
  if (found != prepared_.end() && !program.kernels().empty()) {
    std::rotate(prepared_.begin(), found, found + 1);
    chip_.check_memory(program);
    return prepared_.front();
  }
  chip_.check(program);
  auto launch = std::make_shared<cq::PreparedLaunch>(program);
  for (arch::NocCoord core : launch->cores()) {
    for (uint32_t i = 0; i < chip_.queues(); ++i) {
      const arch::DispatchPair pair = chip_.dispatch_pair(i);
      if (core == pair.prefetch || core == pair.dispatch) {
        host_error(fmt::format("program '{}': core ({},{}) belongs to a command queue", program.name(), core.x,
                               core.y));
      }
    }
  }
  prepared_.push_front(launch);
  if (prepared_.size() > kPreparedKept) prepared_.pop_back();
  return launch;
}

void CommandQueue::launch_one_by_one(cq::PreparedLaunch& launch) {
  LaunchPlan plan = launch.plan(0);
  reset_counts();
  const bool timed = has_time_slots();
  if (timed) {
    const uint32_t row = next_row();
    for (KernelGroup& group : plan.groups) group.launch.host_assigned_id = row;
    stamp_start(launch.name(), row);
  }
  const auto commands = cq::lower(
      plan, chip_.layout(), go_message(arch::RunMessage::kGo), [&](arch::NocCoord core) { return next_slot(core); },
      options_.subordinate);
  for (const cq::Command& command : commands) send(command);
  go_table_ = plan.cores;
  if (timed) stamp_end();
  for (arch::NocCoord core : plan.cores) {
    for (const uint32_t half : {0, 1}) chip_.set_resident_code(core, half, 0);
  }
}

// Everything the cores need but the go signal, into a half of the kernel-config area. Code that lies there from an
// earlier launch is not sent again; a trace may be replayed after anything, so it sends all.
void CommandQueue::write_launch(cq::PreparedLaunch& launch, uint32_t area, uint32_t row) {
  const LaunchPlan& plan = launch.plan(area);
  const uint32_t slot = next_slot(plan.cores.front());
  bool one_slot = true, resident = capture_ == nullptr;
  for (size_t g = 0; g < plan.groups.size(); ++g) {
    const uint64_t key = launch.code_key(area, g);
    for (arch::NocCoord core : plan.groups[g].cores) {
      one_slot = one_slot && next_slot(core) == slot;
      resident = resident && chip_.resident_code(core, area) == key;
      if (capture_ != nullptr) continue;
      chip_.set_resident_code(core, area, key);
      if (!launch.fits_half()) chip_.set_resident_code(core, 1, 0);
    }
  }
  const cq::Bytes* records = one_slot && row == 0 ? launch.records(area, slot, resident) : nullptr;
  if (records != nullptr) return add(*records);
  LaunchPlan numbered = plan;
  for (KernelGroup& group : numbered.groups) group.launch.host_assigned_id = row;
  const auto slot_of = [&](arch::NocCoord core) { return next_slot(core); };
  for (const cq::Command& command : cq::lower_writes(numbered, chip_.layout(), slot_of, {.resident = resident})) {
    send(command);
  }
}

// What the program needs is written while the one before it still runs, every other time into the second half of the
// kernel-config area. The go signal waits for the cores of the one before. Returns the half.
uint32_t CommandQueue::launch_overlapped(cq::PreparedLaunch& launch) {
  const auto cores = static_cast<uint32_t>(launch.cores().size());
  if (launched_ + cores > kClearCountAt) reset_counts();
  const bool fits_half = launch.fits_half();
  const uint32_t area = fits_half ? next_area_ : 0;
  wait_for_cores(fits_half ? area_busy_[area] : std::max(area_busy_[0], area_busy_[1]));
  const bool timed = has_time_slots();
  const uint32_t row = timed ? next_row() : 0;
  write_launch(launch, area, row);

  const arch::GoMessage go = go_message(arch::RunMessage::kGo);
  const uint32_t before = launched_;
  const auto stamp = [&](uint8_t flags) {
    if (timed || end_due_) {
      wait_for_cores(launched_, flags);
    } else if (flags != 0) {
      send(cq::wait(flags));
    }
    timed ? stamp_start(launch.name(), row) : stamp_end();
  };
  if (options_.subordinate) {
    std::vector<cq::Command> commands;
    cq::lower_subordinate_go(commands, launch.cores(), go, before);
    for (const cq::Command& command : commands) send(command);
    stamp(0);
  } else {
    const auto workers = chip_.workers();
    const bool all = service_->multicast_go() && workers.size() == cores &&
                     std::is_permutation(workers.begin(), workers.end(), launch.cores().begin());
    if (!all && (capture_ != nullptr || go_table_ != launch.cores())) {
      send(cq::set_go_signal_noc_data(launch.cores()));
      go_table_ = launch.cores();
    }
    stamp(wire::kWaitBarrier);
    send(all ? cq::send_go_signal_multicast(go, 0, before) : cq::send_go_signal(go, cores, 0, before));
  }
  launched_ += cores;
  if (fits_half) {
    area_busy_[area] = launched_;
    next_area_ = 1 - area;
  } else {
    area_busy_[0] = area_busy_[1] = launched_;
  }
  return area;
}

void CommandQueue::enqueue(const Program& program) {
  guarded([&] {
    const std::shared_ptr<cq::PreparedLaunch> launch = prepared(program);
    uint32_t area = 0;
    if (options_.overlap) {
      area = launch_overlapped(*launch);
    } else {
      launch_one_by_one(*launch);
    }
    if (capture_ != nullptr) {
      for (arch::NocCoord core : launch->cores()) ++capture_->launches[core];
      capture_->programs.push_back(launch->running(area)->front());
      return;
    }
    for (arch::NocCoord core : launch->cores()) chip_.launched_by_device(core);
    outstanding_.push_back({launch->running(area), nullptr, next_event_});
    if (++since_event_ >= kLaunchesPerEvent) record_event_locked();
  });
}

void CommandQueue::begin_trace() {
  guarded([&] {
    require_no_capture("begin_trace()");
    reset_counts();
    flush();
    capture_ = std::make_unique<Capture>();
  });
}

Trace CommandQueue::end_trace() {
  return guarded([&] {
    if (capture_ == nullptr) host_error("end_trace() without begin_trace()");
    reset_counts();  // a replay leaves the counter as it found it
    go_table_.clear();
    flush();
    const std::unique_ptr<Capture> capture = std::move(capture_);
    if (capture->programs.empty()) host_error("a trace without a program");
    cq::Bytes& commands = capture->commands;
    const cq::Bytes end = cq::exec_buf_end();
    commands.insert(commands.end(), end.begin(), end.end());
    Buffer buffer = chip_.allocate(Memory::kDram, commands.size(), 1u << kTracePageLog2);
    write_locked(buffer, commands, 0);
    settle_writes();
    Trace trace;
    trace.state_ = std::make_shared<const Trace::State>(Trace::State{
        std::move(buffer), commands.size(), std::move(capture->launches),
        std::make_shared<const std::vector<RunningProgram>>(std::move(capture->programs))});
    return trace;
  });
}

void CommandQueue::replay(const Trace& trace) {
  guarded([&] {
    require_no_capture("replay()");
    if (trace.state_ == nullptr) host_error("replay() of no trace");
    const Trace::State& state = *trace.state_;
    reset_counts();
    // The recorded launch messages go to the slots from 0 on: every core reads from there again.
    std::vector<arch::NocCoord> cores;
    for (const auto& [core, launches] : state.launches) cores.push_back(core);
    const auto count = static_cast<uint32_t>(cores.size());
    send(cq::wait(wire::kWaitBarrier));
    send(cq::set_go_signal_noc_data(cores));
    send(cq::send_go_signal(go_message(arch::RunMessage::kResetReadPtr), count));
    send(cq::wait(wire::kWaitStream | wire::kWaitClearStream, wire::kFirstStream, count));
    const bool timed = has_time_slots();
    if (timed) stamp_start(fmt::format("trace of {} programs", state.programs->size()));
    push(cq::exec_buf(state.buffer.address(), kTracePageLog2, state.buffer.pages()), {}, true);
    if (timed) stamp_end();
    go_table_.clear();
    for (const auto& [core, launches] : state.launches) {
      chip_.set_launch_slot(core, launches);
      for (const uint32_t half : {0, 1}) chip_.set_resident_code(core, half, 0);
    }
    outstanding_.push_back({state.programs, trace.state_, next_event_});
  });
}

}  // namespace kerr::host
