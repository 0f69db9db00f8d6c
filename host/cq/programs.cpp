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

}  // namespace

struct Trace::State {
  Buffer buffer;
  uint64_t bytes;
  std::map<arch::NocCoord, uint32_t> launches;  // per core
  std::vector<RunningProgram> programs;
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

// Two slots for a program, if there are any left and it does not go into a trace.
std::optional<uint32_t> CommandQueue::open_time(const std::string& name) {
  const auto slot = static_cast<uint32_t>(2 * timed_.size());
  if (capture_ != nullptr || slot + 2 > options_.region.timestamp_slots) return std::nullopt;
  timed_.push_back({name, slot});
  return slot;
}

// The dispatcher waits until `count` cores have finished.
void CommandQueue::wait_for_cores(uint32_t count) {
  if (static_cast<int32_t>(count - waited_) <= 0) return;
  send(cq::wait(wire::kWaitStream, wire::kFirstStream, count));
  waited_ = count;
}

// Everything behind this is executed after the last program's end.
void CommandQueue::close_programs() {
  wait_for_cores(launched_);
  if (end_slot_) send_timestamp(*end_slot_);
  end_slot_.reset();
}

void CommandQueue::reset_counts() {
  close_programs();
  if (launched_ != 0 || capture_ != nullptr) {
    send(cq::wait(wire::kWaitStream | wire::kWaitClearStream, wire::kFirstStream, launched_));
  }
  launched_ = waited_ = 0;
  area_busy_[0] = area_busy_[1] = 0;
}

void CommandQueue::launch_one_by_one(const LaunchPlan& plan, const std::string& name) {
  reset_counts();
  const std::optional<uint32_t> slot = open_time(name);
  if (slot) send_timestamp(*slot);
  const auto commands = cq::lower(
      plan, chip_.layout(), go_message(arch::RunMessage::kGo), [&](arch::NocCoord core) { return next_slot(core); },
      options_.subordinate);
  for (const cq::Command& command : commands) send(command);
  go_table_ = plan.cores;
  if (slot) send_timestamp(*slot + 1);
}

// What the program needs is written while the one before it still runs, every other time into the second half of the
// kernel-config area, to which `plan` is then moved. The go signal waits for the cores of the one before.
void CommandQueue::launch_overlapped(LaunchPlan& plan, const std::string& name) {
  const arch::FirmwareLayout& layout = chip_.layout();
  const auto cores = static_cast<uint32_t>(plan.cores.size());
  if (launched_ + cores > kClearCountAt) reset_counts();
  const uint32_t half = (layout.unreserved - layout.kernel_config) / 2 & ~15u;
  const bool fits_half = plan.config_end() <= layout.kernel_config + half;
  const uint32_t area = next_area_;
  wait_for_cores(fits_half ? area_busy_[area] : std::max(area_busy_[0], area_busy_[1]));
  if (fits_half && area == 1) plan.move_up(half);
  const auto slot_of = [&](arch::NocCoord core) { return next_slot(core); };
  for (const cq::Command& command : cq::lower_writes(plan, layout, slot_of)) send(command);

  const std::optional<uint32_t> slot = open_time(name);
  const arch::GoMessage go = go_message(arch::RunMessage::kGo);
  const uint32_t before = launched_;
  if (options_.subordinate) {
    std::vector<cq::Command> commands;
    cq::lower_subordinate_go(commands, plan.cores, go, before);
    for (const cq::Command& command : commands) send(command);
    close_programs();
    if (slot) send_timestamp(*slot);
  } else {
    send(cq::wait(wire::kWaitBarrier));
    const auto workers = chip_.workers();
    const bool all = service_->multicast_go() && workers.size() == plan.cores.size() &&
                     std::is_permutation(workers.begin(), workers.end(), plan.cores.begin());
    if (!all && (capture_ != nullptr || go_table_ != plan.cores)) {
      send(cq::set_go_signal_noc_data(plan.cores));
      go_table_ = plan.cores;
    }
    close_programs();
    const cq::Bytes signal = all ? cq::send_go_signal_multicast(go, 0, before) : cq::send_go_signal(go, cores, 0, before);
    // In one record: else the signal would come later than its time by a fetch from host memory.
    send(slot ? cq::behind(timestamp(*slot), signal) : signal);
  }
  launched_ += cores;
  if (fits_half) {
    area_busy_[area] = launched_;
    next_area_ = 1 - area;
  } else {
    area_busy_[0] = area_busy_[1] = launched_;
  }
  if (slot) end_slot_ = *slot + 1;
}

void CommandQueue::launch(const Program& program, LaunchPlan plan) {
  if (options_.overlap) {
    launch_overlapped(plan, program.name());
  } else {
    launch_one_by_one(plan, program.name());
  }
  RunningProgram running(program, plan);
  if (capture_ != nullptr) {
    for (arch::NocCoord core : plan.cores) ++capture_->launches[core];
    capture_->programs.push_back(std::move(running));
  } else {
    for (arch::NocCoord core : plan.cores) chip_.launched_by_device(core);
    outstanding_.push_back({{std::move(running)}, nullptr, next_event_});
  }
}

void CommandQueue::enqueue(const Program& program) {
  guarded([&] {
    chip_.check(program);
    LaunchPlan plan = plan_launch(program);
    for (arch::NocCoord core : plan.cores) {
      for (uint32_t i = 0; i < chip_.queues(); ++i) {
        const arch::DispatchPair pair = chip_.dispatch_pair(i);
        if (core == pair.prefetch || core == pair.dispatch) {
          host_error(fmt::format("program '{}': core ({},{}) belongs to a command queue", program.name(), core.x,
                                 core.y));
        }
      }
    }
    launch(program, std::move(plan));
  });
}

void CommandQueue::begin_trace() {
  guarded([&] {
    require_no_capture("begin_trace()");
    if (options_.subordinate) host_error("a queue with a subordinate records no traces");
    reset_counts();
    capture_ = std::make_unique<Capture>();
  });
}

Trace CommandQueue::end_trace() {
  return guarded([&] {
    if (capture_ == nullptr) host_error("end_trace() without begin_trace()");
    reset_counts();  // a replay leaves the counter as it found it
    go_table_.clear();
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
        std::move(buffer), commands.size(), std::move(capture->launches), std::move(capture->programs)});
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
    const std::optional<uint32_t> slot = open_time(fmt::format("trace of {} programs", state.programs.size()));
    if (slot) send_timestamp(*slot);
    push(cq::exec_buf(state.buffer.address(), kTracePageLog2, state.buffer.pages()), {}, true);
    if (slot) send_timestamp(*slot + 1);
    go_table_.clear();
    for (const auto& [core, launches] : state.launches) chip_.set_launch_slot(core, launches);
    outstanding_.push_back({state.programs, trace.state_, next_event_});
  });
}

}  // namespace kerr::host
