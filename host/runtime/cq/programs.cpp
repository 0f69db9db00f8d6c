// Programs and traces through the queue. docs/hardware/fast-dispatch.md 6.3 (EXEC_BUF), 12, 16
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "host/runtime/cq/go_targets.hpp"
#include "host/runtime/cq/guarded.hpp"
#include "host/runtime/cq/prefetch_commands.hpp"

namespace kerr::host {

namespace wire = arch::cq;

namespace {

// The stream counts on 17 bits and a command may ask for less than 65536: it is cleared well before.
constexpr uint32_t kClearCountAt = 60'000;
constexpr uint32_t kTracePageLog2 = 12;
// Less code than this costs the ring about as much as the record that carries it.
constexpr uint32_t kLeastRingBytes = 2048;
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

arch::GoMessage CommandQueue::go_message(arch::RunMessage message, uint32_t group) const {
  const arch::NocCoord dispatcher = service_->dispatch_tile();
  return {static_cast<uint8_t>(group), dispatcher.x, dispatcher.y, static_cast<uint8_t>(message)};
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

// Slots needed: one for the start, one for the end, one more if the go signal is timed separately, and one for each
// other group whose end is still outstanding.
bool CommandQueue::has_time_slots(uint32_t group) const {
  uint32_t slots = next_time_slot_ + (options_.pieces != cq::Pieces::Large ? 3 : 2);
  for (uint32_t i = 0; i < groups_.size(); ++i) slots += i != group && groups_[i].open != kNone;
  return capture_ == nullptr && slots <= options_.region.timestamp_slots;
}

// The dispatcher has waited for every program of the group before: the moment is also the last one's end.
void CommandQueue::stamp_start(uint32_t group, const std::string& name, uint32_t row) {
  Group& g = groups_[group];
  const uint32_t slot = next_time_slot_++;
  if (g.open != kNone) timed_[g.open].end = slot;
  g.open = timed_.size();
  timed_.push_back({name, slot, slot, row, slot});
  send_timestamp(slot);
}

// What the program needs is in place, which took time since stamp_start().
void CommandQueue::stamp_go() {
  timed_.back().start = next_time_slot_++;
  send_timestamp(timed_.back().start);
}

// Where the cores' times of the next program go; 0: nowhere.
uint32_t CommandQueue::next_row() {
  const size_t slots = (rows_used_ + 1) * chip_.workers().size();
  if (!options_.core_times || slots > options_.region.core_timing_slots) return 0;
  return ++rows_used_;
}

void CommandQueue::stamp_end(uint32_t group) {
  Group& g = groups_[group];
  if (g.open == kNone) return;
  const uint32_t slot = timed_[g.open].end = next_time_slot_++;
  g.open = kNone;
  send_timestamp(slot);
}

// The dispatcher waits until `count` cores of the group have finished; other `flags` first.
void CommandQueue::wait_for_cores(uint32_t group, uint32_t count, uint8_t flags) {
  Group& g = groups_[group];
  const bool cores = static_cast<int32_t>(count - g.waited) > 0;
  if (cores) {
    flags |= wire::kWaitStream;
    g.waited = count;
  }
  if (flags != 0) {
    send(cq::wait(flags, cores ? static_cast<uint16_t>(wire::kFirstStream + group) : 0, cores ? count : 0));
  }
}

// Everything behind this is executed after the last program's end.
void CommandQueue::close_group(uint32_t group) {
  wait_for_cores(group, groups_[group].launched);
  stamp_end(group);
}

void CommandQueue::close_programs() {
  for (uint32_t i = 0; i < groups_.size(); ++i) close_group(i);
}

void CommandQueue::reset_counts() {
  close_programs();
  for (uint32_t i = 0; i < groups_.size(); ++i) {
    Group& g = groups_[i];
    if (g.launched != 0 || capture_ != nullptr) {
      send(cq::wait(wire::kWaitStream | wire::kWaitClearStream, static_cast<uint16_t>(wire::kFirstStream + i),
                    g.launched));
    }
    g.launched = g.waited = 0;
    g.area_busy[0] = g.area_busy[1] = 0;
  }
}

void CommandQueue::set_sub_devices(std::span<const std::vector<arch::NocCoord>> groups) {
  guarded([&] {
    require_no_capture("set_sub_devices()");
    if (!options_.overlap) host_error("set_sub_devices(): this queue runs one command after another");
    if (groups.size() > wire::kMaxWorkerSems) {
      host_error(fmt::format("{} sub-devices; at most {}", groups.size(), wire::kMaxWorkerSems));
    }
    const auto workers = chip_.workers();
    std::map<arch::NocCoord, uint32_t> sub_device_of;
    for (size_t i = 0; i < groups.size(); ++i) {
      if (groups[i].empty()) host_error(fmt::format("sub-device {} has no cores", i));
      for (arch::NocCoord core : groups[i]) {
        const bool is_worker = std::find(workers.begin(), workers.end(), core) != workers.end();
        if (!is_worker || !sub_device_of.try_emplace(core, static_cast<uint32_t>(i)).second) {
          host_error(fmt::format("sub-device {}: core ({},{}) {}", i, core.x, core.y,
                                 is_worker ? "is in another one too" : "is no worker"));
        }
      }
    }
    reset_counts();
    groups_.assign(std::max<size_t>(groups.size(), 1), {});
    sub_device_of_ = std::move(sub_device_of);
    const auto count = static_cast<uint32_t>(groups_.size());
    send(cq::set_num_worker_sems(count));
    if (options_.subordinate) send({cq::set_num_worker_sems(count), wire::Dispatcher::DispatchS});
  });
}

// The group (sub-device) that holds all of a program's cores.
uint32_t CommandQueue::group_of(const cq::PreparedLaunch& launch) const {
  if (sub_device_of_.empty()) return 0;
  std::optional<uint32_t> group;
  for (arch::NocCoord core : launch.cores()) {
    const auto found = sub_device_of_.find(core);
    if (found == sub_device_of_.end() || found->second != group.value_or(found->second)) {
      host_error(fmt::format("program '{}': core ({},{}) is not in the sub-device of its other cores", launch.name(),
                             core.x, core.y));
    }
    group = found->second;
  }
  return *group;
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
  auto launch = std::make_shared<cq::PreparedLaunch>(program, options_.multicast_go);
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
  const bool timed = has_time_slots(0);
  if (timed) {
    const uint32_t row = next_row();
    for (KernelGroup& group : plan.groups) group.launch.host_assigned_id = row;
    stamp_start(0, launch.name(), row);
  }
  const cq::InOrderLaunch commands = cq::lower(
      plan, chip_.layout(), go_message(arch::RunMessage::Go), [&](arch::NocCoord core) { return next_slot(core); },
      options_.subordinate, options_.pieces);
  for (const cq::Command& command : commands.writes) send(command);
  if (timed && options_.pieces != cq::Pieces::Large) stamp_go();  // one more than those hosts sent
  for (const cq::Command& command : commands.run) send(command);
  go_table_.clear();
  if (timed) stamp_end(0);
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
  if (one_slot && row == 0 && !resident && capture_ == nullptr && write_from_ring(launch, area, slot)) return;
  const cq::Bytes* records = one_slot && row == 0 ? launch.records(area, slot, resident) : nullptr;
  if (records != nullptr) return add(*records);
  LaunchPlan numbered = plan;
  for (KernelGroup& group : numbered.groups) group.launch.host_assigned_id = row;
  const auto slot_of = [&](arch::NocCoord core) { return next_slot(core); };
  for (const cq::Command& command : cq::lower_writes(numbered, chip_.layout(), slot_of, {.resident = resident})) {
    send(command);
  }
}

// Programs that take turns on the same cores find others' code there. From the second time on theirs comes from the
// prefetcher's ring buffer, which is filled from DRAM: neither travels from the host again, nor once for each rectangle.
bool CommandQueue::write_from_ring(cq::PreparedLaunch& launch, uint32_t area, uint32_t slot) {
  if (launch.misses[area]++ == 0) return false;
  const cq::RingWrites* writes = launch.ring_writes(area, slot);
  if (writes == nullptr || writes->data.size() < kLeastRingBytes) return false;
  const auto size = static_cast<uint32_t>(writes->data.size());
  std::optional<Buffer>& data = launch.ring_data[area];
  if (!data) {
    try {
      data = chip_.allocate(Memory::Dram, size, 1u << kTracePageLog2);
    } catch (const DeviceError&) {  // DRAM is full: it works without
      return false;
    }
    write_locked(*data, writes->data, 0);
    settle_writes();
  }
  const auto place = ring_.place(launch.revision() << 1 | area, size);
  if (!place) return false;
  add(cq::set_ringbuffer_offset(place->offset, place->is_new));
  if (place->is_new) {
    add(cq::paged_to_ringbuffer(false, kTracePageLog2, 0, data->address(), size, size));
  }
  add(writes->commands);
  return true;
}

// In a trace it is what the trace's commands have set by then.
void CommandQueue::set_go_table(const std::vector<uint32_t>& words) {
  std::vector<uint32_t>& table = capture_ != nullptr ? capture_->go_table : go_table_;
  if (table == words) return;
  send(cq::set_go_signal_noc_data(words));
  table = words;
}

// What the program needs is written while the one before it still runs, every other time into the second half of the
// kernel-config area. The go signal waits for the cores of the one before. Returns the half.
uint32_t CommandQueue::launch_overlapped(cq::PreparedLaunch& launch) {
  const uint32_t group = group_of(launch);
  Group& g = groups_[group];
  const auto cores = static_cast<uint32_t>(launch.cores().size());
  if (g.launched + cores > kClearCountAt) reset_counts();
  const bool fits_half = launch.fits_half();
  const uint32_t area = fits_half ? g.next_area : 0;
  wait_for_cores(group, fits_half ? g.area_busy[area] : std::max(g.area_busy[0], g.area_busy[1]));
  const bool timed = has_time_slots(group);
  const uint32_t row = timed ? next_row() : 0;
  write_launch(launch, area, row);

  const arch::GoMessage go = go_message(arch::RunMessage::Go, group);
  const uint32_t before = g.launched;
  const uint32_t stream = wire::kFirstStream + group;
  // Before the go signal, which itself waits until all is written: a timestamp does not.
  const auto stamp = [&](uint8_t flags) {
    if (timed || g.open != kNone) wait_for_cores(group, g.launched, flags);
    timed ? stamp_start(group, launch.name(), row) : stamp_end(group);
  };
  if (options_.subordinate) {
    std::vector<cq::Command> commands;
    cq::lower_subordinate_go(commands, launch.go_words(1), go, before);
    for (const cq::Command& command : commands) send(command);
    stamp(0);
  } else {
    const std::vector<uint32_t>& words = launch.go_words(0);
    set_go_table(words);
    stamp(wire::kWaitBarrier);
    send(cq::send_go_signal(go, static_cast<uint32_t>(words.size()), 0, before, stream));
    g.waited = before;
  }
  g.launched += cores;
  if (fits_half) {
    g.area_busy[area] = g.launched;
    g.next_area = 1 - area;
  } else {
    g.area_busy[0] = g.area_busy[1] = g.launched;
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
    outstanding_.push_back({launch->running(area), launch, next_event_});
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
    flush();
    const std::unique_ptr<Capture> capture = std::move(capture_);
    if (capture->programs.empty()) host_error("a trace without a program");
    cq::Bytes& commands = capture->commands;
    const cq::Bytes end = cq::exec_buf_end();
    commands.insert(commands.end(), end.begin(), end.end());
    Buffer buffer = chip_.allocate(Memory::Dram, commands.size(), 1u << kTracePageLog2);
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
    const std::vector<uint32_t> words = cq::go_targets(cores, 0, options_.multicast_go);
    send(cq::set_go_signal_noc_data(words));
    send(cq::send_go_signal(go_message(arch::RunMessage::ResetReadPtr), static_cast<uint32_t>(words.size())));
    send(cq::wait(wire::kWaitStream | wire::kWaitClearStream, wire::kFirstStream, count));
    const bool timed = has_time_slots(0);
    if (timed) stamp_start(0, fmt::format("trace of {} programs", state.programs->size()));
    push(cq::exec_buf(state.buffer.address(), kTracePageLog2, state.buffer.pages()), {}, true);
    if (timed) stamp_end(0);
    go_table_.clear();
    for (const auto& [core, launches] : state.launches) {
      chip_.set_launch_slot(core, launches);
      for (const uint32_t half : {0, 1}) chip_.set_resident_code(core, half, 0);
    }
    outstanding_.push_back({state.programs, trace.state_, next_event_});
  });
}

}  // namespace kerr::host
