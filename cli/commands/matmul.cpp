// kerr matmul: two random matrices, their product on the device, and what float64 says of it.

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cli/commands/commands.hpp"
#include "cli/explain.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/process.hpp"
#include "cli/reports.hpp"
#include "cli/verdict.hpp"
#include "cli/version.hpp"
#include "emu/machine/machine.hpp"
#include "jobs/matmul.hpp"
#include "report/json.hpp"

namespace kerr::cli {

namespace {

using jobs::MatmulOutcome;

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

class Matmul final : public Command {
  void declare(Syntax& syntax) override {
    syntax.number("M", job_.shape.m, "rows of A and C", 1, kernels::kLargestSize).required();
    syntax.number("N", job_.shape.n, "columns of B and C", 1, kernels::kLargestSize).required();
    syntax.number("K", job_.shape.k, "columns of A, rows of B", 1, kernels::kLargestSize).required();
    device_.declare(syntax);
    declare_product(syntax);
    declare_launch(syntax);
    declare_output(syntax);
    syntax.footer(
        "Examples:\n"
        "  kerr matmul 512 512 512\n"
        "  kerr matmul 2048 2048 2048 --plan compat --explain\n"
        "  kerr matmul 32 3776 64 --plan direct  # one tile column on each of 118 cores\n"
        "  kerr matmul 512 768 512 --bias --epilogue \"gelu(x)\"\n"
        "  kerr matmul 256 96 160 --board p150 --fidelity hifi4 --fp32\n"
        "  kerr matmul 256 256 256 --in int8 --out int32\n"
        "  kerr matmul 512 512 512 --noc-reorder=7\n"
        "  kerr matmul 512 512 512 --timing exact --utilisation --trace run.json --heat-map links.svg\n"
        "  kerr matmul 256 256 256 --record run.log --snapshot half.snap --snapshot-at 20000\n"
        "Exit status: 0 verified, or right as far as it can be told; 1 wrong; 2 could not be run.");
  }

  void declare_product(Syntax& syntax) {
    using enum kernels::Format;
    syntax.group("Product");
    add_seed(syntax, job_.seed);
    add_fidelity(syntax, job_.options, &job_.fidelity_given);
    add_format(syntax, "--in", job_.options.in, {Fp32, Fp16, Bf16, Bfp8, Bfp4, Int8},
               "format of A and B (default: bf16); fp32 becomes tf32 in the matrix unit");
    add_format(syntax, "--out", job_.options.out, {Fp32, Fp16, Bf16, Bfp8, Bfp4, Int32},
               "format of C (default: bf16)");
    syntax.number("--batch", job_.options.batch,
                  "so many products of different matrices in one launch (default 1)", 1, kernels::kLargestBatch);
    syntax.flag("--bias", job_.bias, "add a random row to each row of the product");
    syntax
        .text("--epilogue", job_.epilogue,
              "an expression of x that is computed of each element before it leaves Dst, after the bias: \"gelu(x)\"; "
              "'kerr eval --operations' lists what it may contain")
        .called("EXPRESSION");
  }

  void declare_launch(Syntax& syntax) {
    syntax.group("Plan and launch");
    add_cores(syntax, job_.cores);
    add_plan(syntax, job_.planner);
    syntax.flag("--slow-dispatch", job_.slow_dispatch, "the host writes every core itself, without the command queue");
    syntax
        .choice("--launch", job_.launch,
                {{"overlapped", jobs::Launch::Overlapped},
                 {"small-writes", jobs::Launch::SmallWrites},
                 {"whole-writes", jobs::Launch::WholeWrites}},
                "overlapped (default): a program is written while the one before it runs; small-writes: one command "
                "after another, data in pieces of 1 KiB with a barrier after each, as blackhole-py's host wrote the "
                "programs whose times on silicon are known; whole-writes: uncut and with one barrier, as another "
                "revision of that host")
        .excludes({"--slow-dispatch"});
    syntax
        .number("--repeat", job_.repeat,
                "with --launch small-writes or whole-writes: queue so many launches at once and report the quickest "
                "(default: 3, as the benchmark of that host did)",
                1, 1000)
        .excludes({"--slow-dispatch"});
  }

  void declare_output(Syntax& syntax) {
    syntax.group("Output");
    syntax
        .output_file("--save-queue", save_queue_,
                     "write the command queue's host memory to this file, for 'kerr cq dump --region'")
        .excludes({"--slow-dispatch"});
    syntax.group("Output", {"--library", "--device"});
    syntax.output_file("--record", job_.recording.log,
                       "write all that the device is told to this file, for 'kerr replay'; Ctrl-C ends it properly, "
                       "and a killed run leaves FILE.part");
    syntax.output_file("--snapshot", job_.recording.snapshot, "write a snapshot of the device to this file");
    syntax
        .number("--snapshot-at", job_.recording.snapshot_at,
                "at the first chance from this device cycle on (default: at the end)")
        .needs("--snapshot");
    syntax.group("Output", {"--library", "--device", "--observe"});
    syntax.flag("--utilisation", timeline_.utilisation,
                "print how busy units, links and DRAM banks were, what harts and threads waited for, and the critical "
                "path; needs --timing exact");
    syntax.output_file("--trace", timeline_.trace,
                       "write a trace of all harts, threads, units and links to this file, for ui.perfetto.dev; needs "
                       "--timing exact");
    syntax.output_file("--heat-map", timeline_.heat_map,
                       "draw how busy the links of both NoCs were to this SVG file; needs --timing exact");
    syntax.group("Output");
    syntax
        .flag("--profile", job_.profile,
              "print when each core ran and where its harts' time went; the marks cost a little of it")
        .excludes({"--slow-dispatch", "--repeat"});
    syntax.flag("--state-hash", job_.hash_state,
                "print a hash of the whole chip's state after the run: equal for equal runs");
    // Nothing is run that the others could show, or on another device.
    syntax.flag("--explain", explain_, "only say what would be run, and why")
        .excludes({"--save-queue", "--record", "--snapshot", "--trace", "--heat-map", "--state-hash", "--library",
                   "--device"});
    syntax.flag("--json", json_, "print the report as JSON");
  }

  int run() override {
    job_.device = device_.spec;
    job_.watch = timeline_.any() ? jobs::Watch::Timeline
                : device_.observe ? jobs::Watch::Events
                                         : jobs::Watch::Nothing;
    check();
    if (explain_) return explain(job_, json_);
    job_.keep_queue = !save_queue_.empty();
    OutputFile queue_file(save_queue_);
    TimelineFiles timeline_files(timeline_);
    const MatmulOutcome outcome = [&] {
      Interruptible progress(job_.recording.log);
      MatmulOutcome out = jobs::run(job_, progress);
      progress.end_if_interrupted();
      return out;
    }();
    say_remarks(outcome.remarks);
    if (outcome.ended_before_snapshot) {
      say(fmt::format("the run ended at device cycle {}, before --snapshot-at {}: '{}' is of its end",
                      *outcome.ended_before_snapshot, job_.recording.snapshot_at, job_.recording.snapshot));
    }
    queue_file.write(outcome.queue_memory);
    queue_file.finish();
    if (outcome.timeline) {
      const auto [m, n, k] = job_.shape;
      timeline_files.write(*outcome.timeline, outcome.clock_mhz,
                           fmt::format("kerr matmul {} {} {}: {} cycles", m, n, k,
                                       outcome.timeline->utilisation.end - outcome.timeline->utilisation.begin),
                           job_.device.emulator.boards.front().harvesting);
    }
    json_ ? print_json(outcome, job_.slow_dispatch) : print_text(outcome, job_.slow_dispatch);
    return outcome.agreement.good() ? 0 : 1;
  }

  // What cannot be asked for together.
  void check() const {
    if (timeline_.any() && !job_.device.emulator.exact()) {
      throw std::invalid_argument(
          "'--utilisation', '--trace' and '--heat-map' need '--timing exact': relaxed cycles are no time");
    }
    if (job_.repeat > 1 && job_.launch == jobs::Launch::Overlapped)
      throw std::invalid_argument(
          "'--repeat' needs '--launch small-writes' or 'whole-writes': other launches have no time of their own");
    const NamedFile inputs[] = {{"--library", job_.device.library}, {"--timing-parameters", device_.timing_parameters_file}};
    const NamedFile outputs[] = {{"--save-queue", save_queue_},
                                 {"--record", job_.recording.log},
                                 {"--snapshot", job_.recording.snapshot},
                                 {"--trace", timeline_.trace},
                                 {"--heat-map", timeline_.heat_map}};
    check_files(inputs, outputs);
  }

  jobs::MatmulJob job_;
  DeviceOptions device_;
  TimelineRequest timeline_;
  std::string save_queue_;  // the queue's host region goes to this file
  bool explain_ = false;    // run nothing
};

}  // namespace

std::unique_ptr<Command> make_matmul() { return std::make_unique<Matmul>(); }

}  // namespace kerr::cli
