#include "bench/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/against/pairs.hpp"
#include "bench/targets.hpp"

namespace kerr::bench {

namespace {

using nlohmann::json;

// Values of one benchmark, one a repetition.
using Series = std::vector<double>;

std::map<std::string, Series> series_of(const json& report, std::string_view value) {
  std::map<std::string, Series> all;
  for (const json& run : report.at("benchmarks")) {
    if (run.value("run_type", "") != "iteration" || run.contains("error_occurred") || !run.contains(value)) continue;
    double v = run.at(std::string(value)).get<double>();
    if (value == "cpu_time" || value == "real_time") {
      const std::string unit = run.at("time_unit");
      v *= unit == "ms" ? 1e6 : unit == "us" ? 1e3 : unit == "s" ? 1e9 : 1;
    }
    all[run.at("run_name").get<std::string>()].push_back(v);
  }
  return all;
}

std::optional<Series> find(const std::map<std::string, Series>& all, std::string_view name, bool least) {
  std::optional<Series> worst;
  const bool several = name.ends_with('*');
  if (several) name.remove_suffix(1);
  for (const auto& [benchmark, series] : all) {
    if (several ? !benchmark.starts_with(name) : benchmark != name) continue;
    const double now = spread(series).median;
    if (!worst || (least ? now < spread(*worst).median : now > spread(*worst).median)) worst = series;
  }
  return worst;
}

std::optional<Spread> measured(const json& report, const Target& target) {
  const auto all = series_of(report, target.value);
  std::optional<Series> series = find(all, target.benchmark, target.at_least);
  if (series && !target.compared_with.empty()) {
    const std::optional<Series> other = find(all, target.compared_with, target.at_least);
    if (!other) return std::nullopt;
    series->resize(std::min(series->size(), other->size()));
    for (size_t i = 0; i < series->size(); ++i) (*series)[i] /= (*other)[i];
  }
  if (!series || series->empty()) return std::nullopt;
  return spread(*series);
}

std::string number(double value) {
  return value >= 100 ? fmt::format("{:.0f}", value) : value >= 10 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

void print_targets(const json& report) {
  const json& context = report.at("context");
  fmt::print("{}, {} CPUs, load {:.1f} when it began, {}\n\n", context.value("cpu", "unknown CPU"), context.at("num_cpus").get<int>(),
             context.at("load_avg").empty() ? 0.0 : context.at("load_avg")[0].get<double>(),
             context.at("date").get<std::string>().substr(0, 16));
  fmt::print("| Workload | Target | Median | Lowest to highest | |\n|---|---|---|---|---|\n");
  for (const Target& target : targets()) {
    const std::string limit = fmt::format("{} {} {}", target.at_least ? "at least" : "at most", target.limit, target.unit_name);
    const std::optional<Spread> value = measured(report, target);
    if (!value) {
      fmt::print("| {} | {} | not measured | | |\n", target.what, limit);
      continue;
    }
    const double median = value->median / target.unit;
    const bool met = target.at_least ? median >= target.limit : median <= target.limit;
    fmt::print("| {} | {} | {} | {} to {} | {} |\n", target.what, limit, number(median), number(value->low / target.unit),
               number(value->high / target.unit), met ? "met" : "missed");
  }
}

std::string rate(double value) {
  for (const auto& [factor, letter] : {std::pair{1e15, 'P'}, {1e12, 'T'}, {1e9, 'G'}, {1e6, 'M'}, {1e3, 'k'}}) {
    if (value >= factor) return fmt::format("{:.3g} {}", value / factor, letter);
  }
  return fmt::format("{:.3g}", value);
}

void print_comparison(const json& report) {
  fmt::print("| Workload | Kerr | other | Ratio | of {} pairs | Unit, a second |\n|---|---|---|---|---|---|\n", report.at("pairs").get<int>());
  for (const json& c : report.at("comparisons")) {
    if (c.contains("problem")) {
      std::string problem = c.at("problem");
      std::replace(problem.begin(), problem.end(), '\n', ' ');
      fmt::print("| {} | failed: {} | | | | |\n", c.at("name").get<std::string>(), problem);
      continue;
    }
    const json& ratio = c.at("ratio");
    fmt::print("| {} | {} | {} | {:.4g} | {:.4g} to {:.4g} | {} |\n", c.at("name").get<std::string>(),
               rate(spread(c.at("ours").get<Series>()).median), rate(spread(c.at("theirs").get<Series>()).median),
               ratio.at("median").get<double>(), ratio.at("low").get<double>(), ratio.at("high").get<double>(), c.at("unit").get<std::string>());
  }
}

void print_profile(const json& report) {
  fmt::print("| {} | s of one core |\n|---|---|\n", report.at("profile").get<std::string>());
  for (const json& group : report.at("groups"))
    fmt::print("| {} | {:.2f} |\n", group.at("name").get<std::string>(), group.at("seconds").get<double>());
}

}  // namespace

int print_tables(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    try {
      std::ifstream in(file);
      const json report = json::parse(in);
      if (report.contains("benchmarks")) {
        print_targets(report);
      } else if (report.contains("comparisons")) {
        print_comparison(report);
      } else {
        print_profile(report);
      }
      fmt::print("\n");
    } catch (const json::exception& error) {
      fmt::print(stderr, "kerr-bench: {} is no report of this program: {}\n", file, error.what());
      return 2;
    }
  }
  return 0;
}

}  // namespace kerr::bench
