#include "host/runtime/cq/command_queue.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "host/runtime/cq/launcher.hpp"
#include "host/runtime/cq/queue_port.hpp"
#include "host/runtime/cq/time_slots.hpp"
#include "host/runtime/cq/transfers.hpp"

namespace kerr::host {

namespace wire = arch::cq;

struct CommandQueue::Parts {
  Parts(Chip& chip, const QueueOptions& options)
      : port(chip, options), times(port), transfers(port), launcher(port, transfers, times) {}

  cq::QueuePort port;
  cq::TimeSlots times;
  cq::Transfers transfers;
  cq::Launcher launcher;

  // A call that a trace cannot hold.
  template <class Body>
  auto outside_traces(const char* what, Body&& body) {
    return port.call([&] {
      if (launcher.is_recording()) host_error(fmt::format("{} while a trace is recorded", what));
      return body();
    });
  }
  void require_recorded(Event event) const {
    if (static_cast<int32_t>(event.id - port.next_event()) >= 0) {
      host_error(fmt::format("event {} has not been recorded", event.id));
    }
  }
  // Where the dispatchers of all queues keep this one's last event.
  uint32_t last_event_address() const { return port.options().index == 0 ? wire::kCq0LastEvent : wire::kCq1LastEvent; }
};

CommandQueue::CommandQueue(Chip& chip, const QueueOptions& options) : parts_(std::make_unique<Parts>(chip, options)) {
  parts_->times.arm_cores(true);
  wait(record_event());
  parts_->port.drain_for_others(true);
}

CommandQueue::~CommandQueue() {
  Parts& p = *parts_;
  p.port.drain_for_others(false);
  if (p.port.is_dead()) return;
  try {
    p.port.call([&] {
      p.launcher.drop_trace();
      p.launcher.close_all();
      p.port.end();
      p.times.arm_cores(false);
    });
  } catch (const DeviceError& error) {  // the service then holds its tiles in reset before the region goes
    if (const auto* const told = p.port.options().when_stuck) {
      (*told)(error);
    } else {
      std::fprintf(stderr, "kerr: a command queue does not end: %s\n", error.what());
    }
  }
}

void CommandQueue::enqueue(const Program& program) {
  parts_->port.call([&] { parts_->launcher.launch(program); });
}

CommandQueue::Event CommandQueue::record_event() {
  return parts_->outside_traces("record_event()", [&] { return Event{parts_->launcher.record_event()}; });
}

CommandQueue::Event CommandQueue::record_event(uint32_t sub_device) {
  return parts_->outside_traces("record_event()", [&] { return Event{parts_->launcher.record_event(sub_device)}; });
}

bool CommandQueue::is_reached(Event event) {
  if (parts_->port.is_over(event.id)) return true;
  return parts_->port.call([&] {
    parts_->port.drain();
    return parts_->port.has_reached(event.id);
  });
}

void CommandQueue::wait(Event event) {
  if (parts_->port.is_over(event.id)) return;
  parts_->port.call([&] {
    parts_->require_recorded(event);
    parts_->port.wait(event.id);
  });
}

void CommandQueue::wait_for(const CommandQueue& other, Event event) {
  parts_->outside_traces("wait_for()", [&] {
    if (&other.parts_->port.chip() != &parts_->port.chip() || &other == this) {
      host_error("wait_for(): not another queue of the same chip");
    }
    other.parts_->require_recorded(event);
    parts_->port.send(cq::wait(wire::kWaitMemory, 0, event.id, other.parts_->last_event_address()));
  });
}

void CommandQueue::set_sub_devices(std::span<const std::vector<arch::NocCoord>> groups) {
  parts_->outside_traces("set_sub_devices()", [&] { parts_->launcher.set_sub_devices(groups); });
}

std::vector<ProgramTime> CommandQueue::finish() {
  return parts_->outside_traces("finish()", [&] {
    parts_->port.wait(parts_->launcher.record_event());
    return parts_->times.collect();
  });
}

void CommandQueue::write(const Buffer& buffer, std::span<const std::byte> bytes, uint64_t offset) {
  parts_->outside_traces("write()", [&] {
    buffer.require_range(bytes.size(), offset);
    parts_->launcher.close_all();
    parts_->transfers.write(buffer, bytes, offset);
  });
}

CommandQueue::Event CommandQueue::enqueue_read(const Buffer& buffer, std::span<std::byte> out, uint64_t offset) {
  return parts_->outside_traces("enqueue_read()", [&] {
    buffer.require_range(out.size(), offset);
    parts_->launcher.close_all();
    parts_->transfers.settle_writes();
    parts_->transfers.read(buffer, out, offset);
    return Event{parts_->launcher.record_event()};
  });
}

void CommandQueue::read(const Buffer& buffer, std::span<std::byte> out, uint64_t offset) {
  wait(enqueue_read(buffer, out, offset));
}

void CommandQueue::begin_trace() {
  parts_->outside_traces("begin_trace()", [&] { parts_->launcher.begin_trace(); });
}

Trace CommandQueue::end_trace() {
  return parts_->port.call([&] { return parts_->launcher.end_trace(); });
}

void CommandQueue::replay(const Trace& trace) {
  parts_->outside_traces("replay()", [&] { parts_->launcher.replay(trace); });
}

std::span<const std::byte> CommandQueue::region() const { return parts_->port.region().bytes(); }
arch::cq::HostRegion CommandQueue::region_layout() const { return parts_->port.options().region; }
uint64_t CommandQueue::records() const { return parts_->port.records(); }
uint64_t CommandQueue::record_bytes() const { return parts_->port.record_bytes(); }

}  // namespace kerr::host
