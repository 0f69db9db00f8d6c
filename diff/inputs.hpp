// The first difference between what two runs were told.   docs/guide/compare-two-runs.md
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "emu/machine/input_log.hpp"

namespace kerr::diff {

struct Inputs {
  emu::LogInfo of[2];
  emu::Cycle end[2] = {};  // of the last input, or of the end of the log
  uint64_t equal = 0;      // inputs from the first one on that are the same but for their cycles
  uint64_t count[2] = {};
  /// The first ones that are not, in words; empty: that log ends there.
  std::optional<std::string> differ[2];
  std::string detail{};  // "byte 12 is 0x07 in A and 0x08 in B"; may be empty
};

/// Reads both logs to their ends. Throws emu::SnapshotError if one is damaged.
Inputs compare_inputs(const std::string& a, const std::string& b);

}  // namespace kerr::diff
