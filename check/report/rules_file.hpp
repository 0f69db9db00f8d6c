// The file of --check-suppressions: findings that are known and why, and what a programmer says of memory.
// docs/reference/checker.md
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/annotation.hpp"
#include "check/finding.hpp"

namespace kerr::check {

/// Findings that are not to be reported.
struct Suppression {
  std::optional<Rule> rule;  // nothing: of any rule, written "*"
  std::string pattern;       // "*" stands for any text
  std::string reason;        // the comment above it
  size_t line = 0;           // of the file

  /// Whether function, file:line or kernel of either access, or the object's name, is what the pattern says. Files are
  /// compared with and without their folders, functions with and without "()".
  bool matches(const Finding& finding) const;
  friend bool operator==(const Suppression&, const Suppression&) = default;
};

struct RulesFile {
  std::string name;  // for messages
  std::vector<Suppression> suppressions;
  std::vector<Annotation> annotations;
};

/// Lines are "# comment", "RULE PATTERN" below a comment that says why, and "flag", "monotonic" or "private" with a
/// SYMBOL or ADDRESS and perhaps BYTES, and "region NAME ADDRESS BYTES". Throws std::invalid_argument that names
/// `name`, line and offender.
RulesFile parse_rules_file(std::string_view text, const std::string& name);

/// Whether `text` is `pattern`, in which "*" stands for any text.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace kerr::check
