// What commands that run programs show and keep of a run: --utilisation, --trace, --heat-map, --record, --snapshot,
// --state-hash, --check, --prints, --explain. One set of options for all of them; jobs/observation.hpp does the work.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/checking.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/process.hpp"
#include "cli/report_file.hpp"
#include "cli/reports.hpp"
#include "cli/syntax/syntax.hpp"
#include "jobs/observation.hpp"
#include "report/json.hpp"

namespace kerr::cli {

struct ObservingOptions {
  /// Under the heading "Output". What it excludes and needs is declared before it: DeviceOptions.
  void declare(Syntax& syntax);
  /// --explain, which excludes what declare() has declared, and `others`.
  void declare_explain(Syntax& syntax, std::initializer_list<const char*> others = {});

  /// What the job is to observe. Throws std::invalid_argument for what cannot be asked for together.
  jobs::Observing observing(const DeviceOptions& device) const;
  /// Adds the files that are read, and those that are written.
  void add_inputs(std::vector<NamedFile>& inputs) const { checking.add_inputs(inputs); }
  void add_outputs(std::vector<NamedFile>& outputs) const;

  TimelineRequest timeline;
  std::string report;  // a file; empty: none
  jobs::RecordingSpec recording;
  CheckingOptions checking;
  std::string prints;
  bool state_hash = false;
  bool hang_history = false;
  bool explain = false;
};

/// The log of a run that had to be interrupted is what one wants to replay: a signal finishes it before it ends the
/// process.
class Interruptible final : public Progress {
 public:
  /// `log`: the recording's, or empty. `failed`: is given what was checked of a run that fails.
  /// `watched`: what was watched of it.
  Interruptible(const std::string& log, std::function<void(const check::Report&)> failed,
                std::function<void(const jobs::RunShown&)> watched);
  // Does not return if there was a signal: destructors would wait for the device.
  void window_passed(emu::Machine& machine, jobs::Recording& recording) override;
  void checked_until_it_failed(const check::Report& report) override { failed_(report); }
  void watched_until_it_failed(const jobs::RunShown& run) override { watched_(run); }
  void end_if_interrupted() const;

 private:
  const std::string& log_;
  std::function<void(const check::Report&)> failed_;
  std::function<void(const jobs::RunShown&)> watched_;
  std::optional<DeferInterrupts> interrupts_;
};

/// One run of a job. Made before it: a file that cannot be written is refused at once.
class ObservedRun {
 public:
  /// `device`: that it will run on. `title`: of its pictures, "kerr matmul 512 512 512".
  ObservedRun(const ObservingOptions& options, const jobs::DeviceSpec& device, std::string title)
      : options_(options),
        device_(device),
        title_(std::move(title)),
        files_(options.timeline),
        report_(options.report),
        check_(options.checking) {}

  /// What `run(jobs::Listener&)` returns, with what happens told on standard error.
  template <class Run>
  auto operator()(Run&& run) {
    Interruptible progress(
        options_.recording.log, [this](const check::Report& report) { write_until_it_failed(report); },
        [this](const jobs::RunShown& watched) { watched_ = watched; });
    try {
      auto outcome = std::forward<Run>(run)(static_cast<jobs::Listener&>(progress));
      progress.end_if_interrupted();
      return outcome;
    } catch (const std::exception& error) {
      report_failure(error);
      throw;
    }
  }

  /// Says the remarks and what the checker has found, and writes trace, heat map and report. `failure`, `account`: of a
  /// run that did not end as it should, a sentence and the device's lines.
  void write(const jobs::Observation& seen, const std::string& failure = {}, const std::string& account = {});
  /// Throws what kept log or snapshot from being written. Called last: it costs nothing of the report.
  void check_recording(const jobs::Observation& seen) const;
  /// The exit status of a run that would end with `status`: that of --check-exit if it would be 0 and the checker has
  /// found an error.
  int status(int status, const jobs::Observation& seen) const;

 private:
  // Says what keeps it from being written: the run's own failure is told behind.
  void write_until_it_failed(const check::Report& report);

  // The report of a run that has failed.
  void report_failure(const std::exception& error);

  const ObservingOptions& options_;
  const jobs::DeviceSpec& device_;
  const std::string title_;
  TimelineFiles files_;
  ReportFile report_;
  CheckOutput check_;
  std::optional<jobs::RunShown> watched_;  // until it failed, as the next one
  std::optional<check::Report> checked_;
};

/// State hash, counts of events, utilisation, as far as they were asked for. Lines are indented by two.
std::string text(const jobs::Observation& seen);
/// The same as members of `json`, and what was executed.
void add_observation(report::Json& json, const jobs::Observation& seen);

}  // namespace kerr::cli
