// What a defect did in this run: by the order in which the emulator let things happen.   docs/reference/checker.md
#pragma once

#include <string>
#include <string_view>

#include "check/stamp.hpp"

namespace kerr::check {

struct RunOutcome {
  Outcome outcome = Outcome::Unknown;
  std::string text{};
  bool pending = false;  // the answer of `first` tells more, when it comes
};

/// `first`, which reads or writes, and `then` are ordered by nothing. `transfer`: of `first`, if it is one.
RunOutcome outcome_of(const Stamp& first, bool reads, const Stamp& then, std::string_view then_op,
                      const Transfer* transfer);

/// The answer of `transfer` has come, behind a `then` that was pending. `second`: of `then`, if it is one.
RunOutcome outcome_of_answer(const Transfer& transfer, const Stamp& then, std::string_view then_op,
                             const Transfer* second);

}  // namespace kerr::check
