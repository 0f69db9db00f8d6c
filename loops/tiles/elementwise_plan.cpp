// Element-wise programs, and those that are one after an expensive value is computed apart, as ways to run a program.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>

#include "loops/tiles/check.hpp"
#include "loops/tiles/cost.hpp"
#include "loops/tiles/cut.hpp"
#include "loops/tiles/distance.hpp"
#include "loops/tiles/elementwise.hpp"
#include "loops/tiles/part.hpp"
#include "loops/tiles/plan.hpp"
#include "loops/tiles/slice.hpp"
#include "loops/views.hpp"

namespace kerr::loops::tiles {

namespace {

constexpr size_t kMostCuts = 4;      // that are tried
constexpr uint64_t kMostPieces = 4;  // each is a launch

// Executes on `buffers` what a flat plan has done, with the device's own results where they are within bounds.
void expect_flat(const Launch& launch, const Program& program, const FlatPlan& flat,
                 std::span<const std::span<std::byte>> buffers, std::span<const View> views) {
  launch.check->reference(program, buffers, {});
  if (flat.exact) return;
  const uint32_t p = flat.result.parameter;
  std::vector<std::byte> made(uint64_t{flat.shape.elements} * flat.shape.element_bytes);
  launch.chip.read(views[p].buffer, made, views[p].offset + flat.result.offset);
  take_over(program.parameters[p].type, made, buffers[p].subspan(flat.result.offset, made.size()));
}

// False: the plan is limited, and stored what means nothing.
bool run_flat(const Launch& launch, const Program& bound, const FlatPlan& flat, std::span<const View> views) {
  try {
    tiles::launch(launch.chip, flat, views, launch.options);
    return !flat.limited || all_within(launch.chip, flat, views);
  } catch (const host::DeviceError& error) {
    throw host::DeviceError(error.category(), fmt::format("program '{}': {}", bound.name, error.sentence()),
                            error.report());
  }
}

class ElementwisePlan final : public Plan {
 public:
  ElementwisePlan(const Program& bound, FlatPlan flat) : bound_(bound), flat_(std::move(flat)) {}

  double nanoseconds() const override { return estimated_ns(flat_); }
  uint64_t products() const override { return 0; }
  std::string explain() const override { return tiles::explain(bound_, flat_); }
  std::string why_not(std::span<const View> views) const override {
    return fits(flat_, views) ? ""
                              : "the result does not begin with a multiple of 64 bytes, or lies over what is loaded";
  }
  bool run(const Launch& launch) const override {
    if (!run_flat(launch, bound_, flat_, launch.views)) return false;
    if (launch.check != nullptr) expect_flat(launch, bound_, flat_, launch.check->expected.all(), launch.views);
    return true;
  }

 private:
  const Program& bound_;
  const FlatPlan flat_;
};

// The iterations of an outermost loop one after the other: what each stores lies next to each other, or it needs
// something else.
class PiecesPlan final : public Plan {
 public:
  struct Piece {
    Program program;
    FlatPlan flat;
  };
  explicit PiecesPlan(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {}

  double nanoseconds() const override {
    double sum = 0;
    for (const Piece& piece : pieces_) sum += estimated_ns(piece.flat);
    return sum;
  }
  uint64_t products() const override { return 0; }
  std::string explain() const override {
    return fmt::format("{} times, with the first: ", pieces_.size()) +
           tiles::explain(pieces_[0].program, pieces_[0].flat);
  }
  std::string why_not(std::span<const View> views) const override {
    const bool all = std::ranges::all_of(pieces_, [&](const Piece& piece) { return fits(piece.flat, views); });
    return all ? "" : "the result does not begin with a multiple of 64 bytes, or lies over what is loaded";
  }
  bool run(const Launch& launch) const override {
    for (const Piece& piece : pieces_) {
      run_flat(launch, piece.program, piece.flat, launch.views);
      if (launch.check != nullptr)
        expect_flat(launch, piece.program, piece.flat, launch.check->expected.all(), launch.views);
    }
    return true;
  }

 private:
  const std::vector<Piece> pieces_;
};

std::unique_ptr<const Plan> pieces_plan(const Program& bound, const CompileOptions& options) {
  const auto loop = std::ranges::find(bound.body, Verb::Loop, &Instruction::verb);
  if (loop == bound.body.end() || !loop->operands[0].is_number()) return nullptr;
  const uint64_t count = loop->operands[0].bits;
  if (count < 2 || count > kMostPieces) return nullptr;
  std::vector<PiecesPlan::Piece> pieces;
  for (uint64_t k = 0; k < count; ++k) {
    Program program = iteration(bound, static_cast<uint32_t>(loop - bound.body.begin()), k);
    auto flat = plan_flat(program, nullptr, options.math != Math::Exact);
    if (k == 0 && flat && options.path != Path::Tiles &&
        static_cast<double>(count) * estimated_ns(*flat) >= scalar_nanoseconds(bound) + kNsForTiles)
      return nullptr;                            // nobody would take it: the others need not be planned
    if (!flat || flat->limited) return nullptr;  // others may have been stored when one turns out to be none
    pieces.push_back({std::move(program), *std::move(flat)});
  }
  return std::make_unique<PiecesPlan>(std::move(pieces));
}

// A value for all iterations, then what follows: element-wise, too, or scalar code.
class CutPlan final : public Plan {
 public:
  using Rest = std::variant<FlatPlan, std::unique_ptr<Part>>;

  /// `whole`: given for a cut before a quotient, whose `rest` is element-wise. It is the plan without the cut, with the
  /// same bounds, and runs where a divisor is beyond 2^126, so that its reciprocal is 0.
  CutPlan(const Program& bound, Cut cut, FlatPlan first, Rest rest, std::optional<FlatPlan> whole = {})
      : bound_(bound),
        cut_(std::move(cut)),
        first_(std::move(first)),
        rest_(std::move(rest)),
        whole_(std::move(whole)),
        nanoseconds_(estimated_ns(first_) +
                     (flat_rest() ? estimated_ns(*flat_rest()) : scalar_nanoseconds(cut_.rest.program))) {}

  double nanoseconds() const override { return nanoseconds_; }
  uint64_t products() const override { return 0; }
  bool mostly_scalar() const override { return !flat_rest() && 2 * estimated_ns(first_) < nanoseconds_; }
  std::string explain() const override {
    return tiles::explain(cut_.first.program, first_) + "then " +
           (flat_rest() ? tiles::explain(cut_.rest.program, *flat_rest())
                        : fmt::format("scalar code: about {:.3g} ms\n", scalar_nanoseconds(cut_.rest.program) / 1e6));
  }
  std::string why_not(std::span<const View> views) const override {
    for (const Instruction& i : bound_.body) {
      if (i.verb != Verb::Store || i.address.space != Address::Space::Parameter) continue;
      for (const uint32_t l : cut_.loaded)
        if (overlap(views[i.address.index], views[l])) return fmt::format("line {} stores to what is loaded", i.line);
    }
    if (whole_ && !fits(*whole_, views))
      return "the result does not begin with a multiple of 64 bytes, or lies over what is loaded";
    if (!fits(first_, views_of(cut_.first, views, nullptr))) return "what is loaded is not aligned to its elements";
    if (!flat_rest()) return "";
    return fits(*flat_rest(), views_of(cut_.rest, views, nullptr))
               ? ""
               : "the result does not begin with a multiple of 64 bytes";
  }
  bool run(const Launch& launch) const override {
    const host::Buffer* scratch = scratch_of(launch);
    if (scratch == nullptr) return false;
    std::vector<std::byte> expected(launch.check != nullptr ? cut_.bytes : 0);
    const std::vector<View> first = views_of(cut_.first, launch.views, scratch);
    if (!run_flat(launch, bound_, first_, first)) return false;
    if (whole_) return run_quotient(launch, *scratch);
    if (launch.check != nullptr)
      expect_flat(launch, cut_.first.program, first_, expected_of(launch, cut_.first, expected), first);
    if (flat_rest()) {
      const std::vector<View> rest = views_of(cut_.rest, launch.views, scratch);
      if (!run_flat(launch, bound_, *flat_rest(), rest)) return false;
      if (launch.check != nullptr)
        expect_flat(launch, cut_.rest.program, *flat_rest(), expected_of(launch, cut_.rest, expected), rest);
      return true;
    }
    std::get<1>(rest_)->run(launch, {scratch, 1}, {});
    const std::span<std::byte> of_scratch[] = {expected};
    if (launch.check != nullptr) std::get<1>(rest_)->run(*launch.check, of_scratch, {});
    return true;
  }

 private:
  const FlatPlan* flat_rest() const { return std::get_if<FlatPlan>(&rest_); }

  // Behind the reciprocals. A zero is that of a number that is too large, or of infinity.
  bool run_quotient(const Launch& launch, const host::Buffer& scratch) const {
    std::vector<uint32_t> reciprocals(cut_.bytes / 4);
    launch.chip.read(scratch, std::as_writable_bytes(std::span(reciprocals)));
    const bool usable = std::ranges::none_of(reciprocals, [](uint32_t bits) { return bits << 1 == 0; });
    const bool done = usable ? run_flat(launch, bound_, *flat_rest(), views_of(cut_.rest, launch.views, &scratch))
                             : run_flat(launch, bound_, *whole_, launch.views);
    if (done && launch.check != nullptr)
      expect_flat(launch, bound_, *whole_, launch.check->expected.all(), launch.views);
    return done;
  }

  const host::Buffer* scratch_of(const Launch& launch) const {
    for (int tries = 0; tries < 2; ++tries) {
      try {
        return &launch.scratch.get(launch.chip, 0, cut_.bytes);
      } catch (const host::OutOfDeviceMemory&) {
        launch.scratch.release();
      }
    }
    return nullptr;
  }

  static std::vector<std::span<std::byte>> expected_of(const Launch& launch, const Made& made,
                                                       std::span<std::byte> scratch) {
    std::vector<std::span<std::byte>> out;
    for (const uint32_t source : made.sources)
      out.push_back(source < kScratch ? launch.check->expected.view(source) : scratch);
    return out;
  }

  // Without `scratch` a place that nothing else has stands for it.
  std::vector<View> views_of(const Made& made, std::span<const View> views, const host::Buffer* scratch) const {
    std::vector<View> out;
    for (size_t p = 0; p < made.sources.size(); ++p) {
      if (made.sources[p] < kScratch)
        out.push_back(views[made.sources[p]]);
      else
        out.push_back({scratch ? *scratch : views[0].buffer, scratch ? 0 : uint64_t{1} << 40,
                       made.program.parameters[p].bytes()});
    }
    return out;
  }

  const Program& bound_;
  const Cut cut_;
  const FlatPlan first_;
  const Rest rest_;
  const std::optional<FlatPlan> whole_;
  const double nanoseconds_;
};

// Whether what the program stores stays within bounds if the function of this line is a unit off: as far as it can
// be followed, or if it is only summed up, where every step is held to its bounds by itself.
bool may_be_quick(const Program& bound, uint32_t line, const CompileOptions& options, bool quotients = false) {
  const Instruction& value = bound.body[line];
  if (options.math == Math::Exact || !has_quick_form(value.verb)) return false;
  std::vector<bool> of_register(bound.values.size()), computes(bound.body.size());
  for (size_t at = 0; at < bound.body.size(); ++at) {
    const Instruction& i = bound.body[at];
    computes[at] = i.verb == Verb::Cast || i.verb == Verb::Bitcast || i.verb == Verb::Load || is_arithmetic(i.verb);
    if (i.verb == Verb::Load && i.address.space == Address::Space::Register) of_register[i.result] = true;
  }
  const auto is_value = [&](const Operand& operand) { return !operand.is_number() && operand.value == value.result; };
  if (!bound.registers.empty()) {
    return std::ranges::all_of(bound.body, [&](const Instruction& i) {
      if (std::ranges::none_of(i.inputs(), is_value)) return true;
      const Operand& other = i.operands[is_value(i.operands[0]) ? 1 : 0];
      return i.verb == Verb::Add && !other.is_number() && of_register[other.value];
    });
  }
  const auto bounds = bounds_with_quick_functions(bound, computes, quotients);
  return bounds && std::ranges::all_of(bound.body, [&](const Instruction& i) {
           return i.verb != Verb::Store || i.operands[0].is_number() || (*bounds)[i.operands[0].value] <= kMostUlps;
         });
}

std::unique_ptr<const Plan> cut_plan(const Program& bound, const arch::Harvesting& harvesting,
                                     const CompileOptions& options) {
  if (bound.parameters.empty()) return nullptr;
  std::vector<uint32_t> lines = costly_lines(bound);
  if (lines.size() > kMostCuts) lines.resize(kMostCuts);
  for (const uint32_t line : lines) {
    auto cut = cut_behind(bound, line);
    if (!cut) continue;
    auto first = plan_flat(cut->first.program, nullptr, may_be_quick(bound, line, options));
    if (!first) continue;
    CutPlan::Rest rest;
    try {
      const bool bounded = bound.registers.empty() && may_be_quick(bound, line, options, true);
      if (auto flat = plan_flat(cut->rest.program, nullptr, bounded))
        rest = *std::move(flat);
      else
        rest = std::make_unique<Part>(cut->rest, harvesting, options);
    } catch (const std::invalid_argument&) {  // no hart has room for its registers or its code
      continue;
    }
    return std::make_unique<CutPlan>(bound, *std::move(cut), *std::move(first), std::move(rest));
  }
  return nullptr;
}

// The plan that computes one over each divisor, and products instead of quotients. It pays where many elements have the
// same divisor. `whole` is the plan without that, which computes quotients within bounds. The products are within them,
// too, one unit off at most: the reciprocal is off by half a unit of its own, which is less than one of the product,
// and the product is rounded.
std::unique_ptr<const Plan> reciprocal_plan(const Program& bound, const FlatPlan& whole) {
  std::unique_ptr<const Plan> best;
  for (uint32_t line = 0; line < bound.body.size(); ++line) {
    auto cut = cut_divisor(bound, line);
    if (!cut) continue;
    auto first = plan_flat(cut->first.program);
    auto rest = first ? plan_flat(cut->rest.program, nullptr, true) : std::nullopt;
    if (!rest) continue;
    auto plan = std::make_unique<CutPlan>(bound, *std::move(cut), *std::move(first), *std::move(rest), whole);
    if (!best || plan->nanoseconds() < best->nanoseconds()) best = std::move(plan);
  }
  return best;
}

}  // namespace

Found plan_elementwise(const Program& bound, const arch::Harvesting& harvesting, const CompileOptions& options) {
  std::string why_not;
  std::unique_ptr<const Plan> plan;
  const auto consider = [&](std::unique_ptr<const Plan> other) {
    if (other && (!plan || other->nanoseconds() < plan->nanoseconds())) plan = std::move(other);
  };
  if (auto flat = plan_flat(bound, &why_not, options.math != Math::Exact)) {
    if (flat->quick_quotients) consider(reciprocal_plan(bound, *flat));
    consider(std::make_unique<ElementwisePlan>(bound, *std::move(flat)));
  } else {
    consider(pieces_plan(bound, options));
  }
  consider(cut_plan(bound, harvesting, options));  // of an expression that is too long for Dst, too
  return {std::move(plan), std::move(why_not)};
}

}  // namespace kerr::loops::tiles
