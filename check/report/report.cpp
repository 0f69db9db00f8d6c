#include "check/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "check/report/fingerprint.hpp"

namespace kerr::check {

namespace {

// Smaller is worse.
int rank(Outcome outcome) { return outcome == Outcome::Harmful ? 0 : outcome == Outcome::Latent ? 1 : 2; }

void add(Defect& defect, const Finding& finding) {
  defect.count += finding.count;
  defect.tiles.push_back(finding.tile);
  if (rank(finding.outcome) >= rank(defect.outcome)) return;
  defect.outcome = finding.outcome;
  defect.outcome_text = finding.outcome_text;
  defect.outcome_cycle = finding.cycle;
  defect.outcome_tile = finding.tile;
}

// Which suppressions match, of one finding after another.
class Suppressor {
 public:
  explicit Suppressor(const RulesFile* rules) : rules_(rules) {}

  /// The first one of the file; nullptr: the finding is to be reported.
  const Suppression* match(const Finding& finding) {
    const Suppression* first = nullptr;
    for (size_t i = 0; rules_ != nullptr && i < rules_->suppressions.size(); ++i) {
      const Suppression& suppression = rules_->suppressions[i];
      if (!suppression.matches(finding)) continue;
      used_.insert(i);
      if (first == nullptr) first = &suppression;
    }
    return first;
  }
  std::vector<Suppression> unused() const {
    std::vector<Suppression> all;
    for (size_t i = 0; rules_ != nullptr && i < rules_->suppressions.size(); ++i)
      if (!used_.contains(i)) all.push_back(rules_->suppressions[i]);
    return all;
  }

 private:
  const RulesFile* rules_;
  std::set<size_t> used_;
};

// A suppression may name one page, and the fingerprint is the same for all: what it does not match stays.
std::vector<Defect> grouped(std::vector<Finding> findings, Suppressor& suppressor) {
  std::vector<Defect> defects;
  std::map<std::pair<uint64_t, const Suppression*>, size_t> places;
  for (Finding& finding : findings) {
    const uint64_t print = fingerprint(finding);
    const Suppression* const suppression = suppressor.match(finding);
    const auto [place, is_new] = places.try_emplace({print, suppression}, defects.size());
    if (is_new) {
      defects.push_back({.fingerprint = print,
                         .outcome = finding.outcome,
                         .outcome_text = finding.outcome_text,
                         .outcome_cycle = finding.cycle,
                         .outcome_tile = finding.tile});
      if (suppression != nullptr) defects.back().suppression = *suppression;
    }
    add(defects[place->second], finding);
    if (is_new) defects.back().finding = std::move(finding);
  }
  for (Defect& defect : defects) {
    std::ranges::sort(defect.tiles);
    const auto rest = std::ranges::unique(defect.tiles);
    defect.tiles.erase(rest.begin(), rest.end());
  }
  return defects;
}

std::vector<Gone> compare(std::vector<Defect>& defects, const Baseline& baseline) {
  std::set<uint64_t> found;
  for (Defect& defect : defects) {
    found.insert(defect.fingerprint);
    defect.known = baseline.known.contains(defect.fingerprint);
  }
  std::vector<Gone> gone;
  for (const auto& [print, known] : baseline.known)
    if (!found.contains(print)) gone.push_back({print, known});
  return gone;
}

}  // namespace

size_t Report::count(Level level) const {
  return static_cast<size_t>(
      std::ranges::count_if(defects, [level](const Defect& d) { return d.is_new() && d.level() == level; }));
}

size_t Report::suppressed() const {
  return static_cast<size_t>(std::ranges::count_if(defects, [](const Defect& d) { return d.suppression.has_value(); }));
}

size_t Report::known() const {
  return static_cast<size_t>(std::ranges::count_if(defects, [](const Defect& d) { return d.known && !d.suppression; }));
}

Report report_of(Findings findings, const RulesFile* rules, const Baseline* baseline) {
  Report report{.unknown_symbols = findings.unknown_symbols, .lost = findings.lost, .accesses = findings.accesses};
  for (const Finding& finding : findings.all) report.findings += finding.count;
  Suppressor suppressor(rules);
  report.defects = grouped(std::move(findings.all), suppressor);
  report.unused = suppressor.unused();
  if (rules != nullptr) report.suppressions_name = rules->name;
  if (baseline != nullptr) {
    report.gone = compare(report.defects, *baseline);
    report.baseline_name = baseline->name;
  }
  std::ranges::stable_sort(report.defects, {}, [](const Defect& d) {
    return std::tuple(!d.is_new(), d.outcome != Outcome::Harmful, d.level(), d.finding.cycle);
  });
  size_t number = 0;
  for (Defect& defect : report.defects) defect.id = fmt::format("R{}", ++number);
  return report;
}

}  // namespace kerr::check
