// Loop programs as instructions of a hart.
#pragma once

#include "loops/program.hpp"
#include "loops/scalar/machine.hpp"
#include "loops/scalar/plan.hpp"

namespace kerr::loops::scalar {

/// What does not change in a loop stands before it.
/// `uses_cache` becomes: for each object, whether a load goes to its cache.
Machine lower(const Program& program, const Plan& plan, const Facts& facts, const CompileOptions& options,
              std::vector<bool>& uses_cache);

}  // namespace kerr::loops::scalar
