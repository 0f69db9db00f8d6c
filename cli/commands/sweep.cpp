// kerr sweep: the same job in many sizes, formats and fidelities.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/operands.hpp"
#include "cli/options.hpp"
#include "cli/process.hpp"
#include "cli/sizes.hpp"
#include "cli/sweep_table.hpp"
#include "cli/version.hpp"
#include "host/error.hpp"
#include "jobs/eval.hpp"
#include "jobs/matmul.hpp"

namespace kerr::cli {

namespace {

using kernels::Format;

constexpr std::string_view kRows =
    "Every row is a run of its own, from power-on to the check against float64; a row that cannot be run says why, and "
    "the others go on.";
constexpr std::string_view kExitStatus =
    "Exit status: 0 all verified, or right as far as it can be told; 1 one is wrong; 2 one could not be run.";

std::vector<Format> formats_of(std::string_view option, std::string_view text) {
  std::vector<Format> all;
  for (const std::string& word : words_of(option, text)) {
    const auto format = kernels::format_named(word);
    if (!format) throw UsageError(fmt::format("{}: no format is named '{}'", option, word));
    all.push_back(*format);
  }
  return all;
}

std::vector<size_t> fidelities_of(std::string_view text) {  // places in kFidelities
  std::vector<size_t> all;
  for (std::string word : words_of("--fidelity", text)) {
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto found = std::ranges::find(kFidelities, word, &NamedFidelity::name);
    if (found == std::end(kFidelities))
      throw UsageError(fmt::format("--fidelity: {} not in {{lofi,hifi2,hifi3,hifi4}}", word));
    all.push_back(static_cast<size_t>(found - std::begin(kFidelities)));
  }
  return all;
}

// What the run of a row says on its way is not said: a row has one line.
class Quiet final : public jobs::Listener {};

std::string reason(const std::exception& error) {
  if (const auto* device = dynamic_cast<const host::DeviceError*>(&error)) return device->summary();
  return text_of(error);
}

// Options and output that both commands have.
class Sweep : public Command {
 protected:
  void declare_sweep(Syntax& syntax, const char* sizes) {
    syntax.group("Sweep");
    syntax.text("--sizes", sizes_text_, sizes).required().called("LIST");
    syntax
        .text(
            "--fidelity", fidelities_text_,
            "multiplier phases, one or several: lofi,hifi2,hifi3,hifi4 (default: hifi2; of int8 hifi4, which it needs)")
        .called("LIST");
  }
  void declare_output(Syntax& syntax) {
    syntax.group("Output");
    syntax.output_file("--csv", csv_, "write the rows to this file, as a spreadsheet reads them");
    syntax.output_file("--svg", svg_, "draw cycles over sizes to this SVG file, a line for each format and fidelity");
    syntax.flag("--json", json_, "print the rows as JSON");
  }
  void read_lists() {
    sizes_ = sweep_sizes("--sizes", sizes_text_);
    if (!fidelities_text_.empty()) fidelities_ = fidelities_of(fidelities_text_);
    const NamedFile outputs[] = {{"--csv", csv_}, {"--svg", svg_}};
    check_files({}, outputs);
  }

  // Runs all rows, of which each brings its own `measure`; an error of one is its own. Returns the exit status.
  struct Planned {
    SweepRow row;
    std::function<SweepRow::Measured(jobs::Listener&)> measure;
  };
  int run_all(std::string title, bool is_time, std::vector<Planned> planned) {
    SweepTable table{.title = std::move(title), .is_time = is_time, .rows = {}};
    OutputFile csv(csv_), svg(svg_);
    if (!json_) fmt::print("{}", sweep_head(table));
    for (Planned& each : planned) {
      {
        Progress progress;
        progress.begins(
            fmt::format("{} of {}: {} {}", table.rows.size() + 1, planned.size(), each.row.size, each.row.line));
        Quiet quiet;
        try {
          each.row.measured = each.measure(quiet);
        } catch (const std::bad_alloc&) {
          each.row.error = out_of_memory();
        } catch (const std::exception& error) {
          each.row.error = reason(error);
        }
      }
      table.rows.push_back(std::move(each.row));
      if (!json_) fmt::print("{}", printable(sweep_line(table.rows.back())));
      std::fflush(stdout);
    }
    csv.write(sweep_csv(table));
    csv.finish();
    svg.write(sweep_svg(table));
    svg.finish();
    if (json_) write_json(sweep_json(table));
    return sweep_status(table);
  }

  std::string title(const char* command, const DeviceOptions& device) const {
    return fmt::format("kerr sweep {}: {}, {} timing", command, device.spec.label(),
                       !device.spec.is_emulated()     ? "the device's"
                       : device.spec.emulator.exact() ? "exact"
                                                      : "relaxed");
  }
  static bool is_time(const DeviceOptions& device) {
    return !device.spec.is_emulated() || device.spec.emulator.exact();
  }

  std::vector<SweepSize> sizes_;
  std::vector<size_t> fidelities_;  // none: the usual one

 private:
  std::string sizes_text_, fidelities_text_, csv_, svg_;
};

// Formats, with each fidelity that is asked for, or the usual one.
template <class Visit>
void for_each_way(const std::vector<Format>& formats, const std::vector<size_t>& fidelities, Visit&& visit) {
  for (const Format format : formats) {
    if (fidelities.empty()) visit(format, nullptr);
    for (const size_t i : fidelities) visit(format, &kFidelities[i]);
  }
}

SweepRow row_of(const SweepSize& size, Format format, const NamedFidelity* fidelity, double x) {
  SweepRow row{.x = x, .size = size.text};
  row.line = fmt::format("{}{}{}", kernels::info(format).name, fidelity ? " " : "", fidelity ? fidelity->name : "");
  return row;
}

class SweepMatmul final : public Sweep {
  void declare(Syntax& syntax) override {
    declare_sweep(syntax,
                  "sizes of the products: 256,512 or 128:2048:*2 (doubled) or 64:256:+64, and MxNxK as 512x1024x256");
    syntax
        .text("--in", formats_text_,
              "formats of A and B, one or several: fp32,fp16,bf16,bfp8,bfp4,int8 (default: bf16)")
        .called("LIST");
    device_.declare(syntax);
    syntax.group("Product");
    add_seed(syntax, job_.seed);
    using enum Format;
    add_format(syntax, "--out", job_.options.out, {Fp32, Fp16, Bf16, Bfp8, Bfp4, Int32},
               "format of C (default: bf16; of int8 int32)");
    add_fp32(syntax, job_.options.fp32_accumulate);
    syntax.group("Plan and launch");
    add_cores(syntax, job_.cores);
    add_plan(syntax, job_.planner);
    add_slow_dispatch(syntax, job_.slow_dispatch);
    declare_output(syntax);
    syntax.footer(
        fmt::format("{}\n"
                    "Examples:\n"
                    "  kerr sweep matmul --sizes 128:1024:*2 --timing exact --csv f.csv --svg f.svg\n"
                    "  kerr sweep matmul --sizes 256,512 --in bf16,bfp8 --fidelity lofi,hifi2,hifi4 --timing exact\n"
                    "  kerr sweep matmul --sizes 512x512x64,512x512x512,512x512x4096\n"
                    "{}",
                    kRows, kExitStatus));
  }

  int run() override {
    read_lists();
    const std::vector<Format> formats =
        formats_text_.empty() ? std::vector{Format::Bf16} : formats_of("--in", formats_text_);
    std::vector<Planned> planned;
    for_each_way(formats, fidelities_, [&](Format in, const NamedFidelity* fidelity) {
      for (const SweepSize& size : sizes_) planned.push_back(plan(size, in, fidelity));
    });
    return run_all(title("matmul", device_), is_time(device_), std::move(planned));
  }

  Planned plan(const SweepSize& size, Format in, const NamedFidelity* fidelity) const {
    jobs::MatmulJob job = job_;
    job.device = device_.spec;
    job.observing.watch = device_.observe ? jobs::Watch::Events : jobs::Watch::Nothing;
    job.shape = {size.m, size.n, size.k};
    job.options.in = in;
    if (in == Format::Int8 && job.options.out == Format::Bf16) job.options.out = Format::Int32;
    if (fidelity) job.options.fidelity = fidelity->fidelity, job.fidelity_given = true;
    const double macs = 1.0 * size.m * size.n * size.k;
    Planned planned{.row = row_of(size, in, fidelity, size.is_single() ? size.m : std::cbrt(macs)), .measure = {}};
    planned.row.job = {{"m", fmt::format("{}", size.m)},
                       {"n", fmt::format("{}", size.n)},
                       {"k", fmt::format("{}", size.k)},
                       {"in", std::string(kernels::info(in).name)},
                       {"out", std::string(kernels::info(job.options.out).name)},
                       {"fidelity", fidelity             ? fidelity->name
                                    : in == Format::Int8 ? "hifi4"
                                                         : "hifi2"}};
    planned.measure = [job, macs](jobs::Listener& listener) {
      const jobs::MatmulOutcome o = jobs::run(job, listener);
      return SweepRow::Measured{
          .cores = static_cast<uint32_t>(o.plan.cores()),
          .device_cycles = o.device_cycles,
          .macs_per_cycle = o.device_cycles == 0 ? 0 : macs / static_cast<double>(o.device_cycles),
          .verdict = o.agreement.verdict(),
          .pcc = o.agreement.pcc,
          .relative_error = o.agreement.relative_error,
          .hash = o.hash};
    };
    return planned;
  }

  jobs::MatmulJob job_;
  DeviceOptions device_;
  std::string formats_text_;
};

// The text with the word N replaced by the number: "random(N, N, 1)", and "Nx512" of a shape.
std::string with_size(const std::string& text, uint32_t size, bool words_only) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool alone = (i == 0 || !in_word(text[i - 1])) && (i + 1 == text.size() || !in_word(text[i + 1]));
    out += text[i] == 'N' && (alone || !words_only) ? fmt::format("{}", size) : std::string(1, text[i]);
  }
  return out;
}

class SweepEval final : public Sweep {
  void declare(Syntax& syntax) override {
    syntax.expression(
        "EXPRESSION", expression_, shapes_,
        "as of 'kerr eval'; N in it, and in the shapes of its matrices, stands for the size: --x NxN, --w Nx768");
    declare_sweep(syntax, "sizes that N stands for: 256,512 or 128:2048:*2 (doubled) or 64:256:+64");
    syntax
        .text("--format", formats_text_,
              "formats of matrices of which none is said, one or several: fp32,fp16,bf16,bfp8,bfp4 (default: bf16)")
        .called("LIST");
    device_.declare(syntax);
    syntax.group("Matrices and arithmetic");
    add_seed(syntax, job_.seed);
    syntax.real("--low", job_.low, "least random number (default: what the expression is made for, or -1)");
    syntax.real("--high", job_.high, "their end (default 1)");
    add_fp32(syntax, job_.matmul.fp32_accumulate);
    syntax.group("Plan and launch");
    add_cores(syntax, job_.cores);
    add_slow_dispatch(syntax, job_.slow_dispatch);
    declare_output(syntax);
    syntax.footer(fmt::format(
        "{} Cycles are those of all programs together.\n"
        "Examples:\n"
        "  kerr sweep eval \"softmax(x)\" --x NxN --sizes 64:512:*2 --timing exact --svg softmax.svg\n"
        "  kerr sweep eval \"gelu(a @ b + c)\" --a Nx512 --b 512x768 --c 768 --sizes 32:512:+96 --format bf16,fp32\n"
        "{}",
        kRows, kExitStatus));
  }

  int run() override {
    if (expression_.empty()) throw UsageError("EXPRESSION is required");
    read_lists();
    if (std::ranges::any_of(shapes_, [](const auto& shape) { return shape.first == "N"; }))
      throw UsageError("N is the size: no matrix can have that name here");
    const std::vector<Format> formats =
        formats_text_.empty() ? std::vector{Format::Bf16} : formats_of("--format", formats_text_);
    for (const SweepSize& size : sizes_) {
      if (size.text.find('x') != std::string::npos)
        throw UsageError(fmt::format("--sizes {}: N is one number", size.text));
    }
    std::vector<Planned> planned;
    for_each_way(formats, fidelities_, [&](Format format, const NamedFidelity* fidelity) {
      for (const SweepSize& size : sizes_) planned.push_back(plan(size, format, fidelity));
    });
    check_expression(formats.front());
    return run_all(title(expression_.c_str(), device_), is_time(device_), std::move(planned));
  }

  // Throws what is wrong with the expression if it is wrong at every size: no row could be run.
  void check_expression(Format format) const {
    std::exception_ptr first;
    for (const SweepSize& size : sizes_) {
      try {
        parse_expression(with_size(expression_, size.m, true), shapes_of(size), format);
        return;
      } catch (const std::invalid_argument&) {
        if (!first) first = std::current_exception();
      }
    }
    if (first) std::rethrow_exception(first);
  }

  Shapes shapes_of(const SweepSize& size) const {
    Shapes shapes = shapes_;
    for (auto& [name, shape] : shapes) shape = with_size(shape, size.m, false);
    return shapes;
  }

  Planned plan(const SweepSize& size, Format format, const NamedFidelity* fidelity) {
    jobs::EvalJob job = job_;
    job.device = device_.spec;
    job.observing.watch = device_.observe ? jobs::Watch::Events : jobs::Watch::Nothing;
    job.format = format;
    if (fidelity) job.matmul.fidelity = fidelity->fidelity;
    Planned planned{.row = row_of(size, format, fidelity, size.m), .measure = {}};
    planned.row.job = {{"format", std::string(kernels::info(format).name)},
                       {"fidelity", fidelity ? fidelity->name : "hifi2"}};
    const std::string expression = with_size(expression_, size.m, true);
    planned.measure = [job, expression, shapes = shapes_of(size)](jobs::Listener& listener) mutable {
      job.graph = parse_expression(expression, shapes, job.format, &job.operands);
      const jobs::EvalOutcome o = jobs::run(job, listener);
      uint32_t cores = 0;
      for (const graph::StageReport& stage : o.stages) cores = std::max(cores, stage.cores);
      return SweepRow::Measured{.cores = cores,
                                .device_cycles = o.device_cycles,
                                .verdict = o.agreement.verdict(),
                                .pcc = o.agreement.pcc,
                                .relative_error = o.agreement.relative_error,
                                .hash = o.hash};
    };
    return planned;
  }

  std::string expression_, formats_text_;
  Shapes shapes_;
  jobs::EvalJob job_;
  DeviceOptions device_;
};

}  // namespace

std::unique_ptr<Command> make_sweep_matmul() { return std::make_unique<SweepMatmul>(); }
std::unique_ptr<Command> make_sweep_eval() { return std::make_unique<SweepEval>(); }

}  // namespace kerr::cli
