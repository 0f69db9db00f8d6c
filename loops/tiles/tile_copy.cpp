#include "loops/tiles/tile_copy.hpp"

#include <algorithm>

#include "loops/tiles/digits.hpp"
#include "loops/tiles/factor_load.hpp"
#include "loops/tiles/flat_index.hpp"
#include "loops/tiles/iteration.hpp"
#include "loops/tiles/slice.hpp"

namespace kerr::loops::tiles {
namespace {

constexpr uint64_t kTileDim = 32;
constexpr uint64_t kMostIterations = 1 << 16;  // that are looked at
constexpr uint64_t kFewestTurns = 4;           // that each element is loaded

// Whether a load is one, for loops of its group.
class Finder {
 public:
  Finder(const Program& bound, const Gathered& what, uint32_t load)
      : bound_(bound), what_(what), made_by_(lines_of_values(bound)), load_(bound.body[load]) {
    copy_.load = load;
  }

  std::optional<TileCopy> find(Digit::Of whole) {
    const bool rows = whole == Digit::Of::Row;
    const std::vector<uint32_t>&all = rows ? what_.rows : what_.columns, &others = rows ? what_.columns : what_.rows;
    if (extent_of(bound_, all) % kTileDim != 0 || extent_of(bound_, others) % kTileDim != 0) return std::nullopt;
    copy_.whole = whole;
    copy_.whole_tiles = extent_of(bound_, all) / kTileDim;
    inside_ = all;
    uint64_t part = 1;
    for (size_t k = others.size(); k-- > 0;) {
      inside_.push_back(others[k]);
      part *= extent_of(bound_, others[k]);
      if (part % kTileDim != 0) continue;
      copy_.part_tiles = part / kTileDim;
      if (fits()) return copy_;
    }
    return std::nullopt;
  }

 private:
  bool fits() {
    std::ranges::sort(inside_);
    return depends_by_address(bound_, what_, copy_.load, [&](uint32_t at) { return is_inside(at); }) && find_steps() &&
           what_.layout.elements() >= kFewestTurns * copy_.elements() && below_stride();
  }

  bool is_inside(uint32_t loop) const { return std::ranges::binary_search(inside_, loop); }
  bool depends(const Operand& operand) const {
    return std::ranges::any_of(lines_behind(bound_, made_by_, {operand}), [&](uint32_t at) { return is_inside(at); });
  }

  using Steps = std::vector<int64_t>;  // of each loop of the group

  // How a value goes on with these loops, modulo 2^32 at least: the others add what they want. Nothing: not in steps.
  std::optional<Steps> steps_of(const Operand& operand) {
    if (operand.is_number() || !depends(operand)) return Steps(inside_.size());
    if (const auto& linear = linear_[operand.value]) return linear->steps;
    const Instruction& line = bound_.body[made_by_[operand.value]];
    if (line.type.lanes != 1 || info(line.type.type).bytes < 4) return std::nullopt;
    const auto scaled = [](std::optional<Steps> steps, int64_t factor) {
      if (steps)
        for (int64_t& step : *steps) step *= factor;
      return steps;
    };
    const Operand &a = line.operands[0], &b = line.operands[1];
    constexpr int64_t kMost = int64_t{1} << 24;
    switch (line.verb) {
      case Verb::Add: {
        auto sum = steps_of(a);
        const auto more = steps_of(b);
        if (!sum || !more) return std::nullopt;
        for (size_t k = 0; k < sum->size(); ++k) (*sum)[k] += (*more)[k];
        return sum;
      }
      case Verb::Mul:
        if (b.is_number() && std::abs(value_of(b)) < kMost) return scaled(steps_of(a), value_of(b));
        return std::nullopt;
      case Verb::Shl:
        if (b.is_number() && b.bits < 24) return scaled(steps_of(a), int64_t{1} << b.bits);
        return std::nullopt;
      default: return std::nullopt;
    }
  }

  // The steps are those of one number that the loops count together, times the stride.
  bool find_steps() {
    linear_ = linear_values(bound_, inside_);
    const auto steps = steps_of(load_.address.element);
    if (!steps) return false;
    copy_.loops.clear();
    for (size_t k = 0; k < inside_.size(); ++k) {
      if (extent_of(bound_, inside_[k]) == 1) continue;
      if ((*steps)[k] <= 0) return false;
      copy_.loops.push_back({inside_[k], static_cast<uint64_t>((*steps)[k])});
    }
    if (copy_.loops.empty()) return false;
    std::vector<TileCopy::Loop> order = copy_.loops;
    std::ranges::sort(order, {}, &TileCopy::Loop::step);
    copy_.stride = order[0].step;
    uint64_t next = copy_.stride;
    for (const TileCopy::Loop& loop : order) {
      if (loop.step != next) return false;
      next *= extent_of(bound_, loop.line);
      if (next > bound_.parameters[load_.address.index].count) return false;
    }
    return true;
  }

  // Whatever else the address is made of stays below the stride, wherever something is loaded.
  bool below_stride() const {
    std::vector<Operand> values{load_.address.element};
    if (load_.gated) values.push_back(load_.operands[0]);
    const std::vector<uint32_t> lines = lines_behind(bound_, made_by_, values);
    std::vector<uint32_t> loops;
    uint64_t iterations = 1;
    Iteration iteration(bound_, lines);
    for (const uint32_t at : lines) {
      if (bound_.body[at].verb != Verb::Loop) continue;
      iteration.set(at, 0);
      if (is_inside(at)) continue;
      loops.push_back(at);
      iterations *= std::min(extent_of(bound_, at), kMostIterations + 1);
      if (iterations > kMostIterations) return false;
    }
    for (uint64_t n = 0; n < iterations; ++n) {
      uint64_t left = n;
      for (const uint32_t loop : loops) {
        iteration.set(loop, left % extent_of(bound_, loop));
        left /= extent_of(bound_, loop);
      }
      iteration.compute();
      if (load_.gated && iteration.of(load_.operands[0]) == 0) continue;
      const auto element = iteration.of(load_.address.element);
      if (!element || *element >= copy_.stride) return false;
    }
    return true;
  }

  const Program& bound_;
  const Gathered& what_;
  const std::vector<uint32_t> made_by_;
  const Instruction& load_;
  std::vector<uint32_t> inside_;
  std::vector<std::optional<LinearIndex>> linear_;
  TileCopy copy_;
};

}  // namespace

std::optional<TileCopy> find_tile_copy(const Program& bound, const Gathered& what) {
  for (const uint32_t at : loads_of_factor(bound, what))
    for (const Digit::Of whole : {Digit::Of::Row, Digit::Of::Column})
      if (auto copy = Finder(bound, what, at).find(whole)) return copy;
  return std::nullopt;
}

Made tile_copy(const Program& bound, const Gathered& what) {
  const TileCopy& copy = *what.copy;
  const Instruction& load = bound.body[copy.load];
  Maker maker(bound);
  maker.at_line(load.line);
  const uint32_t to = maker.scratch(kCopy - kScratch, load.type.type, copy.elements());
  Terms place, axes[2];  // of the whole axis, and of the other one
  uint64_t stride = copy.elements();
  const auto count_to = [&](uint64_t extent) {
    const Operand counted = extent == 1 ? number(0) : maker.loop(extent);
    place.push_back({counted, stride /= extent, extent});
    return counted;
  };
  axes[0].push_back({count_to(copy.whole_tiles), kTileDim, copy.whole_tiles});
  axes[1].push_back({count_to(copy.part_tiles), kTileDim, copy.part_tiles});
  Operand element = count_to(copy.stride);
  const std::vector<Digit>& digits = what.layout.digits;
  std::vector<Operand> counts(digits.size(), number(0));
  for (size_t k = kTileDigits; k < digits.size(); ++k) counts[k] = count_to(digits[k].extent);
  for (size_t k = kTileDigits; k < digits.size(); ++k) {
    const Digit& digit = digits[k];
    const Operand value =
        digit.from ? maker.mod(maker.make(Verb::Sub, Type::I32, {counts[*digit.from], counts[k]}), digit.extent)
                   : counts[k];
    axes[digit.of == copy.whole ? 0 : 1].push_back({value, digit.stride, digit.extent});
  }
  for (const bool whole : {true, false}) {
    const std::vector<uint32_t>& loops = (copy.whole == Digit::Of::Row) == whole ? what.rows : what.columns;
    std::vector<const TileCopy::Loop*> own;
    std::vector<uint64_t> extents;
    for (const uint32_t line : loops) {
      const auto found = std::ranges::find(copy.loops, line, &TileCopy::Loop::line);
      if (found == copy.loops.end()) continue;
      own.push_back(&*found);
      extents.push_back(extent_of(bound, line));
    }
    Terms& terms = axes[whole ? 0 : 1];
    std::ranges::sort(terms, std::ranges::greater{}, &Term::stride);
    const std::vector<Operand> counted = count(maker, terms, extents);
    for (size_t k = 0; k < own.size(); ++k)
      element = maker.add(element, maker.mul(counted[k], static_cast<int64_t>(own[k]->step)));
  }
  const Address from =
      element_of(Address::Space::Parameter, maker.parameter(load.address.index), load.type.type, element);
  maker.store(element_of(Address::Space::Parameter, to, load.type.type, sum_of(maker, place)),
              maker.load(from, load.type, {}));
  Made made = std::move(maker).finish();
  made.places = kTileDim * kTileDim;
  return made;
}

}  // namespace kerr::loops::tiles
