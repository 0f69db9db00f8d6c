// Code with what it cost, instruction by instruction, for the page.   docs/architecture.md "The page"
#pragma once

#include <string>

#include "report/json.hpp"
#include "report/profile/profile.hpp"

namespace kerr::report {

/// Of a chip: an array with an object for each code that was executed: name, hart, kind, how many tiles ran it;
/// `places`, of each instruction that was executed [offset, text, index of its line or -1, times, cycles]; `words`, the
/// Tensix words that it pushed, [offset of the push, text, times, cycles of its unit]; and its `lines`. Appends to
/// `bytes`:
///
///   uses  nodes; of each: node, uses, bytes of what follows; of each use: index in the array, places; of each place:
///         words of four bytes since the one before, times, cycles
Json code_listing(const Profile& profile, int chip, std::string& bytes);

}  // namespace kerr::report
