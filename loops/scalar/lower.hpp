// Loop programs as instructions of a hart.
#pragma once

#include "loops/program.hpp"
#include "loops/scalar/machine.hpp"
#include "loops/scalar/plan.hpp"

namespace kerr::loops::scalar {

/// What does not change in a loop stands before it.
Machine lower(const Program& program, const Plan& plan, const Facts& facts, const CompileOptions& options);

}  // namespace kerr::loops::scalar
