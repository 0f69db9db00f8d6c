#include "jobs/recording.hpp"

#include <fmt/format.h>

#include <exception>
#include <new>

#include "emu/machine/input_log.hpp"
#include "emu/machine/snapshot.hpp"
#include "jobs/device.hpp"
#include "notes/note_bytes.hpp"

namespace kerr::jobs {

Recording::Recording(host::EmulatedDevice* device, const RecordingSpec& spec, Listener& listener)
    : device_(device), spec_(spec), listener_(listener) {
  if (!spec.log.empty()) {
    recorder_ = std::make_unique<emu::InputRecorder>(device->machine(), spec.log);
    device->hear_notes([this, writer = std::make_shared<notes::NoteWriter>()](const arch::note::Note& note) {
      if (!finished_) recorder_->note(writer->bytes_of(note));
    });
  }
  if (spec.snapshot.empty() && spec.log.empty()) return;
  device->after_window([this](emu::Machine& machine) {
    if (!spec_.snapshot.empty() && machine.now() >= spec_.snapshot_at) save();
    if (recorder_) listener_.window_passed(machine, *this);
  });
}

Recording::~Recording() {
  if (device_) {
    device_->after_window({});
    device_->hear_notes({});
  }
  if (!recorder_ || finished_) return;
  try {
    recorder_->finish();
    listener_.note(fmt::format("'{}' holds the run up to where it failed, for 'kerr replay'", spec_.log));
  } catch (const std::bad_alloc&) {
    listener_.note(fmt::format("no memory is left to finish '{}'", spec_.log));
  } catch (const std::exception& error) {
    listener_.note(error.what());
  }
}

void Recording::finish_log() {
  finished_ = true;
  if (recorder_) recorder_->finish();
}

void Recording::finish() {
  std::exception_ptr error;
  try {
    if (!spec_.snapshot.empty()) save();
  } catch (const std::exception&) {
    error = std::current_exception();  // the log is whole all the same
  }
  finish_log();
  if (error) std::rethrow_exception(error);
}

bool Recording::waits_for_snapshot() const {
  return !spec_.snapshot.empty() && !saved_ && spec_.snapshot_at != RecordingSpec{}.snapshot_at;
}

void Recording::save() {
  if (saved_) return;
  emu::save_snapshot(device_->machine(), spec_.snapshot, cpus());
  saved_ = true;
}

}  // namespace kerr::jobs
