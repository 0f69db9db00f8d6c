// Loop programs that compute each stored element from elements at the same place, or from repeated ones, on the vector
// unit.   docs/reference/loop-programs.md "Path tiles"
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/runtime/chip.hpp"
#include "kernels/elementwise/flat.hpp"
#include "kernels/reduce/reduce.hpp"
#include "loops/executable.hpp"
#include "loops/program.hpp"

namespace kerr::loops::tiles {

/// A NaN that no arithmetic makes. Where it is an operand's or an integer, a launch is repeated in vain.
inline constexpr uint32_t kBeyond = 0xFFED5EED;

/// What a launch does. Immutable; copies share the programs that were made of it. Thread-safe.
struct FlatPlan {
  struct Place {
    uint32_t parameter = 0;
    uint64_t offset = 0;  // bytes
  };
  kernels::FlatShape shape;
  Place result;
  std::vector<Place> operands;
  kernels::vector::Phases code;  // of all operands that lie as `shape` says
  bool exact = true;             // else within kMostUlps of distance.hpp
  bool quick_quotients = false;  // they are a part of what is not exact
  bool limited = false;          // stores kBeyond in place of words that it cannot compute: all_within() looks for them

  struct Ready;
  std::shared_ptr<Ready> ready;
};

/// Nothing for programs that are none of this kind: `why_not`, if given, then says so in a sentence for people.
/// Results are those of the definition, bit for bit; if `bounded`, where that is quicker, within bounds.
std::optional<FlatPlan> plan_flat(const Program& program, std::string* why_not = nullptr, bool bounded = false);
/// The same of values that are not stored but added up, or of which the largest is looked for, where several in a row
/// follow each other: the code leaves one number for each word of the operands, whose size the shape has, with one tile
/// of Dst to spare. Of the parameter that the program stores to only the order counts. `columns`: of each row; the
/// shape has them padded to whole groups of kernels::kRowWords words.
std::optional<FlatPlan> plan_reduced(const Program& program, kernels::Reduction reduction, uint64_t columns,
                                     std::string* why_not, bool bounded);

/// Whether they differ in nothing but where the operands and the result lie.
bool like(const FlatPlan& a, const FlatPlan& b);
/// Whether a launch on these views can take the plan: the result begins with a multiple of 64 bytes, and no
/// operand has bytes in common
/// with it but at the same place; of a limited plan none at all.
bool fits(const FlatPlan& plan, std::span<const View> views);
/// The operands on these views: one that does not begin with a page is copied by a hart.
std::vector<kernels::FlatOperand> operands_at(const FlatPlan& plan, std::span<const View> views);
/// Where a place is in a launch.
kernels::FlatView place_at(const FlatPlan::Place& place, std::span<const View> views);
/// Runs to the end, on at most `max_cores`; 0: as many as pay. Throws std::invalid_argument for views that do not fit,
/// and host::DeviceError.
void launch(host::Chip& chip, const FlatPlan& plan, std::span<const View> views, const LaunchOptions& options = {},
            uint32_t max_cores = 0);

/// Whether a launch of a limited plan has computed all that it stored.
bool all_within(host::Chip& chip, const FlatPlan& plan, std::span<const View> views);

/// Estimated time on the host that emulates, in nanoseconds of one thread: of the launch, and of what it computes.
double estimated_ns(const FlatPlan& plan);
/// The part of it that computing takes, without results that go to memory.
double page_work_ns(const FlatPlan& plan);
/// For people: operands, instructions.
std::string explain(const Program& program, const FlatPlan& plan);

}  // namespace kerr::loops::tiles
