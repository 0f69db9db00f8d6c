#include "cli/matmul.hpp"

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

#include "cli/explain.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/messages.hpp"
#include "cli/profile.hpp"
#include "cli/progress.hpp"
#include "cli/remarks.hpp"
#include "cli/verdict.hpp"
#include "cli/version.hpp"
#include "emu/machine/machine.hpp"

namespace kerr::cli {

namespace {

using jobs::MatmulOutcome;

// What cannot be asked for together.
void check(const MatmulRequest& r) {
  if (r.timeline.any() && !r.job.device.emulator.exact_timing) {
    throw std::invalid_argument(
        "'--utilisation', '--trace' and '--heat-map' need '--timing exact': relaxed cycles are no time");
  }
  if (r.job.repeat > 1 && r.job.launch == jobs::Launch::Overlapped)
    throw std::invalid_argument(
        "'--repeat' needs '--launch small-writes' or 'whole-writes': other launches have no time of their own");
  const NamedFile inputs[] = {{"--library", r.job.device.library}, {"--timing-parameters", r.device.timing_parameters_file}};
  const NamedFile outputs[] = {{"--save-queue", r.save_queue},
                               {"--record", r.job.recording.log},
                               {"--snapshot", r.job.recording.snapshot},
                               {"--trace", r.timeline.trace},
                               {"--heat-map", r.timeline.heat_map}};
  check_files(inputs, outputs);
}

// The log of a run that had to be interrupted is what one wants to replay.
class Interruptible final : public Progress {
 public:
  explicit Interruptible(const std::string& log) : log_(log) {
    if (!log.empty()) interrupts_.emplace();
  }

  // Does not return if there was a signal: destructors would wait for the device.
  void window_passed(emu::Machine& machine, jobs::Recording& recording) override {
    if (interrupts_->signal() == 0) return;
    try {
      recording.finish_log();
      say(fmt::format("interrupted at device cycle {}: '{}' holds the run up to there, for 'kerr replay'\n{}",
                      machine.now(), log_, emu::text(machine.waits())));
    } catch (const std::exception& error) {
      say(error.what());
    }
    end_by(interrupts_->signal());
  }

  void end_if_interrupted() const {
    if (interrupts_ && interrupts_->signal() != 0) end_by(interrupts_->signal());
  }

 private:
  const std::string& log_;
  std::optional<DeferInterrupts> interrupts_;
};

std::string formats(const kernels::MatmulOptions& o) {
  return o.in == o.out ? std::string(info(o.in).name) : fmt::format("{} to {}", info(o.in).name, info(o.out).name);
}
std::string_view accumulation(const kernels::MatmulOptions& o) {
  return o.int8() ? "int32" : o.dst32() ? "fp32" : o.in == kernels::Format::Fp16 ? "fp16" : "bf16";
}

void print_text(const MatmulOutcome& o, bool slow_dispatch) {
  const kernels::MatmulPlan& p = o.plan;
  const graph::Agreement& a = o.agreement;
  fmt::print("matmul {}{}, {}, {} fidelity phases, {} accumulation\n",
             p.batch() == 1 ? "" : fmt::format("{} times ", p.batch()), p.requested().text(), formats(p.options),
             static_cast<int>(p.options.fidelity), accumulation(p.options));
  if (p.options.epilogue)
    fmt::print("  epilogue      {}{}\n", p.options.epilogue->expression.text(), p.operands() != 0 ? ", $1 a row" : "");
  fmt::print("  board         {} ({})\n", o.board, o.device);
  fmt::print("  plan          {}\n", p.text());
  fmt::print("  cores         {} of {} workers\n", p.cores(), o.workers);
  fmt::print("  dispatch      {}\n",
             slow_dispatch ? "slow: the host writes every core" : "fast: command queue, prefetcher, dispatcher");
  fmt::print("  boot          {:.0f} ms, {} device cycles\n", o.boot_s * 1e3, o.boot_cycles);
  fmt::print("  device        {} cycles = {:.1f} us at {} MHz {}\n", o.device_cycles, o.microseconds(o.device_cycles),
             o.clock_mhz,
             o.timing == "relaxed" ? "(relaxed timing: one cycle an instruction, not a time)" : "from go to done");
  fmt::print("  with dispatch {} cycles = {:.1f} us{}\n", o.total_cycles, o.microseconds(o.total_cycles),
             o.launches.size() > 1 ? fmt::format(", the quickest of {} launches", o.launches.size()) : "");
  fmt::print("  host          {:.2f} s for the launch, {:.2f} s in all\n", o.run_s, o.wall_s);
  fmt::print("{}", agreement_text(a));
  fmt::print("  hash          {:016x}\n", o.hash);
  if (o.state_hash != 0) fmt::print("  state hash    {:016x}\n", o.state_hash);
  if (o.observed) {
    fmt::print(
        "  observed from power-on to the result, without what polling harts skip (--no-parking executes it):\n{}",
        report::text(*o.observed, "    "));
  }
  if (o.profile) fmt::print("  profile, in device cycles:\n{}", text(*o.profile, "    "));
  if (o.timeline) fmt::print("  utilisation:\n{}", text(*o.timeline, "    "));
  fmt::print("{}\n", verdict_text(a, {.product = true, .fp32 = p.options.dst32(), .fidelity = p.options.fidelity}));
}

report::Json launches_json(const MatmulOutcome& o) {
  report::Json json = report::Json::array();
  for (const jobs::LaunchTime& l : o.launches)
    json.push_back({{"device_us", o.microseconds(l.device_cycles)}, {"total_us", o.microseconds(l.total_cycles)}});
  return json;
}

void print_json(const MatmulOutcome& o, bool slow_dispatch) {
  const kernels::MatmulPlan& p = o.plan;
  report::Json json;
  add_verdict(json, o.agreement);
  json.update({
      {"hash", fmt::format("{:016x}", o.hash)},
      {"rounding_pcc", o.agreement.rounding ? report::Json(o.agreement.rounding->pcc) : report::Json()},
      {"requested", kerr::cli::json(p.requested())},
      {"executed", kerr::cli::json(p.executed())},
      {"batch", p.batch()},
      {"cores", p.cores()},
      {"workers", o.workers},
      {"grid", {p.grid_rows, p.grid_columns}},
      {"mvmuls", p.mvmuls()},
      {"executed_mvmuls", o.executed.mvmuls},
      {"executed_tensix_instructions", o.executed.tensix_instructions},
      {"executed_hart_instructions", o.executed.hart_instructions},
      {"remarks", o.remarks.kinds.size()},
      {"fidelity", static_cast<int>(p.options.fidelity)},
      {"fp32_accumulate", p.options.fp32_accumulate},
      {"in", info(p.options.in).name},
      {"out", info(p.options.out).name},
      {"epilogue", p.options.epilogue ? report::Json(p.options.epilogue->expression.text()) : report::Json()},
      {"slow_dispatch", slow_dispatch},
      {"timing", o.timing.empty() ? report::Json() : report::Json(o.timing)},
      {"device", o.device},
      {"board", o.board},
      {"boot_s", o.boot_s},
      {"boot_cycles", o.boot_cycles},
      {"device_cycles", o.device_cycles},
      {"device_us", o.microseconds(o.device_cycles)},
      {"total_cycles", o.total_cycles},
      {"total_us", o.microseconds(o.total_cycles)},
      {"launches", launches_json(o)},
      {"calibrated", o.timing == "exact"},
      {"run_s", o.run_s},
      {"wall_s", o.wall_s},
  });
  if (o.state_hash != 0) json["state_hash"] = fmt::format("{:016x}", o.state_hash);
  if (o.profile) json["profile"] = kerr::cli::json(*o.profile);
  if (o.observed) json["observed"] = report::json(*o.observed);
  if (o.timeline) json["utilisation"] = kerr::cli::json(*o.timeline);
  write_json(json);
}

}  // namespace

int matmul_command(MatmulRequest request) {
  jobs::MatmulJob& job = request.job;
  job.device = request.device.spec;
  job.watch = request.timeline.any() ? jobs::Watch::Timeline
              : request.device.observe ? jobs::Watch::Events
                                       : jobs::Watch::Nothing;
  check(request);
  if (request.explain) return explain(job, request.json);
  job.keep_queue = !request.save_queue.empty();
  OutputFile queue_file(request.save_queue);
  TimelineFiles timeline_files(request.timeline);
  const MatmulOutcome outcome = [&] {
    Interruptible progress(job.recording.log);
    MatmulOutcome out = jobs::run(job, progress);
    progress.end_if_interrupted();
    return out;
  }();
  say_remarks(outcome.remarks);
  if (outcome.ended_before_snapshot) {
    say(fmt::format("the run ended at device cycle {}, before --snapshot-at {}: '{}' is of its end",
                    *outcome.ended_before_snapshot, job.recording.snapshot_at, job.recording.snapshot));
  }
  queue_file.write(outcome.queue_memory);
  queue_file.finish();
  if (outcome.timeline) {
    const auto [m, n, k] = job.shape;
    timeline_files.write(*outcome.timeline, outcome.clock_mhz,
                         fmt::format("kerr matmul {} {} {}: {} cycles", m, n, k,
                                     outcome.timeline->utilisation.end - outcome.timeline->utilisation.begin),
                         job.device.emulator.board.harvesting);
  }
  request.json ? print_json(outcome, job.slow_dispatch) : print_text(outcome, job.slow_dispatch);
  return outcome.agreement.good() ? 0 : 1;
}

}  // namespace kerr::cli
