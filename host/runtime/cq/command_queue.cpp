#include "host/runtime/cq/command_queue.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "arch/profiler.hpp"
#include "host/runtime/cq/guarded.hpp"
#include "host/runtime/cq/prefetch_commands.hpp"

namespace kerr::host {

namespace wire = arch::cq;

namespace {

// Entries of the prefetch queue that are read back at once when room is wanted.
constexpr uint32_t kSlotsPerLook = 64;

// Largest record; the issue region must hold several of them.
constexpr uint32_t kSmallestIssueBytes = 4 * cq::kRecordLimitBytes;

// Offset of a completion page's event id behind the echoed command header.
constexpr uint32_t kEventIdOffset = sizeof(wire::WriteLinearHHost);

const QueueOptions& checked(const QueueOptions& options, const Chip& chip) {
  const wire::HostRegion& r = options.region;
  if (r.issue_bytes < kSmallestIssueBytes || r.issue_bytes % wire::kPcieAlign != 0 ||
      r.completion_bytes < 2 * wire::kPageBytes || r.completion_bytes % wire::kPageBytes != 0 ||
      r.issue_bytes > (1u << 30) || r.completion_bytes > (1u << 30) || r.timestamp_slots > (1u << 20) ||
      r.core_timing_slots > (1u << 20)) {
    host_error(
        fmt::format("command queue: a host region with {} issue bytes, {} completion bytes, {} and {} timestamp "
                    "slots; wanted are at least {} issue bytes in multiples of {} and whole completion pages",
                    r.issue_bytes, r.completion_bytes, r.timestamp_slots, r.core_timing_slots, kSmallestIssueBytes,
                    wire::kPcieAlign));
  }
  if (options.index >= chip.queues()) {
    host_error(fmt::format("queue {}; the chip was made with {} (ChipOptions::queues)", options.index, chip.queues()));
  }
  if (options.split && (options.index != 0 || chip.queues() != wire::kMaxQueues)) {
    host_error(fmt::format("a split queue takes both pairs of a chip with two queues; this is queue {} of {}",
                           options.index, chip.queues()));
  }
  return options;
}

}  // namespace

CommandQueue::CommandQueue(Chip& chip, const QueueOptions& options)
    : chip_(chip),
      options_(checked(options, chip)),
      claim_(chip, options_.split ? (1u << wire::kMaxQueues) - 1 : 1u << options_.index),
      region_(chip.device(), options.region.total_bytes()),
      issue_(options.region.issue_bytes, wire::kPrefetchQEntries),
      completion_(region_.noc_local() + options.region.completion_offset(), options.region.completion_bytes) {
  region_.store(wire::kHostCompletionQWr, completion_.pointer());
  region_.store(wire::kHostCompletionQRd, completion_.pointer());
  service_.emplace(chip_, region_.noc_address(), options_.region,
                   cq::QueueService::Options{options_.subordinate, options_.split, options_.index});
  arm_cores(options_.core_times);
  wait(record_event());
  // Whoever holds the lock waits, and drains, itself. What is wrong with a page is the business of this queue's next call.
  chip_.set_drain(options_.index, [this] {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || !dead_.empty()) return;
    try {
      drain_completions();
    } catch (const DeviceError&) {
    }
  });
}

CommandQueue::~CommandQueue() {
  chip_.set_drain(options_.index, {});
  if (!dead_.empty()) return;
  try {
    capture_.reset();
    close_programs();
    if (options_.subordinate) send({cq::terminate(), wire::Dispatcher::DispatchS});
    send(cq::terminate());
    push(cq::prefetch_terminate());  // alone in its record: prefetch_h looks at the first command only
    await_progress("end of the command queue", [&] {
      drain_completions();
      return service_->has_ended();
    });
    if (options_.core_times) arm_cores(false);
  } catch (const DeviceError&) {  // the service then holds its tiles in reset before the region goes
  }
}

// What a kernel of a program has done wrong; of several programs the one that certainly has it.
std::optional<ProgramFault> CommandQueue::find_fault(const DeviceStatus& status) const {
  std::optional<ProgramFault> found;
  for (const Outstanding& o : outstanding_) {
    for (const RunningProgram& program : *o.programs) {
      std::optional<ProgramFault> fault = explain_fault(program, status);
      if (fault && (!found || (fault->certain && !found->certain))) found = std::move(fault);
    }
  }
  return found;
}

// What the oldest program that has cores at work is doing.
std::string CommandQueue::explain_stuck(const DeviceStatus& status) {
  for (const Outstanding& o : outstanding_) {
    for (const RunningProgram& program : *o.programs) {
      const std::string text = explain(
          program, [this](arch::NocCoord core) { return chip_.is_idle(core); }, status);
      if (!text.empty()) return text;
    }
  }
  return {};
}

void CommandQueue::die(const DeviceError& error) {
  dead_ = error.summary();
  std::string report;
  bool firmware_error = false;
  try {
    drain_completions();  // what has come back is the caller's
  } catch (const DeviceError&) {  // up to the page that is wrong
  }
  std::string sentence = error.sentence();
  try {
    const DeviceStatus status = chip_.device().status();
    if (const std::optional<ProgramFault> fault = find_fault(status)) {
      sentence = fault->sentence + " (the host was waiting for: " + sentence.substr(0, sentence.find(": ")) + ")";
      dead_ = std::string(category_name(error.category())) + ": " + sentence;
      report = fault->lines;
    } else {
      report = explain_stuck(status);
      const size_t name_end = report.find(" is stuck:\n");
      if (name_end != std::string::npos) {
        sentence = report.substr(0, name_end) + " has not finished: " + sentence;
        dead_ = std::string(category_name(error.category())) + ": " + sentence;
      }
    }
    report += service_->describe();
    firmware_error = service_->has_error();
  } catch (const DeviceError&) {  // a faulted device may not answer; its own report says enough
  }
  report += error.report();
  dead_report_ = report;
  throw DeviceError(firmware_error ? Category::Protocol : error.category(), sentence, report);
}

void CommandQueue::await_progress(const std::string& what, const std::function<bool()>& condition) {
  const auto others_too = [&] {
    chip_.drain_others(options_.index);
    return condition();
  };
  await(chip_.device(), what, others_too, options_.stall, [&] { return service_->progress(); });
}

void CommandQueue::retire_consumed() {
  while (issue_.pending() != 0) {
    const uint32_t first = issue_.oldest_slot();
    const uint32_t count = std::min({issue_.pending(), wire::kPrefetchQEntries - first, kSlotsPerLook});
    uint16_t slots[kSlotsPerLook];
    chip_.io().read(service_->prefetch_tile(), wire::kPrefetchQ + wire::kPrefetchQEntryBytes * first,
                    std::as_writable_bytes(std::span(slots, count)));
    uint32_t consumed = 0;
    while (consumed < count && slots[consumed] == 0) {
      issue_.retire();
      ++consumed;
    }
    if (consumed < count) return;
  }
}

void CommandQueue::make_room(uint32_t bytes) {
  if (issue_.fits(bytes)) return;
  await_progress("room in the command queue", [&] {
    drain_completions();  // a full completion ring would block the device, and with it this wait
    retire_consumed();
    return issue_.fits(bytes);
  });
}

// Commands for the prefetcher, padded to their strides. Those of one call are one record as far as its limit goes: one
// entry, one read of host memory.
void CommandQueue::add(std::span<const std::byte> commands) {
  if (batch_.size() + commands.size() > cq::kRecordLimitBytes) flush();
  batch_.insert(batch_.end(), commands.begin(), commands.end());
  if (!options_.overlap) flush();
}

void CommandQueue::flush() {
  if (batch_.empty()) return;
  write_record(batch_, {}, false);
  batch_.clear();
}

void CommandQueue::push(std::span<const std::byte> record, std::span<const std::byte> more, bool stall) {
  flush();
  write_record(record, more, stall);
}

// `record` and `more` are one record, padded with zeros to a multiple of 64.
void CommandQueue::write_record(std::span<const std::byte> record, std::span<const std::byte> more, bool stall) {
  const size_t used = record.size() + more.size();
  const auto size = static_cast<uint32_t>((used + wire::kPcieAlign - 1) / wire::kPcieAlign * wire::kPcieAlign);
  if (capture_ != nullptr) {
    cq::Bytes& commands = capture_->commands;
    commands.insert(commands.end(), record.begin(), record.end());
    commands.insert(commands.end(), more.begin(), more.end());
    commands.resize(commands.size() + size - used);
    return;
  }
  make_room(size);
  const cq::IssueRing::Place place = issue_.push(size);
  std::byte* to = region_.bytes().data() + options_.region.issue_offset() + place.offset;
  std::memcpy(to, record.data(), record.size());
  if (!more.empty()) std::memcpy(to + record.size(), more.data(), more.size());
  std::memset(to + used, 0, size - used);
  region_.store(wire::kHostIssueQWr, issue_.write_offset() / 16);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // bytes before the entry
  chip_.io().write16(service_->prefetch_tile(), wire::kPrefetchQ + wire::kPrefetchQEntryBytes * place.slot,
                     cq::queue_entry({to, size}, stall));
  ++records_;
  record_bytes_ += size;
}

// One completion page: the next piece of a read, or the header of a read or an event.
void CommandQueue::take_page(const std::byte* page, uint32_t written) {
  const auto take = [&](std::span<const std::byte> bytes) {
    const cq::PendingRead& read = reads_.front();
    const uint64_t left = read.length + sizeof(wire::WriteLinearHHost) - read_position_;
    const auto n = static_cast<size_t>(std::min<uint64_t>(left, bytes.size()));
    read.take(read_position_ - sizeof(wire::WriteLinearHHost), bytes.first(n));
    read_position_ += n;
    if (n == left) {
      reads_.pop_front();
      read_position_ = 0;
    }
  };
  if (read_position_ != 0) return take({page, wire::kPageBytes});

  wire::WriteLinearHHost header;
  std::memcpy(&header, page, sizeof header);
  const auto refuse = [&] {
    throw DeviceError(Category::Protocol,
                      fmt::format("completion queue: neither event {} nor data that were asked for (write pointer "
                                  "{:#x}, id {}, is_event {}, length {})",
                                  reached_event_ + 1, written, header.id, header.is_event, uint64_t{header.length}));
  };
  if (!completion_.is_possible(written) || header.id != static_cast<uint8_t>(wire::DispatchId::WriteLinearHHost) ||
      header.is_event > 1) {
    refuse();
  }
  if (header.is_event == 0) {
    if (reads_.empty() || header.length != reads_.front().length + sizeof header ||
        header.pad2 != reads_.front().tag) {
      refuse();
    }
    read_position_ = sizeof header;
    return take({page + sizeof header, wire::kPageBytes - sizeof header});
  }
  if (header.length != sizeof header + wire::kEventBytes) refuse();
  uint32_t id;
  std::memcpy(&id, page + kEventIdOffset, sizeof id);
  if (id != reached_event_ + 1) {
    throw DeviceError(Category::Protocol,
                      fmt::format("completion queue: event {} came where {} was expected", id, reached_event_ + 1));
  }
  reached_event_ = id;
  if (!partial_events_.empty() && partial_events_.front() == id) {  // others may still run
    partial_events_.pop_front();
    return;
  }
  while (!outstanding_.empty() && static_cast<int32_t>(id - outstanding_.front().before_event) >= 0) {
    outstanding_.pop_front();
  }
}

// Takes what is there; the device gets its pages back every few pages, so that it never waits for long.
void CommandQueue::drain_completions() {
  constexpr uint32_t kPagesAtOnce = 64;
  uint32_t taken = 0;
  const auto give_back = [&] {
    if (taken == 0) return;
    taken = 0;
    region_.store(wire::kHostCompletionQRd, completion_.pointer());
    chip_.io().write32(service_->completion_tile(), wire::kDevCompletionQRdPtr, completion_.pointer());
  };
  for (uint32_t written; completion_.has_page(written = region_.load(wire::kHostCompletionQWr));) {
    take_page(region_.bytes().data() + (completion_.page_address() - region_.noc_local()), written);
    completion_.pop_page();
    if (++taken == kPagesAtOnce) give_back();
  }
  give_back();
}

CommandQueue::Event CommandQueue::record_event_locked() {
  close_programs();
  since_event_ = 0;
  return send_event();
}

CommandQueue::Event CommandQueue::send_event() {
  const uint32_t id = next_event_;
  if (chip_.queues() > 1 && !options_.split) {  // the other queue's dispatcher may wait for it (11.5)
    std::byte word[4];
    std::memcpy(word, &id, sizeof id);
    std::vector<arch::NocCoord> dispatchers;
    for (uint32_t i = 0; i < chip_.queues(); ++i) dispatchers.push_back(chip_.dispatch_pair(i).dispatch);
    send(cq::wait(wire::kWaitBarrier));
    send(cq::write_packed_shared(wire::PackedType::Event,
                                 options_.index == 0 ? wire::kCq0LastEvent : wire::kCq1LastEvent, dispatchers, word));
  }
  send(cq::host_event(id));
  ++next_event_;
  return {id};
}

// Ids wrap: "has passed" is a signed difference (11.4).
void CommandQueue::wait_locked(Event event) {
  flush();
  await_progress(fmt::format("event {}", event.id), [&] {
    drain_completions();
    return has_passed(event);
  });
}

bool CommandQueue::was_reached_before_death(Event event) {
  std::lock_guard lock(mutex_);
  return !dead_.empty() && has_passed(event);
}

CommandQueue::Event CommandQueue::record_event() {
  return guarded([&] {
    require_no_capture("record_event()");
    return record_event_locked();
  });
}

CommandQueue::Event CommandQueue::record_event(uint32_t sub_device) {
  return guarded([&] {
    require_no_capture("record_event()");
    if (sub_device_of_.empty() || sub_device >= groups_.size()) {
      host_error(fmt::format("sub-device {}; there are {} (set_sub_devices())", sub_device,
                             sub_device_of_.empty() ? 0 : groups_.size()));
    }
    close_group(sub_device);
    partial_events_.push_back(next_event_);
    return send_event();
  });
}

bool CommandQueue::is_reached(Event event) {
  if (was_reached_before_death(event)) return true;
  return guarded([&] {
    drain_completions();
    return has_passed(event);
  });
}

void CommandQueue::wait(Event event) {
  if (was_reached_before_death(event)) return;
  guarded([&] {
    if (static_cast<int32_t>(event.id - next_event_.load()) >= 0) {
      host_error(fmt::format("event {} has not been recorded", event.id));
    }
    wait_locked(event);
  });
}

void CommandQueue::wait_for(const CommandQueue& other, Event event) {
  guarded([&] {
    require_no_capture("wait_for()");
    if (&other.chip_ != &chip_ || &other == this) host_error("wait_for(): not another queue of the same chip");
    if (static_cast<int32_t>(event.id - other.next_event_.load()) >= 0) {
      host_error(fmt::format("event {} has not been recorded", event.id));
    }
    send(cq::wait(wire::kWaitMemory, 0, event.id,
                  other.options_.index == 0 ? wire::kCq0LastEvent : wire::kCq1LastEvent));
  });
}

void CommandQueue::require_no_capture(const char* what) const {
  if (capture_ != nullptr) host_error(fmt::format("{} while a trace is recorded", what));
}

void CommandQueue::collect_times() {
  auto clock = [&](uint32_t slot) {
    const uint64_t at = options_.region.timestamp_offset() + wire::kTimestampSlotBytes * slot;
    return region_.load(at) | static_cast<uint64_t>(region_.load(at + 4)) << 32;
  };
  for (const Timed& t : timed_)
    times_.push_back({t.name, clock(t.start), clock(t.end), clock(t.first), core_times(t.row)});
  timed_.clear();
  rows_used_ = 0;
  next_time_slot_ = 0;
}

// Tells every worker where its times go; or that nobody wants them.
void CommandQueue::arm_cores(bool armed) {
  if (!armed && !options_.core_times) return;
  const auto workers = chip_.workers();
  for (size_t i = 0; i < workers.size(); ++i) {
    arch::profiler::Control control;
    if (armed) {
      control.armed = arch::profiler::kArmed;
      control.noc_xy_addr = wire::kPcieNocXyAddr;
      control.base = region_.noc_local() + options_.region.core_timing_offset();
      control.core_bytes = wire::kTimestampSlotBytes;
      control.core = static_cast<uint32_t>(i);
      control.row_bytes = wire::kTimestampSlotBytes * static_cast<uint32_t>(workers.size());
    }
    chip_.io().write(workers[i], arch::profiler::kControl, std::as_bytes(std::span(&control, 1)));
  }
}

// The times of the cores that ran the program; frees their slots.
std::vector<CommandQueue::ProgramTime::Core> CommandQueue::core_times(uint32_t row) {
  std::vector<ProgramTime::Core> out;
  if (row == 0) return out;
  const auto workers = chip_.workers();
  for (size_t i = 0; i < workers.size(); ++i) {
    uint64_t times[2];
    std::byte* slot = region_.bytes().data() + options_.region.core_timing_offset() +
                      wire::kTimestampSlotBytes * ((row - 1) * workers.size() + i);
    std::memcpy(times, slot, sizeof times);
    std::memset(slot, 0, sizeof times);
    if (times[1] != 0) out.push_back({workers[i], times[0], times[1]});
  }
  return out;
}

std::vector<CommandQueue::ProgramTime> CommandQueue::finish() {
  return guarded([&] {
    require_no_capture("finish()");
    wait_locked(record_event_locked());
    collect_times();
    return std::exchange(times_, {});
  });
}

}  // namespace kerr::host
