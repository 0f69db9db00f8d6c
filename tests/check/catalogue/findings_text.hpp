// Findings as short texts: rule and the two sites.
#pragma once

#include <set>
#include <string>

#include "check/finding.hpp"
#include "tests/check/catalogue/row.hpp"

namespace kerr::catalogue {

/// "in-flight transfers.cpp:14 -> transfers.cpp:16", each once. A site that the row does not mark is "*". Hints are
/// left out.
std::set<std::string> texts_of(const check::Findings& findings, const Sites& sites);
/// What should be found.
std::set<std::string> texts_of(const Row& row, const Sites& sites);
/// All that was found, with sentences.
std::string account_of(const check::Findings& findings);

}  // namespace kerr::catalogue
