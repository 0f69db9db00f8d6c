// Findings as a person reads them: each defect once, the worst first, without what is known and why.
// docs/reference/checker.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/finding.hpp"
#include "check/report/baseline.hpp"
#include "check/report/rules_file.hpp"

namespace kerr::check {

/// All findings of one fingerprint.
struct Defect {
  Finding finding{};         // the earliest
  uint64_t fingerprint = 0;  // of all of them
  std::string id{};          // "R1": of this report
  uint64_t count = 0;        // how often it was found
  std::vector<TileId> tiles{};
  Outcome outcome = Outcome::Unknown;  // the worst
  std::string outcome_text{};          // of the earliest of that outcome
  Cycle outcome_cycle = 0;
  TileId outcome_tile{};
  std::optional<Suppression> suppression{};  // it is not printed
  bool known = false;                        // to the baseline: likewise

  Level level() const { return text_of(finding.rule).level; }
  bool is_new() const { return !suppression && !known; }
};

struct Gone {
  uint64_t fingerprint = 0;
  Baseline::Known known;
};

struct Report {
  // Those that are new first; of each kind the harmful ones first, then errors, warnings, hints, by the cycle of the
  // earliest finding.
  std::vector<Defect> defects;
  std::vector<Suppression> unused;          // suppressions that nothing matched, in the order of the file
  std::vector<Annotation> unknown_symbols;  // annotations of that file whose symbol no kernel had
  std::string suppressions_name;            // of their file
  std::vector<Gone> gone;                   // of the baseline and found no more
  std::string baseline_name;                // empty: there is none
  LostHistory lost;
  uint64_t accesses = 0;  // that were checked
  uint64_t findings = 0;  // all, the sum of all counts

  size_t count(Level level) const;  // of defects that are new
  size_t suppressed() const;
  size_t known() const;
  bool has_errors() const { return count(Level::Error) != 0; }
};

/// `rules`, `baseline`: may be missing.
Report report_of(Findings findings, const RulesFile* rules = nullptr, const Baseline* baseline = nullptr);

}  // namespace kerr::check
