#include "bench/against/command.hpp"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "bench/against/matmul_pairs.hpp"
#include "oracle/isolate.hpp"

namespace kerr::bench {

namespace {

constexpr unsigned kMostSeconds = 600;

std::vector<uint8_t> packed(const Comparison& c) {
  std::vector<double> all(c.ours);
  all.insert(all.end(), c.theirs.begin(), c.theirs.end());
  std::vector<uint8_t> bytes(all.size() * sizeof(double));
  std::memcpy(bytes.data(), all.data(), bytes.size());
  return bytes;
}

void unpack(const std::vector<uint8_t>& bytes, Comparison& c) {
  std::vector<double> all(bytes.size() / sizeof(double));
  std::memcpy(all.data(), bytes.data(), all.size() * sizeof(double));
  const auto middle = all.begin() + static_cast<ptrdiff_t>(all.size() / 2);
  c.ours.assign(all.begin(), middle);
  c.theirs.assign(middle, all.end());
}

Comparison compare_in_child(const Workload& workload, const AgainstRequest& request) {
  Comparison result{workload.name, workload.unit, {}, {}, {}};
  const oracle::Outcome outcome = oracle::isolate(
      [&] { return packed(compare(workload, request.ours, request.library, request.options)); }, kMostSeconds);
  if (outcome.finished) {
    unpack(outcome.bytes, result);
  } else {
    result.problem = outcome.message.empty() ? "a library ended the process" : outcome.message;
  }
  return result;
}

std::string rate(double value) {
  for (const auto& [factor, letter] : {std::pair{1e15, 'P'}, {1e12, 'T'}, {1e9, 'G'}, {1e6, 'M'}, {1e3, 'k'}}) {
    if (value >= factor) return fmt::format("{:.3g} {}", value / factor, letter);
  }
  return fmt::format("{:.3g} ", value);
}

void print(const Comparison& c) {
  if (!c.problem.empty()) {
    fmt::print("{:<34} failed: {}\n", c.name, c.problem);
  } else {
    const Spread ratio = ratios(c);
    fmt::print("{:<34} {:>8}/s {:>8}/s {:>8.4g} {:>18}  {}\n", c.name, rate(spread(c.ours).median), rate(spread(c.theirs).median),
               ratio.median, fmt::format("{:.4g} to {:.4g}", ratio.low, ratio.high), c.unit);
  }
  std::fflush(stdout);
}

nlohmann::json to_json(const Comparison& c) {
  if (!c.problem.empty()) return {{"name", c.name}, {"unit", c.unit}, {"problem", c.problem}};
  const Spread ratio = ratios(c);
  return {{"name", c.name},     {"unit", c.unit},
          {"ours", c.ours},     {"theirs", c.theirs},
          {"ratio", {{"low", ratio.low}, {"median", ratio.median}, {"high", ratio.high}}}};
}

bool wanted(const AgainstRequest& request, const std::string& name) { return name.find(request.only) != std::string::npos; }

}  // namespace

int against_command(const AgainstRequest& request) {
  nlohmann::json all = nlohmann::json::array();
  bool failed = false;
  const auto note = [&](const Comparison& c) {
    failed |= !c.problem.empty();
    if (request.json) {
      all.push_back(to_json(c));
    } else {
      print(c);
    }
  };
  if (!request.json) fmt::print("{:<34} {:>10} {:>10} {:>8} {:>18}  {}\n", "", "Kerr", "other", "ratio", "of all pairs", "unit");
  for (const auto& workloads : {hart_workloads(), tensix_workloads()}) {
    for (const Workload& workload : workloads) {
      if (wanted(request, workload.name)) note(compare_in_child(workload, request));
    }
  }
  for (const MatmulPair& pair : matmul_pairs()) {
    if (wanted(request, pair.name)) note(compare_matmuls(pair, request.ours, request.library, request.options.pairs));
  }
  if (request.json)
    fmt::print("{}\n", nlohmann::json{{"other", request.library}, {"pairs", request.options.pairs}, {"comparisons", all}}.dump(2));
  return failed ? 1 : 0;
}

}  // namespace kerr::bench
