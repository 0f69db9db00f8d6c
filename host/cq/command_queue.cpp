#include "host/cq/command_queue.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "host/cq/lowering.hpp"
#include "host/cq/prefetch_commands.hpp"

namespace kerr::host {

namespace wire = arch::cq;

namespace {

// Entries of the prefetch queue that are read back at once when room is wanted.
constexpr uint32_t kSlotsPerLook = 64;

// Largest record; the issue region must hold several of them.
constexpr uint32_t kSmallestIssueBytes = 4 * cq::kRecordLimitBytes;

// Offset of a completion page's event id behind the echoed command header.
constexpr uint32_t kEventIdOffset = sizeof(wire::WriteLinearHHost);

const QueueOptions& checked(const QueueOptions& options) {
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
  return options;
}

}  // namespace

CommandQueue::CommandQueue(Chip& chip, const QueueOptions& options)
    : chip_(chip),
      options_(checked(options)),
      region_(chip.device(), options.region.total_bytes()),
      issue_(options.region.issue_bytes, wire::kPrefetchQEntries),
      completion_(region_.noc_local() + options.region.completion_offset(), options.region.completion_bytes) {
  region_.store(wire::kHostCompletionQWr, completion_.pointer());
  region_.store(wire::kHostCompletionQRd, completion_.pointer());
  service_.emplace(chip_, region_.noc_address(), options_.region, options_.subordinate);
  wait(record_event());
}

CommandQueue::~CommandQueue() {
  if (!dead_.empty()) return;
  try {
    if (options_.subordinate) push(cq::record(cq::terminate(), wire::Dispatcher::kDispatchS));
    push(cq::record(cq::terminate()));
    push(cq::prefetch_terminate());
    service_->await_end(options_.stall);
  } catch (const DeviceError&) {  // the service then holds its tiles in reset before the region goes
  }
}

// Runs under the lock; whatever is wrong with the device ends the queue's life.
template <class Body>
auto CommandQueue::guarded(Body&& body) {
  std::lock_guard lock(mutex_);
  if (!dead_.empty()) throw DeviceError(Category::kProtocol, "the command queue is dead since: " + dead_);
  try {
    return body();
  } catch (const DeviceError& error) {
    if (error.category() != Category::kHostError) die(error);
    throw;
  }
}

// What the oldest program that has cores at work is doing.
std::string CommandQueue::explain_stuck() {
  const DeviceStatus status = chip_.device().status();
  for (const Outstanding& o : outstanding_) {
    const std::string text = explain(
        o.program, [this](arch::NocCoord core) { return chip_.is_idle(core); }, status);
    if (!text.empty()) return text;
  }
  return {};
}

void CommandQueue::die(const DeviceError& error) {
  dead_ = error.what();
  std::string report;
  bool firmware_error = false;
  try {
    report = explain_stuck() + service_->describe();
    firmware_error = service_->has_error();
  } catch (const DeviceError&) {  // a faulted device may not answer; its own report says enough
  }
  report += error.report();
  const std::string sentence = dead_.substr(dead_.find(": ") + 2);
  throw DeviceError(firmware_error ? Category::kProtocol : error.category(), sentence, report);
}

void CommandQueue::await_progress(const std::string& what, const std::function<bool()>& condition) {
  await(chip_.device(), what, condition, options_.stall, [&] { return service_->progress(); });
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

void CommandQueue::push(std::span<const std::byte> record) {
  make_room(static_cast<uint32_t>(record.size()));
  const cq::IssueRing::Place place = issue_.push(static_cast<uint32_t>(record.size()));
  std::memcpy(region_.bytes().data() + options_.region.issue_offset() + place.offset, record.data(), record.size());
  region_.store(wire::kHostIssueQWr, issue_.write_offset() / 16);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // bytes before the entry
  chip_.io().write16(service_->prefetch_tile(), wire::kPrefetchQ + wire::kPrefetchQEntryBytes * place.slot,
                     cq::queue_entry(record));
  ++records_;
  record_bytes_ += record.size();
}

void CommandQueue::drain_completions() {
  while (true) {
    const uint32_t written = region_.load(wire::kHostCompletionQWr);
    if (!completion_.has_page(written)) return;
    const std::byte* page = region_.bytes().data() + (completion_.page_address() - region_.noc_local());
    wire::WriteLinearHHost header;
    uint32_t id;
    std::memcpy(&header, page, sizeof header);
    std::memcpy(&id, page + kEventIdOffset, sizeof id);
    completion_.pop_page();
    region_.store(wire::kHostCompletionQRd, completion_.pointer());
    chip_.io().write32(service_->dispatch_tile(), wire::kDevCompletionQRdPtr, completion_.pointer());
    if (!completion_.is_possible(written) || header.id != static_cast<uint8_t>(wire::DispatchId::kWriteLinearHHost) ||
        header.is_event != 1 || header.length != sizeof header + wire::kEventBytes) {
      throw DeviceError(Category::kProtocol,
                        fmt::format("completion queue: no event where event {} was expected (write pointer {:#x}, id "
                                    "{}, is_event {}, length {})",
                                    reached_event_ + 1, written, header.id, header.is_event, uint64_t{header.length}));
    }
    if (id != reached_event_ + 1) {
      throw DeviceError(Category::kProtocol,
                        fmt::format("completion queue: event {} came where {} was expected", id, reached_event_ + 1));
    }
    reached_event_ = id;
    while (!outstanding_.empty() && static_cast<int32_t>(id - outstanding_.front().before_event) >= 0) {
      outstanding_.pop_front();
    }
  }
}

CommandQueue::Event CommandQueue::record_event_locked() {
  push(cq::record(cq::host_event(next_event_)));
  return {next_event_++};
}

// Ids wrap: "has passed" is a signed difference (11.4).
void CommandQueue::wait_locked(Event event) {
  await_progress(fmt::format("event {}", event.id), [&] {
    drain_completions();
    return static_cast<int32_t>(reached_event_ - event.id) >= 0;
  });
}

CommandQueue::Event CommandQueue::record_event() {
  return guarded([&] { return record_event_locked(); });
}

bool CommandQueue::is_reached(Event event) {
  return guarded([&] {
    drain_completions();
    return static_cast<int32_t>(reached_event_ - event.id) >= 0;
  });
}

void CommandQueue::wait(Event event) {
  guarded([&] {
    if (static_cast<int32_t>(event.id - next_event_) >= 0) {
      host_error(fmt::format("event {} has not been recorded", event.id));
    }
    wait_locked(event);
  });
}

void CommandQueue::enqueue(const Program& program) {
  guarded([&] {
    chip_.check(program);
    const LaunchPlan plan = plan_launch(program);
    for (arch::NocCoord core : plan.cores) {
      if (core == service_->prefetch_tile() || core == service_->dispatch_tile()) {
        host_error(
            fmt::format("program '{}': core ({},{}) belongs to the command queue", program.name(), core.x, core.y));
      }
    }
    const arch::NocCoord dispatcher = service_->dispatch_tile();
    const std::vector<cq::Command> commands = cq::lower(
        plan, chip_.layout(), {.master_x = dispatcher.x, .master_y = dispatcher.y},
        [&](arch::NocCoord core) { return chip_.launch_slot(core); }, options_.subordinate);
    const auto slot = static_cast<uint32_t>(2 * timed_.size());
    outstanding_.push_back({RunningProgram(program, plan), next_event_});
    const bool is_timed = slot + 2 <= options_.region.timestamp_slots;
    auto slot_address = [&](uint32_t i) {
      return region_.noc_local() + options_.region.timestamp_offset() + wire::kTimestampSlotBytes * i;
    };
    if (is_timed) push(cq::record(cq::timestamp(slot_address(slot))));
    for (const cq::Command& command : commands) push(cq::record(command.payload, command.to));
    for (arch::NocCoord core : plan.cores) chip_.launched_by_device(core);
    if (is_timed) {
      push(cq::record(cq::timestamp(slot_address(slot + 1))));
      timed_.push_back({program.name(), slot});
    }
  });
}

void CommandQueue::collect_times() {
  auto clock = [&](uint32_t slot) {
    const uint64_t at = options_.region.timestamp_offset() + wire::kTimestampSlotBytes * slot;
    return region_.load(at) | static_cast<uint64_t>(region_.load(at + 4)) << 32;
  };
  for (const Timed& t : timed_) times_.push_back({t.name, clock(t.slot), clock(t.slot + 1)});
  timed_.clear();
}

std::vector<CommandQueue::ProgramTime> CommandQueue::finish() {
  return guarded([&] {
    wait_locked(record_event_locked());
    collect_times();
    return std::exchange(times_, {});
  });
}

void CommandQueue::write(const Buffer& buffer, std::span<const std::byte> bytes, uint64_t offset) {
  guarded([&] {
    wait_locked(record_event_locked());
    collect_times();
    chip_.write(buffer, bytes, offset);
  });
}

void CommandQueue::read(const Buffer& buffer, std::span<std::byte> out, uint64_t offset) {
  guarded([&] {
    wait_locked(record_event_locked());
    collect_times();
    chip_.read(buffer, out, offset);
  });
}

}  // namespace kerr::host
