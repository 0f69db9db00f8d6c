// What makes two findings one report: equal from run to run, on every tile, and where only addresses have moved.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "check/finding.hpp"

namespace kerr::check {

/// A hash of the rule, both sites in either order (kernel, function, file, line, opcode; the pc of code that has no
/// names), and the object's memory and name without numbers of pages. No tile, no hart, no address, no cycle.
uint64_t fingerprint(const Finding& finding);

/// 16 hexadecimal digits.
std::string text_of_fingerprint(uint64_t fingerprint);

/// "CB 0 page 3 + 64" is "CB 0 page": numbers behind "page", "pages", "byte", "bytes" and "+" are left out, as are
/// hexadecimal ones.
std::string without_places(std::string_view name);

}  // namespace kerr::check
