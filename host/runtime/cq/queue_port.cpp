#include "host/runtime/cq/queue_port.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "arch/bytes.hpp"
#include "host/runtime/cq/prefetch_commands.hpp"
#include "host/runtime/notes.hpp"

namespace kerr::host::cq {

namespace wire = arch::cq;

namespace {

// Entries of the prefetch queue that are read back at once when room is wanted.
constexpr uint32_t kSlotsPerLook = 64;

// Largest record; the issue region must hold several of them.
constexpr uint32_t kSmallestIssueBytes = 4 * kRecordLimitBytes;

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

QueuePort::QueuePort(Chip& chip, const QueueOptions& options)
    : chip_(chip),
      options_(checked(options, chip)),
      claim_(chip.ledger().claim_queues(options_.split ? (1u << wire::kMaxQueues) - 1 : 1u << options_.index)),
      region_(chip.device(), options.region.total_bytes()),
      issue_(options.region.issue_bytes, wire::kPrefetchQEntries),
      ring_(region_.noc_local() + options.region.completion_offset(), options.region.completion_bytes) {
  region_.store(wire::kHostCompletionQWr, ring_.pointer());
  region_.store(wire::kHostCompletionQRd, ring_.pointer());
  service_.emplace(chip_, region_.noc_address(), options_);
}

// Whoever holds the lock waits, and drains, itself. What is wrong with a page is the business of this queue's next
// call.
void QueuePort::drain_for_others(bool on) {
  if (!on) return chip_.ledger().set_drain(options_.index, {});
  chip_.ledger().set_drain(options_.index, [this] {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || is_dead()) return;
    try {
      drain();
    } catch (const DeviceError&) {
    }
  });
}

void QueuePort::add(std::span<const std::byte> commands) {
  if (batch_.size() + commands.size() > kRecordLimitBytes) flush();
  batch_.insert(batch_.end(), commands.begin(), commands.end());
  if (!options_.overlap) flush();
}

void QueuePort::push(std::span<const std::byte> commands, std::span<const std::byte> data, bool stall) {
  flush();
  write_record(commands, data, stall);
}

void QueuePort::flush() {
  if (batch_.empty()) return;
  write_record(batch_, {}, false);
  batch_.clear();
}

void QueuePort::write_record(std::span<const std::byte> commands, std::span<const std::byte> data, bool stall) {
  const size_t used = commands.size() + data.size();
  const auto size = static_cast<uint32_t>((used + wire::kPcieAlign - 1) / wire::kPcieAlign * wire::kPcieAlign);
  if (diverted_ != nullptr) {
    diverted_->insert(diverted_->end(), commands.begin(), commands.end());
    diverted_->insert(diverted_->end(), data.begin(), data.end());
    diverted_->resize(diverted_->size() + size - used);
    return;
  }
  make_room(size);
  const IssueRing::Place place = issue_.push(size);
  std::byte* to = region_.bytes().data() + options_.region.issue_offset() + place.offset;
  std::memcpy(to, commands.data(), commands.size());
  if (!data.empty()) std::memcpy(to + commands.size(), data.data(), data.size());
  std::memset(to + used, 0, size - used);
  region_.store(wire::kHostIssueQWr, issue_.write_offset() / 16);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // bytes before the entry
  chip_.io().write16(service_->prefetch_tile(), wire::kPrefetchQ + wire::kPrefetchQEntryBytes * place.slot,
                     queue_entry({to, size}, stall));
  ++records_;
  record_bytes_ += size;
}

void QueuePort::make_room(uint32_t bytes) {
  if (issue_.fits(bytes)) return;
  await_progress("room in the command queue", [&] {
    drain();  // a full completion ring would block the device, and with it this wait
    retire_consumed();
    return issue_.fits(bytes);
  });
}

void QueuePort::retire_consumed() {
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

void QueuePort::drain() {
  constexpr uint32_t kPagesAtOnce = 64;
  uint32_t taken = 0;
  const auto give_back = [&] {
    if (taken == 0) return;
    taken = 0;
    region_.store(wire::kHostCompletionQRd, ring_.pointer());
    chip_.io().write32(service_->completion_tile(), wire::kDevCompletionQRdPtr, ring_.pointer());
  };
  for (uint32_t written; ring_.has_page(written = region_.load(wire::kHostCompletionQWr));) {
    const auto page = region_.bytes().subspan(ring_.page_address() - region_.noc_local(), wire::kPageBytes);
    completions_.take(page, written, ring_.is_possible(written));
    for (const uint64_t launch : in_flight_.retire(completions_.finished())) say_ended(chip_.device(), launch);
    ring_.pop_page();
    if (++taken == kPagesAtOnce) give_back();
  }
  give_back();
}

uint32_t QueuePort::send_event(bool partial) {
  const uint32_t id = next_event_;
  if (partial) {
    completions_.expect_partial(id);
  } else {
    launches_since_event_ = 0;
  }
  if (chip_.queues() > 1 && !options_.split) {  // the other queue's dispatcher may wait for it (11.5)
    std::vector<arch::NocCoord> dispatchers;
    for (uint32_t i = 0; i < chip_.queues(); ++i) dispatchers.push_back(chip_.dispatch_pair(i).dispatch);
    send(cq::wait(wire::kWaitBarrier));
    send(write_packed_shared(wire::PackedType::Event, options_.index == 0 ? wire::kCq0LastEvent : wire::kCq1LastEvent,
                             dispatchers, arch::bytes_of(id)));
  }
  send(host_event(id));
  ++next_event_;
  return id;
}

void QueuePort::wait(uint32_t event) {
  flush();
  await_progress(fmt::format("event {}", event), [&] {
    drain();
    return has_reached(event);
  });
}

bool QueuePort::is_over(uint32_t event) {
  std::lock_guard lock(mutex_);
  return is_dead() && has_reached(event);
}

void QueuePort::end() {
  if (options_.subordinate) send({terminate(), wire::Dispatcher::DispatchS});
  send(terminate());
  push(prefetch_terminate());  // alone in its record: prefetch_h looks at the first command only
  await_progress("end of the command queue", [&] {
    drain();
    return service_->has_ended();
  });
}

void QueuePort::await_progress(const std::string& what, const std::function<bool()>& condition) {
  const auto others_too = [&] {
    chip_.ledger().drain_others(options_.index);
    return condition();
  };
  await(chip_.device(), what, others_too, options_.stall, [&] { return service_->progress(); });
}

void QueuePort::require_alive() const {
  if (!is_dead()) return;
  throw DeviceError(Category::Protocol, "the command queue is dead since: " + dead_, dead_report_);
}

void QueuePort::die(const DeviceError& error) {
  dead_ = error.summary();
  std::string report;
  bool firmware_error = false;
  try {
    drain();                      // what has come back is the caller's
  } catch (const DeviceError&) {  // up to the page that is wrong
  }
  std::string sentence = error.sentence();
  const auto say = [&](std::string text) {
    sentence = std::move(text);
    dead_ = std::string(category_name(error.category())) + ": " + sentence;
  };
  try {
    const DeviceStatus status = chip_.device().status();
    if (const std::optional<ProgramFault> fault = in_flight_.find_fault(status)) {
      say(fault->sentence + " (the host was waiting for: " + sentence.substr(0, sentence.find(": ")) + ")");
      report = fault->lines;
    } else {
      const auto is_idle = [this](arch::NocCoord core) { return chip_.is_idle(core); };
      const InFlight::Stuck stuck = in_flight_.explain(chip_.device(), is_idle, status);
      report = stuck.text;
      if (!report.empty()) say(fmt::format("program '{}' has not finished: {}", stuck.program, sentence));
    }
    report += service_->describe();
    firmware_error = service_->has_error();
  } catch (const DeviceError&) {  // a faulted device may not answer; its own report says enough
  }
  report += error.report();
  dead_report_ = report;
  throw DeviceError(firmware_error ? Category::Protocol : error.category(), sentence, report);
}

}  // namespace kerr::host::cq
