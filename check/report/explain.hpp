// Pages of `kerr check`: what a rule means, which rules there are, what orders two accesses.
#pragma once

#include <string>

#include "check/finding.hpp"
#include "report/json.hpp"

namespace kerr::check {

/// "cb-incomplete (error)", what it means, what usually is behind it, how it is mended, how it is suppressed.
std::string explain(Rule rule);

/// A line for each rule.
std::string rules_text();
kerr::report::Json rules_json();

/// The edges of the model, those that documents promise first: name, citation, sentence.
std::string edges_text();
kerr::report::Json edges_json();

}  // namespace kerr::check
