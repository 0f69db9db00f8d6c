#include "jobs/observation.hpp"

#include <exception>
#include <stdexcept>

#include "prints/environment.hpp"

namespace kerr::jobs {

void check(const Observing& observing, const DeviceSpec& device) {
  const RecordingSpec& recording = observing.recording;
  const bool any = observing.watch != Watch::Nothing || observing.hash_state || !recording.log.empty() ||
                   !recording.snapshot.empty() || observing.check.watching.on() || observing.hang_history ||
                   !observing.prints.empty();
  if (any && !device.is_emulated())
    throw std::invalid_argument(
        "only the emulator can be watched, recorded, hashed and checked, shows prints and keeps a history");
  if ((observing.watch == Watch::Timeline || observing.utilisation) && !device.emulator.exact())
    throw std::invalid_argument("a timeline needs exact timing: relaxed cycles are no time");
}

namespace {

std::unique_ptr<prints::Printer> printer_of(const Observing& observing, const DeviceSpec& spec) {
  if (observing.prints.empty()) return nullptr;
  return prints::printer_to(observing.prints == "-" ? "" : observing.prints, spec.emulator.boards);
}

DeviceSpec with(prints::Printer* printer, DeviceSpec spec) {
  if (printer != nullptr) spec.emulator.prints = printer;
  return spec;
}

}  // namespace

ObservedDevice::ObservedDevice(const DeviceSpec& spec, const Observing& observing, Listener& listener)
    : observing_(observing),
      listener_(listener),
      parameters_(spec.emulator.parameters),
      printer_(printer_of(observing, spec)),
      device_(open(with(printer_.get(), spec), observing.watch, observing.check.watching, observing.hang_history)),
      recording_(device_.emulated, observing.recording, listener) {}

ObservedDevice::~ObservedDevice() {
  if (printer_ && !finished_) printer_->finish();
  if (finished_) return;
  try {
    if (observing_.check.watching.on()) listener_.checked_until_it_failed(checked());
    if (device_.profile) {
      const auto& launches = device_.profile->launches();
      listener_.watched_until_it_failed(shown(launches.empty() ? 0 : launches.back().cycle, device_.cycles()));
    }
  } catch (const std::exception&) {  // no memory: what made the run fail is told
  }
}

check::Report ObservedDevice::checked() const {
  return check::report_of(device_.emulated->findings(), observing_.check.rules.get(), observing_.check.baseline.get());
}

Observation ObservedDevice::look(uint64_t begin, uint64_t end) const {
  Observation seen{.executed = device_.executed(), .remarks = device_.remarks()};
  if (observing_.hash_state && device_.emulated) seen.state_hash = device_.emulated->state_hash();
  if (device_.events) seen.observed = device_.events->total();
  if (device_.profile && begin < end) seen.shown = shown(begin, end);
  if (device_.timeline && begin < end && (!device_.profile || observing_.utilisation)) {
    seen.timeline = {device_.timeline, report::utilisation(*device_.timeline, begin, end, parameters_),
                     report::critical_path(*device_.timeline, begin, end)};
  }
  return seen;
}

RunShown ObservedDevice::shown(uint64_t begin, uint64_t end) const {
  return {device_.timeline, device_.profile, begin, end};
}

void ObservedDevice::finish(Observation& seen) {
  finished_ = true;
  if (printer_) printer_->finish();
  if (observing_.check.watching.on()) seen.check = checked();
  if (recording_.waits_for_snapshot()) seen.ended_before_snapshot = device_.cycles();
  try {
    recording_.finish();
  } catch (const std::exception&) {
    seen.recording_error = std::current_exception();
  }
}

}  // namespace kerr::jobs
