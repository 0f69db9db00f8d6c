// Two reports of runs, as 'kerr ... --json' prints them, beside one another.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/json.hpp"

namespace kerr::report {

struct Comparison {
  /// What both have and is not a count: of the job, and of its result. Numbers and lists as JSON writes them.
  struct Text {
    std::string name, a, b;  // empty: that run does not say
    bool equal() const { return a == b; }
  };
  struct Number {
    std::string name;
    std::optional<double> a, b;  // none: that run does not say
  };

  std::string kind_a, kind_b;                         // "matmul", "eval", "run"
  std::vector<Text> versions;                         // version and commit of Kerr
  std::vector<Text> texts;                            // in the order of `a`, then what only `b` has
  std::vector<Number> counts;                         // cycles, instructions, sizes
  std::vector<Number> measures;                       // errors against float64, host seconds
  bool utilisation_a = false, utilisation_b = false;  // whether it says how busy its units were
  std::vector<Number> shares;  // of a time, from 0 to 1: units, harts, threads, what they waited for, banks, links
  std::vector<Number> path;    // cycles of the critical path, by what was waited for
};

/// Throws std::invalid_argument with a sentence about `name_a` or `name_b`, the names of the texts, if one is no JSON
/// or no such
/// report.
Comparison compare(std::string_view a, std::string_view b, const std::string& name_a, const std::string& name_b);

/// `all`: also what is equal.
std::string text(const Comparison& c, const std::string& name_a, const std::string& name_b, bool all);
Json json(const Comparison& c, const std::string& name_a, const std::string& name_b);

}  // namespace kerr::report
