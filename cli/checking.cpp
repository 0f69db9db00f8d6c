#include "cli/checking.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <utility>

#include "check/report/text.hpp"
#include "cli/version.hpp"

namespace kerr::cli {

namespace {

constexpr uintmax_t kLargestRulesFile = 1u << 20, kLargestBaseline = 256u << 20;

}  // namespace

void CheckingOptions::declare(Syntax& syntax, std::initializer_list<const char*> excludes) {
  using enum check::Watching::Mode;
  syntax.group("Check", excludes);
  syntax.optional_choice(
      "--check", mode, {{"all", All}, {"memory", Memory}},
      "say which two accesses nothing orders, and what is misused, although this run was fine; --check=memory: only "
      "misuse");
  syntax
      .choice("--check-format", format,
              {{"text", check::Format::Text}, {"json", check::Format::Json}, {"sarif", check::Format::Sarif}},
              "of the report (default: text); json and sarif need --check-output")
      .needs("--check");
  syntax.output_file("--check-output", output, "write the report to this file (default: to standard error)")
      .needs("--check");
  syntax
      .input_file("--check-suppressions", suppressions,
                  "findings that are known, each with its reason, and what is said of memory")
      .needs("--check");
  syntax
      .input_file("--check-baseline", baseline,
                  "a report of --check-format json: say only what is new, and what is gone")
      .needs("--check");
  syntax.number("--check-limit", limit, "print so many reports as text (default: 32)").needs("--check");
  syntax
      .number("--check-exit", exit_status,
              "exit status if the checker has found an error and nothing else went wrong (default: 3)", 0, 255)
      .needs("--check");
  syntax.flag("--check-stop", stop, "end the run at the first error, as at a fault").needs("--check");
  syntax.group("Output");
}

jobs::CheckSpec CheckingOptions::spec() const {
  jobs::CheckSpec spec{.watching = {.mode = mode, .stop = stop}};
  if (format != check::Format::Text && output.empty())
    throw UsageError("--check-format json and sarif need --check-output FILE");
  if (!suppressions.empty()) {
    auto rules = check::parse_rules_file(read_file(suppressions, kLargestRulesFile), suppressions);
    spec.watching.annotations = rules.annotations;
    spec.rules = std::make_shared<const check::RulesFile>(std::move(rules));
  }
  if (!baseline.empty())
    spec.baseline =
        std::make_shared<const check::Baseline>(check::parse_baseline(read_file(baseline, kLargestBaseline), baseline));
  return spec;
}

void CheckingOptions::add_inputs(std::vector<NamedFile>& inputs) const {
  inputs.push_back({"--check-suppressions", suppressions});
  inputs.push_back({"--check-baseline", baseline});
}

void CheckingOptions::add_outputs(std::vector<NamedFile>& outputs) const {
  outputs.push_back({"--check-output", output});
}

void CheckOutput::write(const check::Report& report, const std::vector<arch::Board>& boards) {
  const std::string text = check::written(report, options_.format, check::Places(boards), options_.limit, version());
  if (file_.wanted()) {
    file_.write(text);
    file_.finish();
  }
  std::fflush(stdout);  // what was printed before stands before
  std::fputs(file_.wanted() ? check::summary(report).c_str() : text.c_str(), stderr);
}

}  // namespace kerr::cli
