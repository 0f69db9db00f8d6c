#include "host/runtime/cq/launcher.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "host/runtime/cq/go_targets.hpp"
#include "host/runtime/cq/prefetch_commands.hpp"
#include "host/runtime/notes.hpp"

namespace kerr::host::cq {

namespace wire = arch::cq;

namespace {

// The stream counts on 17 bits and a command may ask for less than 65536: it is cleared well before.
constexpr uint32_t kClearCountAt = 60'000;
// Less code than this costs the ring about as much as the record that carries it.
constexpr uint32_t kLeastRingBytes = 2048;
// An event after so many launches without one lets the host forget what has run.
constexpr uint32_t kLaunchesPerEvent = 512;
// Programs that are kept ready.
constexpr size_t kPreparedKept = 16;

}  // namespace

arch::GoMessage Launcher::go_message(arch::RunMessage message, uint32_t group) const {
  const arch::NocCoord dispatcher = port_.dispatch_tile();
  return {static_cast<uint8_t>(group), dispatcher.x, dispatcher.y, static_cast<uint8_t>(message)};
}

// The dispatcher waits until `count` cores of the group have finished; other `flags` first.
void Launcher::wait_for_cores(uint32_t group, uint32_t count, uint8_t flags) {
  Group& g = groups_[group];
  const bool cores = static_cast<int32_t>(count - g.waited) > 0;
  if (cores) {
    flags |= wire::kWaitStream;
    g.waited = count;
  }
  if (flags != 0) {
    port_.send(wait(flags, cores ? static_cast<uint16_t>(wire::kFirstStream + group) : 0, cores ? count : 0));
  }
}

void Launcher::close(uint32_t group) {
  wait_for_cores(group, groups_[group].launched);
  times_.stamp_end(group);
}

void Launcher::close_all() {
  for (uint32_t i = 0; i < groups_.size(); ++i) close(i);
}

uint32_t Launcher::record_event() {
  close_all();
  return port_.send_event();
}

uint32_t Launcher::record_event(uint32_t sub_device) {
  if (sub_device_of_.empty() || sub_device >= groups_.size()) {
    host_error(fmt::format("sub-device {}; there are {} (set_sub_devices())", sub_device,
                           sub_device_of_.empty() ? 0 : groups_.size()));
  }
  close(sub_device);
  return port_.send_event(true);
}

void Launcher::reset_counts() {
  close_all();
  for (uint32_t i = 0; i < groups_.size(); ++i) {
    Group& g = groups_[i];
    if (g.launched != 0 || is_recording()) {
      port_.send(
          wait(wire::kWaitStream | wire::kWaitClearStream, static_cast<uint16_t>(wire::kFirstStream + i), g.launched));
    }
    g.launched = g.waited = 0;
    g.area_busy[0] = g.area_busy[1] = 0;
  }
}

void Launcher::set_sub_devices(std::span<const std::vector<arch::NocCoord>> groups) {
  if (!port_.options().overlap) host_error("set_sub_devices(): this queue runs one command after another");
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
  port_.send(set_num_worker_sems(count));
  if (port_.options().subordinate) port_.send({set_num_worker_sems(count), wire::Dispatcher::DispatchS});
}

// The group (sub-device) that holds all of a program's cores.
uint32_t Launcher::group_of(const PreparedLaunch& launch) const {
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

std::shared_ptr<PreparedLaunch> Launcher::prepared(const Program& program) {
  const auto found = std::find_if(prepared_.begin(), prepared_.end(),
                                  [&](const auto& p) { return p->revision() == program.revision(); });
  if (found != prepared_.end() && !program.kernels().empty()) {
    std::rotate(prepared_.begin(), found, found + 1);
    chip_.check_memory(program);
    return prepared_.front();
  }
  chip_.check(program);
  auto launch = std::make_shared<PreparedLaunch>(program, port_.options().multicast_go);
  for (arch::NocCoord core : launch->cores()) {
    for (uint32_t i = 0; i < chip_.queues(); ++i) {
      const arch::DispatchPair pair = chip_.dispatch_pair(i);
      if (core == pair.prefetch || core == pair.dispatch) {
        host_error(
            fmt::format("program '{}': core ({},{}) belongs to a command queue", program.name(), core.x, core.y));
      }
    }
  }
  prepared_.push_front(launch);
  if (prepared_.size() > kPreparedKept) prepared_.pop_back();
  return launch;
}

// Before anything of it reaches the device.
void Launcher::say_launch(const Program& program, const LaunchPlan& plan) {
  said_ = 0;
  if (!chip_.device().wants_notes()) return;
  arch::note::Launched note = note_of(program, plan, [this](arch::NocCoord core) { return next_slot(core); });
  if (capture_) return capture_->add(std::move(note));
  said_ = say(chip_.device(), std::move(note));
}

void Launcher::launch_one_by_one(const Program& program, PreparedLaunch& launch) {
  LaunchPlan plan = launch.plan(0);
  say_launch(program, plan);
  reset_counts();
  const bool timed = has_time_slots(0);
  if (timed) {
    const uint32_t row = times_.next_row();
    for (KernelGroup& group : plan.groups) group.launch.host_assigned_id = row;
    times_.stamp_start(0, launch.name(), row);
  }
  const LaunchPolicy* const policy = port_.options().launch_policy;
  const LaunchRequest request{plan, chip_.layout(), go_message(arch::RunMessage::Go),
                              [&](arch::NocCoord core) { return next_slot(core); }, port_.options().subordinate};
  const InOrderLaunch commands = policy != nullptr ? policy->lower(request) : in_order(request);
  for (const Command& command : commands.writes) port_.send(command);
  if (timed && policy != nullptr && policy->stamps_go()) times_.stamp_go();
  for (const Command& command : commands.run) port_.send(command);
  go_table_.clear();
  if (timed) times_.stamp_end(0);
  for (arch::NocCoord core : plan.cores) chip_.ledger().forget_code(core);
}

// Everything the cores need but the go signal, into a half of the kernel-config area. Code that lies there from an
// earlier launch is not sent again; a trace may be replayed after anything, so it sends all.
void Launcher::write_launch(PreparedLaunch& launch, uint32_t area, uint32_t row) {
  const LaunchPlan& plan = launch.plan(area);
  const uint32_t slot = next_slot(plan.cores.front());
  bool one_slot = true, resident = !is_recording();
  for (size_t g = 0; g < plan.groups.size(); ++g) {
    const uint64_t key = launch.code_key(area, g);
    for (arch::NocCoord core : plan.groups[g].cores) {
      one_slot = one_slot && next_slot(core) == slot;
      resident = resident && chip_.ledger().code(core, area) == key;
      if (is_recording()) continue;
      chip_.ledger().set_code(core, area, key);
      if (!launch.fits_half()) chip_.ledger().set_code(core, 1, 0);
    }
  }
  if (one_slot && row == 0 && !resident && !is_recording() && write_from_ring(launch, area, slot)) return;
  const Bytes* records = one_slot && row == 0 ? launch.records(area, slot, resident) : nullptr;
  if (records != nullptr) return port_.add(*records);
  LaunchPlan numbered = plan;
  for (KernelGroup& group : numbered.groups) group.launch.host_assigned_id = row;
  const auto slot_of = [&](arch::NocCoord core) { return next_slot(core); };
  for (const Command& command : lower_writes(numbered, chip_.layout(), slot_of, {.resident = resident})) {
    port_.send(command);
  }
}

// Programs that take turns on the same cores find others' code there. From the second time on theirs comes from the
// prefetcher's ring buffer, which is filled from DRAM: neither travels from the host again, nor once for each
// rectangle.
bool Launcher::write_from_ring(PreparedLaunch& launch, uint32_t area, uint32_t slot) {
  if (launch.misses[area]++ == 0) return false;
  const RingWrites* writes = launch.ring_writes(area, slot);
  if (writes == nullptr || writes->data.size() < kLeastRingBytes) return false;
  const auto size = static_cast<uint32_t>(writes->data.size());
  std::optional<Buffer>& data = launch.ring_data[area];
  if (!data) {
    try {
      data = chip_.allocate(Memory::Dram, size, 1u << Recorded::kPageLog2);
      chip_.name(*data, "code of " + launch.name());
    } catch (const DeviceError&) {  // DRAM is full: it works without
      return false;
    }
    close_all();
    transfers_.write(*data, writes->data, 0);
    transfers_.settle_writes();
  }
  const auto place = ring_.place(launch.revision() << 1 | area, size);
  if (!place) return false;
  port_.add(set_ringbuffer_offset(place->offset, place->is_new));
  if (place->is_new) {
    port_.add(paged_to_ringbuffer(false, Recorded::kPageLog2, 0, data->address(), size, size));
  }
  port_.add(writes->commands);
  return true;
}

// In a trace it is what the trace's commands have set by then.
void Launcher::set_go_table(const std::vector<uint32_t>& words) {
  std::vector<uint32_t>& table = capture_ ? capture_->go_table() : go_table_;
  if (table == words) return;
  port_.send(set_go_signal_noc_data(words));
  table = words;
}

// What the program needs is written while the one before it still runs, every other time into the second half of the
// kernel-config area. The go signal waits for the cores of the one before. Returns the half.
uint32_t Launcher::launch_overlapped(const Program& program, PreparedLaunch& launch) {
  const uint32_t group = group_of(launch);
  Group& g = groups_[group];
  const auto cores = static_cast<uint32_t>(launch.cores().size());
  if (g.launched + cores > kClearCountAt) reset_counts();
  const bool fits_half = launch.fits_half();
  const uint32_t area = fits_half ? g.next_area : 0;
  say_launch(program, launch.plan(area));
  wait_for_cores(group, fits_half ? g.area_busy[area] : std::max(g.area_busy[0], g.area_busy[1]));
  const bool timed = has_time_slots(group);
  const uint32_t row = timed ? times_.next_row() : 0;
  write_launch(launch, area, row);

  const arch::GoMessage go = go_message(arch::RunMessage::Go, group);
  const uint32_t before = g.launched;
  const uint32_t stream = wire::kFirstStream + group;
  // Before the go signal, which itself waits until all is written: a timestamp does not.
  const auto stamp = [&](uint8_t flags) {
    if (timed || times_.is_open(group)) wait_for_cores(group, g.launched, flags);
    timed ? times_.stamp_start(group, launch.name(), row) : times_.stamp_end(group);
  };
  if (port_.options().subordinate) {
    std::vector<Command> commands;
    lower_subordinate_go(commands, launch.go_words(1), go, before);
    for (const Command& command : commands) port_.send(command);
    stamp(0);
  } else {
    const std::vector<uint32_t>& words = launch.go_words(0);
    set_go_table(words);
    stamp(wire::kWaitBarrier);
    port_.send(send_go_signal(go, static_cast<uint32_t>(words.size()), 0, before, stream));
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

void Launcher::launch(const Program& program) {
  const std::shared_ptr<PreparedLaunch> launch = prepared(program);
  uint32_t area = 0;
  if (port_.options().overlap) {
    area = launch_overlapped(program, *launch);
  } else {
    launch_one_by_one(program, *launch);
  }
  if (capture_) return capture_->add(launch->cores(), launch->running(area)->front());
  for (arch::NocCoord core : launch->cores()) chip_.ledger().launched(core);
  std::vector<uint64_t> said;
  if (said_ != 0) said.push_back(said_);
  port_.in_flight().add(launch->running(area), launch, port_.next_event(), std::move(said));
  port_.count_launch();
  if (port_.launches_since_event() >= kLaunchesPerEvent) record_event();
}

void Launcher::begin_trace() {
  reset_counts();
  port_.flush();
  capture_ = std::make_unique<Capture>(port_);
}

Trace Launcher::end_trace() {
  if (!is_recording()) host_error("end_trace() without begin_trace()");
  reset_counts();  // a replay leaves the counter as it found it
  port_.flush();
  const std::unique_ptr<Capture> capture = std::move(capture_);
  return capture->finish(transfers_);
}

void Launcher::replay(const Trace& trace) {
  if (trace.recorded() == nullptr) host_error("replay() of no trace");
  const Recorded& recorded = *trace.recorded();
  std::vector<uint64_t> said;
  for (const arch::note::Launched& note : recorded.notes) said.push_back(say(chip_.device(), note));
  reset_counts();
  // The recorded launch messages go to the slots from 0 on: every core reads from there again.
  std::vector<arch::NocCoord> cores;
  for (const auto& [core, launches] : recorded.launches) cores.push_back(core);
  const auto count = static_cast<uint32_t>(cores.size());
  port_.send(wait(wire::kWaitBarrier));
  const std::vector<uint32_t> words = go_targets(cores, 0, port_.options().multicast_go);
  port_.send(set_go_signal_noc_data(words));
  port_.send(send_go_signal(go_message(arch::RunMessage::ResetReadPtr), static_cast<uint32_t>(words.size())));
  port_.send(wait(wire::kWaitStream | wire::kWaitClearStream, wire::kFirstStream, count));
  const bool timed = has_time_slots(0);
  if (timed) times_.stamp_start(0, fmt::format("trace of {} programs", recorded.programs->size()));
  port_.push(exec_buf(recorded.commands.address(), Recorded::kPageLog2, recorded.commands.pages()), {}, true);
  if (timed) times_.stamp_end(0);
  go_table_.clear();
  for (const auto& [core, launches] : recorded.launches) {
    chip_.ledger().set_slot(core, launches);
    chip_.ledger().forget_code(core);
  }
  port_.in_flight().add(recorded.programs, trace.recorded(), port_.next_event(), std::move(said));
}

}  // namespace kerr::host::cq
