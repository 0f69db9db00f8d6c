// What is to be seen and kept of a job's run, and what has been seen: the same for every job.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check/report/report.hpp"
#include "check/report/watching.hpp"
#include "jobs/device.hpp"
#include "jobs/listener.hpp"
#include "jobs/recording.hpp"
#include "prints/printer.hpp"
#include "report/event_counts.hpp"
#include "report/timeline/critical_path.hpp"
#include "report/timeline/timeline.hpp"
#include "report/timeline/utilisation.hpp"

namespace kerr::jobs {

/// Whether and how the checker looks for accesses that nothing orders, and what is known already.
struct CheckSpec {
  check::Watching watching{};
  std::shared_ptr<const check::RulesFile> rules{};    // nullptr: none
  std::shared_ptr<const check::Baseline> baseline{};  // likewise
};

/// What is to be observed of a run; only the emulator can. The run becomes slower, and the same happens at the same
/// cycles.
struct Observing {
  Watch watch = Watch::Nothing;  // a timeline: in exact timing only
  bool utilisation = false;      // with Watch::Run: what a timeline shows is looked at, too; in exact timing only
  bool hash_state = false;       // of the whole machine, at the end
  RecordingSpec recording{};
  CheckSpec check{};
  bool hang_history = false;  // a report of a hang tells what was done before it
  std::string prints{};       // where what kernels print goes: a file, "-" standard error; empty: nowhere
};

/// Throws std::invalid_argument for what the device cannot show.
void check(const Observing& observing, const DeviceSpec& device);

/// What a timeline of a stretch of time shows.
struct TimelineOutcome {
  std::shared_ptr<const report::Timeline> timeline;
  report::Utilisation utilisation;
  std::vector<report::PathSegment> path;
};

/// All that a report shows of a stretch of time.
struct RunShown {
  std::shared_ptr<const report::Timeline> timeline;
  std::shared_ptr<const report::Profile> profile;
  uint64_t begin = 0, end = 0;
};

struct Observation {
  Executed executed{};  // from power-on to the result; zero where the device does not tell
  Remarks remarks{};
  std::optional<report::Events> observed{};  // if it was asked for, as the next three
  std::optional<TimelineOutcome> timeline{};
  std::optional<RunShown> shown{};
  uint64_t state_hash = 0;
  std::optional<check::Report> check{};
  std::optional<uint64_t> ended_before_snapshot{};  // the cycle of the end, if before RecordingSpec::snapshot_at
  std::exception_ptr recording_error{};  // why log or snapshot could not be written at the end; null: they are whole
};

/// A device that is watched and recorded from power-on.
class ObservedDevice {
 public:
  /// Throws std::invalid_argument, host::DeviceError, and emu::SnapshotError if a recording cannot be written.
  /// `observing` and `listener` must outlive it.
  ObservedDevice(const DeviceSpec& spec, const Observing& observing, Listener& listener);
  /// Without finish() the run has failed: the listener is told what was checked and watched until then.
  ~ObservedDevice();
  ObservedDevice(const ObservedDevice&) = delete;
  ObservedDevice& operator=(const ObservedDevice&) = delete;

  const OpenDevice& operator*() const { return device_; }
  const OpenDevice* operator->() const { return &device_; }

  /// What there is to see when the last program has run. `begin` to `end`, in device cycles: what the timeline is
  /// looked at for; empty: nothing has run.
  Observation look(uint64_t begin, uint64_t end) const;
  /// Ends the recording and the check: without it the run counts as one that has failed. A disk that is full costs
  /// nothing of what was seen: `seen.recording_error`.
  void finish(Observation& seen);

 private:
  check::Report checked() const;
  RunShown shown(uint64_t begin, uint64_t end) const;

  const Observing& observing_;
  Listener& listener_;
  bool finished_ = false;
  const emu::timing::Parameters parameters_;
  const std::unique_ptr<prints::Printer> printer_;  // null: nobody listens
  const OpenDevice device_;
  Recording recording_;
};

}  // namespace kerr::jobs
