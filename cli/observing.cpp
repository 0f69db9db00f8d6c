#include "cli/observing.hpp"

#include <fmt/format.h>

#include <exception>
#include <stdexcept>
#include <utility>

#include "check/report/json.hpp"
#include "emu/machine/machine.hpp"
#include "host/error.hpp"

namespace kerr::cli {

void ObservingOptions::declare(Syntax& syntax) {
  syntax.group("Output", {"--library", "--device"});
  syntax.output_file("--record", recording.log,
                     "write all that the device is told to this file, for 'kerr replay'; Ctrl-C ends it properly, "
                     "and a killed run leaves FILE.part");
  syntax.output_file("--snapshot", recording.snapshot, "write a snapshot of the device to this file");
  syntax
      .number("--snapshot-at", recording.snapshot_at,
              "at the first chance from this device cycle on (default: at the end)")
      .needs("--snapshot");
  syntax.group("Output", {"--library", "--device", "--observe"});
  syntax.flag("--utilisation", timeline.utilisation,
              "print how busy units, links and DRAM banks were, what harts and threads waited for, and the critical "
              "path; needs --timing exact");
  syntax.output_file("--trace", timeline.trace,
                     "write a trace of all harts, threads, units and links to this file, for ui.perfetto.dev; needs "
                     "--timing exact");
  syntax.output_file("--heat-map", timeline.heat_map,
                     "draw how busy the links of both NoCs were to this SVG file; needs --timing exact");
  syntax.output_file("--report", report,
                     "write the whole run as a page for a browser to this file: what each tile did, both NoCs, a "
                     "timeline, source lines, findings, hangs; to a .json file what 'kerr report' makes the page of");
  syntax.group("Output", {"--library", "--device"});
  syntax.flag("--state-hash", state_hash, "print a hash of the whole chip's state after the run: equal for equal runs");
  syntax.optional_text("--prints", prints, "-", "[=FILE]",
                       "show what kernels print, with line, tile, hart and cycle, as it happens (default: on standard "
                       "error)");
  syntax.flag("--hang-history", hang_history,
              "remember what was done last: if the run hangs, the report says what was written over or beside the word "
              "that is waited for, and the last events of who is to blame. Slower; a check does it too");
  checking.declare(syntax);
}

void ObservingOptions::declare_explain(Syntax& syntax, std::initializer_list<const char*> others) {
  // Nothing is run that the others could show, or on another device.
  syntax.flag("--explain", explain, "only say what would be run, and why")
      .excludes({"--record", "--snapshot", "--trace", "--heat-map", "--report", "--state-hash", "--check", "--prints",
                 "--hang-history", "--library", "--device"})
      .excludes(others);
}

jobs::Observing ObservingOptions::observing(const DeviceOptions& device) const {
  if (timeline.any() && !device.spec.emulator.exact()) {
    throw std::invalid_argument(
        "'--utilisation', '--trace' and '--heat-map' need '--timing exact': relaxed cycles are no time");
  }
  return {.watch = !report.empty()  ? jobs::Watch::Run
                   : timeline.any() ? jobs::Watch::Timeline
                   : device.observe ? jobs::Watch::Events
                                    : jobs::Watch::Nothing,
          .utilisation = timeline.any(),
          .hash_state = state_hash,
          .recording = recording,
          .check = checking.spec(),
          .hang_history = hang_history,
          .prints = prints};
}

void ObservingOptions::add_outputs(std::vector<NamedFile>& outputs) const {
  outputs.push_back({"--record", recording.log});
  outputs.push_back({"--snapshot", recording.snapshot});
  outputs.push_back({"--trace", timeline.trace});
  outputs.push_back({"--heat-map", timeline.heat_map});
  if (prints != "-") outputs.push_back({"--prints", prints});
  outputs.push_back({"--report", report});
  checking.add_outputs(outputs);
}

Interruptible::Interruptible(const std::string& log, std::function<void(const check::Report&)> failed,
                             std::function<void(const jobs::RunShown&)> watched)
    : log_(log), failed_(std::move(failed)), watched_(std::move(watched)) {
  if (!log.empty()) interrupts_.emplace();
}

void Interruptible::window_passed(emu::Machine& machine, jobs::Recording& recording) {
  if (!interrupts_ || interrupts_->signal() == 0) return;
  try {
    recording.finish_log();
    say(fmt::format("interrupted at device cycle {}: '{}' holds the run up to there, for 'kerr replay'\n{}",
                    machine.now(), log_, emu::text(machine.waits())));
  } catch (const std::exception& error) {
    say(error.what());
  }
  end_by(interrupts_->signal());
}

void Interruptible::end_if_interrupted() const {
  if (interrupts_ && interrupts_->signal() != 0) end_by(interrupts_->signal());
}

void ObservedRun::write(const jobs::Observation& seen, const std::string& failure, const std::string& account) {
  say_remarks(seen.remarks);
  if (seen.check) check_.write(*seen.check, device_.emulator.boards);
  if (seen.ended_before_snapshot && !seen.recording_error) {
    say(fmt::format("the run ended at device cycle {}, before --snapshot-at {}: '{}' is of its end",
                    *seen.ended_before_snapshot, options_.recording.snapshot_at, options_.recording.snapshot));
  }
  if (seen.shown) {
    report_.write(*seen.shown,
                  {.title = title_,
                   .failure = failure,
                   .account = account,
                   .check = seen.check ? &*seen.check : nullptr,
                   .remarks = &seen.remarks},
                  device_);
  }
  if (!seen.timeline) return;
  const report::Utilisation& u = seen.timeline->utilisation;
  files_.write(*seen.timeline, device_.emulator.parameters.clock_mhz,
               fmt::format("{}: {} cycles", title_, u.end - u.begin), device_.emulator.boards.front().harvesting);
}

void ObservedRun::report_failure(const std::exception& error) {
  if (!watched_ || !report_.wanted()) return;
  const auto* device = dynamic_cast<const host::DeviceError*>(&error);
  try {
    report_.write(*watched_,
                  {.title = title_,
                   .failure = device != nullptr ? device->summary() : error.what(),
                   .account = device != nullptr ? device->report() : "",
                   .check = checked_ ? &*checked_ : nullptr},
                  device_);
  } catch (const std::exception& second) {  // what made the run fail is told behind
    say(second.what());
  }
}

void ObservedRun::write_until_it_failed(const check::Report& report) {
  checked_ = report;
  try {
    check_.write(report, device_.emulator.boards);
  } catch (const std::exception& error) {
    say(error.what());
  }
}

void ObservedRun::check_recording(const jobs::Observation& seen) const {
  if (seen.recording_error) std::rethrow_exception(seen.recording_error);
}

int ObservedRun::status(int status, const jobs::Observation& seen) const {
  return status == 0 && seen.check && seen.check->has_errors() ? options_.checking.exit_status : status;
}

std::string text(const jobs::Observation& seen) {
  std::string out;
  if (seen.state_hash != 0) out += fmt::format("  state hash    {:016x}\n", seen.state_hash);
  if (seen.observed) {
    out += "  observed from power-on to the result, without what polling harts skip (--no-parking executes it):\n" +
           report::text(*seen.observed, "    ");
  }
  if (seen.timeline) out += "  utilisation:\n" + text(*seen.timeline, "    ");
  return out;
}

void add_observation(report::Json& json, const jobs::Observation& seen) {
  json["executed_mvmuls"] = seen.executed.mvmuls;
  json["executed_tensix_instructions"] = seen.executed.tensix_instructions;
  json["executed_hart_instructions"] = seen.executed.hart_instructions;
  json["remarks"] = seen.remarks.kinds.size();
  if (seen.state_hash != 0) json["state_hash"] = fmt::format("{:016x}", seen.state_hash);
  if (seen.observed) json["observed"] = report::json(*seen.observed);
  if (seen.timeline) json["utilisation"] = kerr::cli::json(*seen.timeline);
  if (seen.check) json["check"] = check::summary_json(*seen.check);
}

}  // namespace kerr::cli
