#include "loops/tiles/tile_tables.hpp"

#include <algorithm>

#include "loops/tiles/digits.hpp"
#include "loops/tiles/factor_load.hpp"
#include "loops/tiles/slice.hpp"

namespace kerr::loops::tiles {
namespace {

constexpr uint32_t kTileDim = 32;
constexpr std::array kAxes{Digit::Of::Row, Digit::Of::Column};

bool has(const std::vector<uint32_t>& loops, uint32_t loop) { return std::ranges::find(loops, loop) != loops.end(); }

// Whether a value modulo 2^32 is a sum of values each of which depends on loops of one axis.
class Sums {
 public:
  Sums(const Program& bound, const Gathered& what) : bound_(bound), what_(what), made_by_(lines_of_values(bound)) {}

  bool is_sum(const Operand& operand) const {
    if (operand.is_number() || !depends(operand, what_.rows) || !depends(operand, what_.columns)) return true;
    const Instruction& line = bound_.body[made_by_[operand.value]];
    if (line.type != VectorType{Type::I32, 1}) return false;
    const Operand &a = line.operands[0], &b = line.operands[1];
    switch (line.verb) {
      case Verb::Add:
      case Verb::Sub: return is_sum(a) && is_sum(b);
      case Verb::Mul:
      case Verb::Shl: return b.is_number() && is_sum(a);
      default: return false;
    }
  }

 private:
  bool depends(const Operand& operand, const std::vector<uint32_t>& loops) const {
    const auto in = [&](uint32_t at) { return has(loops, at); };
    return std::ranges::any_of(lines_behind(bound_, made_by_, {operand}), in);
  }

  const Program& bound_;
  const Gathered& what_;
  const std::vector<uint32_t> made_by_;
};

// Whether a tile's elements are in several turns of a loop, so that they are counted by divisions.
bool divides(const Program& bound, const std::vector<uint32_t>& loops) {
  uint64_t inner = 1, turning = 0;
  for (const uint32_t loop : loops) {
    const uint64_t extent = extent_of(bound, loop);
    if (extent == 1) continue;
    inner = extent;
    ++turning;
  }
  return turning > 1 && inner % kTileDim != 0;
}

}  // namespace

std::optional<uint32_t> find_tile_tables(const Program& bound, const Gathered& what) {
  if (what.copy) return std::nullopt;
  for (const auto* loops : {&what.rows, &what.columns})
    if (extent_of(bound, *loops) % kTileDim != 0) return std::nullopt;
  if (!divides(bound, what.rows) && !divides(bound, what.columns)) return std::nullopt;
  const auto in_tile = [&](uint32_t loop) { return has(what.rows, loop) || has(what.columns, loop); };
  for (const uint32_t at : loads_of_factor(bound, what)) {
    const Instruction& load = bound.body[at];
    if (!load.gated && !load.address.element.is_number() && load.address.element.type == VectorType{Type::I32, 1} &&
        depends_by_address(bound, what, at, in_tile) && Sums(bound, what).is_sum(load.address.element))
      return at;
  }
  return std::nullopt;
}

TileTables::TileTables(const Program& bound, const Gathered& what, uint32_t load)
    : bound_(bound), what_(what), load_(bound.body[load]) {}

const std::vector<uint32_t>& TileTables::loops_of(Digit::Of axis) const {
  return axis == Digit::Of::Row ? what_.rows : what_.columns;
}

void TileTables::fill(Maker& maker, const std::vector<Operand>& counts) {
  const std::vector<Digit>& digits = what_.layout.digits;
  const auto set = [&](Slice& slice, const std::vector<uint32_t>& loops, const Terms& terms) {
    std::vector<uint64_t> extents;
    for (const uint32_t loop : loops) extents.push_back(extent_of(bound_, loop));
    const std::vector<Operand> counted =
        terms.empty() ? std::vector(loops.size(), number(0)) : count(maker, terms, extents);
    for (size_t k = 0; k < loops.size(); ++k) slice.set(bound_.body[loops[k]].result, counted[k]);
  };
  const auto element = [&](const Terms& of_rows, const Terms& of_columns) {
    Slice slice(bound_, maker);
    set(slice, what_.batch, {{counts[0], 1, digits[0].extent}});
    set(slice, what_.rows, of_rows);
    set(slice, what_.columns, of_columns);
    return slice.copy(load_.address.element);
  };
  for (const Digit::Of axis : kAxes) {
    const bool rows = axis == Digit::Of::Row;
    uint32_t& table = table_[rows ? 0 : 1];
    table = maker.reg(Type::I32, kTileDim, true);
    const size_t tile = digits[1].of == axis ? 1 : 2;
    const Operand one = maker.loop(kTileDim);
    const Terms terms{{counts[tile], kTileDim, digits[tile].extent}, {one, 1, kTileDim}};
    Operand value = rows ? element(terms, {}) : element({}, terms);
    if (!rows) value = maker.make(Verb::Sub, Type::I32, {value, element({}, {})});
    maker.at_line(load_.line);
    maker.store(element_of(Address::Space::Register, table, Type::I32, one), value);
    maker.end();
  }
}

void TileTables::look_up(Maker& maker, const std::vector<Operand>& counts, size_t digit) {
  const std::vector<Digit>& digits = what_.layout.digits;
  for (const Digit::Of axis : kAxes) {
    size_t last = 0;
    Terms terms;
    for (size_t k = kTileDigits; k < digits.size(); ++k) {
      if (digits[k].of != axis) continue;
      last = std::max({last, k, size_t{digits[k].from.value_or(0)}});
    }
    if (last != digit) continue;
    for (size_t k = kTileDigits; k < digits.size(); ++k) {
      if (digits[k].of != axis) continue;
      const Operand value =
          digits[k].from
              ? maker.mod(maker.make(Verb::Sub, Type::I32, {counts[*digits[k].from], counts[k]}), digits[k].extent)
              : counts[k];
      terms.push_back({value, digits[k].stride, digits[k].extent});
    }
    const size_t which = axis == Digit::Of::Row ? 0 : 1;
    part_[which] = maker.load_here(element_of(Address::Space::Register, table_[which], Type::I32, sum_of(maker, terms)),
                                   {Type::I32, 1});
  }
}

Operand TileTables::loaded(Maker& maker) const {
  const Operand element = maker.add(part_[0], part_[1]);
  const Type type = load_.type.type;
  const Address from = element_of(Address::Space::Parameter, maker.parameter(load_.address.index), type, element);
  return maker.load(from, load_.type, {});
}

}  // namespace kerr::loops::tiles
