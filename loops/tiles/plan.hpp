// A way to run a program in steps, the expensive ones on the vector or matrix unit.
//
// A pattern (contraction.hpp, elementwise.hpp) makes a plan of a program whose variables have become numbers, without a
// device. choose.hpp takes the one that is expected to be the quickest.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "arch/harvesting.hpp"
#include "host/runtime/chip.hpp"
#include "loops/executable.hpp"
#include "loops/program.hpp"
#include "loops/scratch.hpp"

namespace kerr::loops::tiles {

struct Check;  // check.hpp

/// What a launch gives to a plan.
struct Launch {
  host::Chip& chip;
  std::span<const View> views;  // of the program's parameters
  Scratch& scratch;
  const LaunchOptions& options;
  Check* check = nullptr;  // what is computed is compared
};

class Plan {
 public:
  virtual ~Plan() = default;
  /// Estimated time of a launch, of one thread of the emulator, for comparisons.
  virtual double nanoseconds() const = 0;
  /// Multiply-adds of a launch on the vector or matrix unit; 0 where it makes none.
  virtual uint64_t products() const = 0;
  /// Whether scalar code takes most of the time, behind a value that is computed apart.
  virtual bool mostly_scalar() const { return false; }
  /// A few lines for people, of which the first says what runs where.
  virtual std::string explain() const = 0;
  /// Why these views cannot be used: what is stored would change what is still read. Empty: they can.
  virtual std::string why_not(std::span<const View> views) const = 0;
  /// Runs to the end; whatever fails is reported with the program's name and line. Thread-safe.
  /// Returns false if the numbers turn out to be none for this plan: another way then stores all that the program
  /// stores, and loads what it would have loaded before.
  virtual bool run(const Launch& launch) const = 0;
};

/// A plan, or a sentence why there is none.
struct Found {
  std::unique_ptr<const Plan> plan;
  std::string why_not;
};

/// `bound`: without variables; must outlive the plan.
Found plan_contraction(const Program& bound, const arch::Harvesting& harvesting, const CompileOptions& options);
/// Its results are the definition's bits, or with Math::Bounded within 4 units in the last place of each step.
Found plan_elementwise(const Program& bound, const arch::Harvesting& harvesting, const CompileOptions& options);
/// Sums of rows are within bounds, but for integers; maxima are the definition's bits.
Found plan_rows(const Program& bound, const arch::Harvesting& harvesting, const CompileOptions& options);

}  // namespace kerr::loops::tiles
