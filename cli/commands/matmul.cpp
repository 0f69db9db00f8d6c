// kerr matmul: two matrices, random or given, their product on the device, and what float64 says of it.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/explain.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/observing.hpp"
#include "cli/options.hpp"
#include "cli/reports.hpp"
#include "cli/result.hpp"
#include "cli/verdict.hpp"
#include "cli/version.hpp"
#include "jobs/matmul.hpp"
#include "report/json.hpp"

namespace kerr::cli {

namespace {

using jobs::MatmulOutcome;

std::string formats(const kernels::MatmulOptions& o) {
  return o.in == o.out ? std::string(info(o.in).name) : fmt::format("{} to {}", info(o.in).name, info(o.out).name);
}
std::string_view accumulation(const kernels::MatmulOptions& o) {
  return o.int8() ? "int32" : o.dst32() ? "fp32" : o.in == kernels::Format::Fp16 ? "fp16" : "bf16";
}

void print_text(const MatmulOutcome& o, const jobs::MatmulJob& job) {
  const kernels::MatmulPlan& p = o.plan;
  const graph::Agreement& a = o.agreement;
  fmt::print("matmul {}{}, {}, {} fidelity phases, {} accumulation\n",
             p.batch() == 1 ? "" : fmt::format("{} times ", p.batch()), p.requested().text(), formats(p.options),
             static_cast<int>(p.options.fidelity), accumulation(p.options));
  if (p.options.epilogue)
    fmt::print("  epilogue      {}{}\n", p.options.epilogue->expression.text(), p.operands() != 0 ? ", $1 a row" : "");
  for (const auto& [name, own] : {std::pair{"A", &job.a}, {"B", &job.b}})
    if (*own) fmt::print("  operand {}     {}\n", name, jobs::text(**own));
  fmt::print("  board         {} ({})\n", o.board, o.device);
  fmt::print("  plan          {}\n", p.text());
  fmt::print("  cores         {} of {} workers\n", p.cores(), o.workers);
  fmt::print("  dispatch      {}\n",
             job.slow_dispatch ? "slow: the host writes every core" : "fast: command queue, prefetcher, dispatcher");
  fmt::print("  boot          {:.0f} ms, {} device cycles\n", o.boot_s * 1e3, o.boot_cycles);
  fmt::print("  device        {} cycles = {:.1f} us at {} MHz {}\n", o.device_cycles, o.microseconds(o.device_cycles),
             o.clock_mhz,
             o.timing == "relaxed" ? "(relaxed timing: one cycle an instruction, not a time)" : "from go to done");
  fmt::print("  with dispatch {} cycles = {:.1f} us{}\n", o.total_cycles, o.microseconds(o.total_cycles),
             o.launches.size() > 1 ? fmt::format(", the quickest of {} launches", o.launches.size()) : "");
  fmt::print("  host          {:.2f} s for the launch, {:.2f} s in all\n", o.run_s, o.wall_s);
  fmt::print("{}", agreement_text(a));
  fmt::print("  hash          {:016x}\n", o.hash);
  if (o.profile) fmt::print("  profile, in device cycles:\n{}", text(*o.profile, "    "));
  fmt::print("{}", text(static_cast<const jobs::Observation&>(o)));
  fmt::print("{}\n", verdict_text(a, {.product = true, .fp32 = p.options.dst32(), .fidelity = p.options.fidelity}));
}

report::Json launches_json(const MatmulOutcome& o) {
  report::Json json = report::Json::array();
  for (const jobs::LaunchTime& l : o.launches)
    json.push_back({{"device_us", o.microseconds(l.device_cycles)}, {"total_us", o.microseconds(l.total_cycles)}});
  return json;
}

void print_json(const MatmulOutcome& o, const jobs::MatmulJob& job) {
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
      {"fidelity", static_cast<int>(p.options.fidelity)},
      {"fp32_accumulate", p.options.fp32_accumulate},
      {"in", info(p.options.in).name},
      {"out", info(p.options.out).name},
      {"epilogue", p.options.epilogue ? report::Json(p.options.epilogue->expression.text()) : report::Json()},
      {"slow_dispatch", job.slow_dispatch},
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
  json["own_operands"] = report::Json::object();
  for (const auto& [name, own] : {std::pair{"a", &job.a}, {"b", &job.b}})
    if (*own) json["own_operands"][name] = kerr::cli::json(**own);
  if (o.profile) json["profile"] = kerr::cli::json(*o.profile);
  add_observation(json, o);
  write_json(json);
}

class Matmul final : public Command {
  void declare(Syntax& syntax) override {
    syntax.number("M", sizes_.m, "rows of A and C; as N and K it may be left out if a file says it", 1,
                  kernels::kLargestSize);
    syntax.number("N", sizes_.n, "columns of B and C", 1, kernels::kLargestSize);
    syntax.number("K", sizes_.k, "columns of A, rows of B", 1, kernels::kLargestSize);
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
        "  kerr matmul --a a.npy --b b.npy --out y.npy:fp32 --show\n"
        "  kerr matmul 512 512 512 --noc-reorder=7\n"
        "  kerr matmul 512 512 512 --timing exact --utilisation --trace run.json --heat-map links.svg\n"
        "  kerr matmul 256 256 256 --record run.log --snapshot half.snap --snapshot-at 20000\n"
        "  kerr matmul 512 512 512 --check --check-output report.json --check-format json\n"
        "Exit status: 0 verified, or right as far as it can be told; 1 wrong; 2 could not be run; with --check 3 an "
        "error of the checker.");
  }

  void declare_product(Syntax& syntax) {
    using enum kernels::Format;
    syntax.group("Product");
    add_seed(syntax, job_.seed);
    add_fidelity(syntax, job_.options, &job_.fidelity_given);
    add_format(syntax, "--in", job_.options.in, {Fp32, Fp16, Bf16, Bfp8, Bfp4, Int8},
               "format of A and B (default: bf16); fp32 becomes tf32 in the matrix unit");
    syntax
        .text(
            "--out", out_,
            "format of C: fp32, fp16, bf16 (default), bfp8, bfp4 or int32; or a .npy file to write it to, perhaps with "
            "its format: y.npy, y.npy:int32; -: to standard output, and the report to standard error")
        .called("FORMAT|FILE");
    syntax.input_file("--a", a_,
                      "the numbers of A, from a file that NumPy has saved or a pipe; -: from standard input");
    syntax.input_file("--b", b_, "those of B; of a batch both have three axes");
    syntax.number("--batch", batch_, "so many products of different matrices in one launch (default 1)", 1,
                  kernels::kLargestBatch);
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
    add_slow_dispatch(syntax, job_.slow_dispatch);
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
    syntax.flag("--json", json_, "print the report as JSON");
    result_.declare_show(syntax);
    syntax
        .output_file("--save-queue", save_queue_,
                     "write the command queue's host memory to this file, for 'kerr cq dump --region'")
        .excludes({"--slow-dispatch"});
    observing_.declare(syntax);
    syntax
        .flag("--profile", job_.profile,
              "print when each core ran and where its harts' time went; the marks cost a little of it")
        .excludes({"--slow-dispatch", "--repeat"});
    observing_.declare_explain(syntax, {"--save-queue", "--show"});
  }

  int run() override {
    job_.device = device_.spec;
    set_output();
    check();
    read_operands();
    set_sizes();
    if (observing_.explain) return explain(job_, json_);
    job_.keep_queue = !save_queue_.empty();
    OutputFile queue_file(save_queue_);
    Result result(result_);
    const auto [m, n, k] = job_.shape;
    ObservedRun watched(observing_, job_.device, fmt::format("kerr matmul {} {} {}", m, n, k));
    const MatmulOutcome outcome = watched([this](jobs::Listener& listener) { return jobs::run(job_, listener); });
    watched.write(outcome);
    queue_file.write(outcome.queue_memory);
    queue_file.finish();
    json_ ? print_json(outcome, job_) : print_text(outcome, job_);
    result.write(outcome.product, outcome.plan.batch());
    watched.check_recording(outcome);
    return watched.status(outcome.agreement.good() ? 0 : 1, outcome);
  }

  // --out is a format, a file, or both: "int32", "y.npy", "y.npy:int32".
  void set_output() {
    using enum kernels::Format;
    if (out_.empty()) return;
    const size_t colon = out_.rfind(':');
    const std::string last = colon == std::string::npos ? out_ : out_.substr(colon + 1);
    const auto format = kernels::format_named(last);
    const bool both = format && colon != std::string::npos;
    if (!format || both) result_.out = both ? out_.substr(0, colon) : out_;
    static constexpr kernels::Format kPossible[] = {Fp32, Fp16, Bf16, Bfp8, Bfp4, Int32};
    if (format && std::ranges::find(kPossible, *format) == std::end(kPossible))
      throw UsageError(fmt::format("--out: {} not in {{fp32,fp16,bf16,bfp8,bfp4,int32}}", last));
    if (format) job_.options.out = *format;
    if (!result_.out.empty() && !names_numbers(result_.out))
      throw UsageError(fmt::format(
          "--out: {} not in {{fp32,fp16,bf16,bfp8,bfp4,int32}}, and the name of a file ends in .npy or has a slash",
          result_.out));
    if (!result_.out.empty() && observing_.explain) throw UsageError("--out with a file excludes --explain");
  }

  void read_operands() {
    if (!a_.empty()) job_.a = jobs::read_numbers(a_, job_.options.in, job_.options.in);
    if (!b_.empty()) job_.b = jobs::read_numbers(b_, job_.options.in, job_.options.in);
  }

  // Sizes are what the command line and the files say, all of them the same.
  void set_sizes() {
    struct Said {
      std::string by;
      uint64_t size;
    };
    const auto agreed = [](const char* name, const std::vector<Said>& all) {
      if (all.empty()) throw UsageError(fmt::format("{} is required, as a number or from --a and --b", name));
      for (const Said& said : all)
        if (said.size != all[0].size)
          throw std::invalid_argument(
              fmt::format("{} is {} by {} and {} by {}", name, all[0].size, all[0].by, said.size, said.by));
      return all[0].size;
    };
    std::vector<Said> m, n, k, batch;
    const auto given = [](std::vector<Said>& all, std::optional<uint64_t> size) {
      if (size) all.push_back({"the command line", *size});
    };
    given(m, sizes_.m);
    given(n, sizes_.n);
    given(k, sizes_.k);
    given(batch, batch_);
    const auto add = [&batch](const std::optional<jobs::OwnNumbers>& own, const char* name, std::vector<Said>& rows,
                              std::vector<Said>& columns) {
      if (!own) return;
      const std::string by = fmt::format("{} {}", name, own->from);
      rows.push_back({by, own->tensor.rows / own->batch});
      columns.push_back({by, own->tensor.columns});
      batch.push_back({by, own->batch});
    };
    add(job_.a, "--a", m, k);
    add(job_.b, "--b", k, n);
    job_.shape = {agreed("M", m), agreed("N", n), agreed("K", k)};
    if (!batch.empty()) job_.options.batch = static_cast<uint32_t>(agreed("--batch", batch));
  }

  // What cannot be asked for together.
  void check() {
    job_.observing = observing_.observing(device_);
    if (job_.repeat > 1 && job_.launch == jobs::Launch::Overlapped)
      throw std::invalid_argument(
          "'--repeat' needs '--launch small-writes' or 'whole-writes': other launches have no time of their own");
    std::vector<NamedFile> inputs = {{"--a", a_},
                                     {"--b", b_},
                                     {"--library", job_.device.library},
                                     {"--timing-parameters", device_.timing_parameters_file}};
    observing_.add_inputs(inputs);
    check_standard_input(inputs);
    std::vector<NamedFile> outputs{{"--save-queue", save_queue_}};
    result_.add_output(outputs);
    observing_.add_outputs(outputs);
    check_files(inputs, outputs);
  }

  jobs::MatmulJob job_;
  DeviceOptions device_;
  ObservingOptions observing_;
  ResultOptions result_;
  struct {
    std::optional<uint64_t> m, n, k;
  } sizes_;
  std::optional<uint64_t> batch_;
  std::string a_, b_;       // files of the operands
  std::string out_;         // as it was given
  std::string save_queue_;  // the queue's host region goes to this file
};

}  // namespace

std::unique_ptr<Command> make_matmul() { return std::make_unique<Matmul>(); }

}  // namespace kerr::cli
