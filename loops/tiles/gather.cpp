#include "loops/tiles/gather.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "loops/tiles/digits.hpp"
#include "loops/tiles/flat_index.hpp"
#include "loops/tiles/slice.hpp"
#include "loops/tiles/strides.hpp"
#include "loops/tiles/tile_tables.hpp"

namespace kerr::loops::tiles {
namespace {

constexpr uint64_t kExponent = 0x7F800000;
// Of two numbers of bf16 in a word: their exponents; what makes the bits above them of infinities' ones; these bits.
constexpr uint64_t kExponents = 0x7F807F80, kLowestOfExponents = 0x00800080, kAboveExponents = 0x80008000;
constexpr uint64_t kTileDim = 32;
constexpr uint64_t kNear = 64;  // bytes: of the shortest lines that harts read

// The load that the factor is, if it is 0 where that is not made.
const Instruction* bare_load(const Program& program, const std::vector<uint32_t>& made_by, const Operand& factor) {
  if (factor.is_number()) return nullptr;
  const Instruction* line = &program.body[made_by[factor.value]];
  while (line->verb == Verb::Cast && info(line->type.type).is_float && info(line->operands[0].type.type).is_float &&
         !line->operands[0].is_number())
    line = &program.body[made_by[line->operands[0].value]];
  if (line->verb != Verb::Load || line->address.space != Address::Space::Parameter) return nullptr;
  const bool zero = !line->gated || (line->operands[1].is_number() && line->operands[1].bits == 0);
  return zero ? line : nullptr;
}

// The conditions that all have to be true for this one.
std::vector<uint32_t> parts_of(const Program& program, const std::vector<uint32_t>& made_by, const Operand& condition) {
  std::vector<uint32_t> left, out;
  std::set<uint32_t> seen;
  const auto take = [&](const Operand& operand) {
    if (!operand.is_number() && seen.insert(operand.value).second) left.push_back(operand.value);
  };
  take(condition);
  while (!left.empty()) {
    const uint32_t value = left.back();
    left.pop_back();
    const Instruction& line = program.body[made_by[value]];
    const auto is_value = [](const Operand& operand) { return !operand.is_number(); };
    if (line.verb == Verb::And && std::ranges::all_of(line.inputs(), is_value))
      for (const Operand& operand : line.inputs()) take(operand);
    else
      out.push_back(value);
  }
  std::ranges::sort(out);
  return out;
}

// Whether the load is made only where the gate is open.
bool has_gate(const Program& program, const std::vector<uint32_t>& made_by, const Instruction& load, const Gate& gate) {
  if (!gate.when || !load.gated) return false;
  return std::ranges::includes(parts_of(program, made_by, load.operands[0]),
                               parts_of(program, made_by, gate.condition));
}

Axes axes_of(const Gathered& what) { return {what.batch, what.rows, what.columns}; }

// In which order digits are counted: as memory has them, but first one tile for the whole batch, then the next, if the
// same tile of the next matrix is loaded from the same lines.
std::vector<size_t> order_of(const Program& bound, const Gathered& what) {
  const std::vector<Digit>& digits = what.layout.digits;
  std::vector<size_t> order(digits.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (what.copy || digits[0].of != Digit::Of::Batch || digits[0].extent == 1) return order;
  if (bytes_of_step(bound, what.factors, axes_of(what), 0, 1) <= kNear)
    std::rotate(order.begin(), order.begin() + 1, order.begin() + kTileDigits);
  return order;
}

// Lines that a tile is loaded from.
uint64_t places_of_tile(const Program& bound, const Gathered& what) {
  uint64_t places = 1;
  const Axes axes = axes_of(what);
  for (const size_t axis : {size_t{1}, size_t{2}})
    if (bytes_of_step(bound, what.factors, axes, axis, 1) >= kNear)
      places *= std::min<uint64_t>(extent_of(bound, axes[axis]), kTileDim);
  return places;
}

// The number of bf16 that a factor is, or is a cast of.
Operand narrow(const Program& program, const std::vector<uint32_t>& made_by, const Operand& factor) {
  if (factor.type.type == Type::Bf16) return factor;
  return program.body[made_by[factor.value]].operands[0];
}

// Loads of two elements at once: where neighbours in a row are neighbours in memory, an even number of which always lie
// together.
struct Pairs {
  uint32_t parameter;
  uint32_t loop;      // the one through the neighbours
  LinearIndex index;  // of `loops`
  std::vector<uint32_t> loops;
};
std::optional<Pairs> pairs_of(const Program& bound, const std::vector<uint32_t>& made_by, const Gathered& what,
                              const Chunk& chunk) {
  if (what.type != Type::Bf16 || what.factors[0].is_number() || !what.gates.empty() || what.columns.empty())
    return std::nullopt;
  const Operand value = narrow(bound, made_by, what.factors[0]);
  const Instruction& load = bound.body[made_by[value.value]];
  if (load.verb != Verb::Load || load.gated || load.address.space != Address::Space::Parameter) return std::nullopt;
  const Parameter& p = bound.parameters[load.address.index];
  if (p.type != Type::Bf16 || load.address.unit != p.type || p.count % 2 != 0) return std::nullopt;
  Pairs out{load.address.index, what.columns.back(), {}, {}};
  for (const auto* loops : {&what.batch, &what.rows, &what.columns})
    out.loops.insert(out.loops.end(), loops->begin(), loops->end());
  using enum Digit::Of;
  const bool whole = extent_of(bound, what.batch, chunk) == what.layout.extent(Batch) &&
                     extent_of(bound, what.rows, chunk) == what.layout.extent(Row) &&
                     extent_of(bound, what.columns, chunk) == what.layout.extent(Column);
  const Digit& last = what.layout.digits.back();
  if (!whole || last.of != Column || last.stride != 1 || last.extent % 2 != 0 || out.loop == chunk.loop ||
      extent_of(bound, out.loop) % 2 != 0)
    return std::nullopt;
  const auto index = linear_index(linear_values(bound, out.loops), load.address.element, out.loops.size());
  if (!index || index->constant % 2 != 0) return std::nullopt;
  for (size_t k = 0; k < out.loops.size(); ++k)
    if (out.loops[k] == out.loop ? index->steps[k] != 1 : index->steps[k] % 2 != 0) return std::nullopt;
  out.index = *index;
  return out;
}
// The same with pairs for elements.
Layout in_pairs(Layout layout) {
  for (Digit& digit : layout.digits)
    if (digit.of == Digit::Of::Column && digit.stride != 1) digit.stride /= 2;
  layout.digits.back().extent /= 2;
  return layout;
}

// What the load is of the copy. `counts`: of the digits, those of tiles and the one inside of them.
Operand copied(Maker& maker, Slice& slice, const Instruction& load, const TileCopy& copy,
               const std::vector<Digit>& digits, const std::vector<Operand>& counts) {
  const size_t whole = digits[1].of == copy.whole ? 1 : 2;
  const Operand tile = maker.add(maker.mul(counts[whole], static_cast<int64_t>(copy.part_tiles)),
                                 maker.mod(counts[3 - whole], copy.part_tiles));
  const Operand group = maker.cast(slice.copy(load.address.element), Type::I32);
  const Operand first = maker.mul(maker.add(maker.mul(tile, static_cast<int64_t>(copy.stride)), group),
                                  static_cast<int64_t>(kTileDim * kTileDim));
  const uint32_t from = maker.scratch(kCopy - kScratch, load.type.type, copy.elements());
  std::optional<Operand> gate, otherwise;
  if (load.gated) {
    gate = slice.copy(load.operands[0]);
    otherwise = slice.copy(load.operands[1]);
  }
  maker.at_line(load.line);
  return maker.load(element_of(Address::Space::Parameter, from, load.type.type, maker.add(first, counts[kTileDigits])),
                    load.type, gate, otherwise);
}

}  // namespace

uint64_t extent_of(const Program& program, uint32_t loop, const Chunk& chunk) {
  return loop == chunk.loop ? chunk.size : extent_of(program, loop);
}

uint64_t extent_of(const Program& program, const std::vector<uint32_t>& loops, const Chunk& chunk) {
  uint64_t out = 1;
  for (const uint32_t loop : loops) out *= extent_of(program, loop, chunk);
  return out;
}

uint64_t flags_of(const Gathered& what) {
  uint64_t out = 1;
  for (size_t k = 0; k < what.flag_digits.value_or(0); ++k) out *= what.layout.digits[k].extent;
  return out;
}

namespace {

// A pair's number is half of that of its first element.
Operand pair(Maker& maker, const Pairs& pairs, const std::vector<Operand>& counted) {
  Operand index = number(pairs.index.constant / 2);
  for (size_t k = 0; k < pairs.loops.size(); ++k) {
    const int64_t step = pairs.loops[k] == pairs.loop ? 1 : pairs.index.steps[k] / 2;
    index = maker.add(index, maker.mul(counted[k], step));
  }
  return maker.load(element_of(Address::Space::Parameter, maker.parameter(pairs.parameter), Type::U32, index),
                    {Type::U32, 1}, {});
}

// Not 0 if the element has the exponent of infinities and NaN; of a pair only kAboveExponents says so.
Operand special(Maker& maker, const Operand& value) {
  if (value.type.type == Type::U32) {
    const Operand exponents = maker.make(Verb::And, Type::U32, {value, number(Type::U32, kExponents)});
    return maker.make(Verb::Add, Type::U32, {exponents, number(Type::U32, kLowestOfExponents)});
  }
  const Operand bits = maker.make(Verb::Bitcast, Type::U32, {maker.cast(value, Type::F32)});
  const Operand exponent = maker.make(Verb::And, Type::U32, {bits, number(Type::U32, kExponent)});
  const Operand is_special = maker.make(Verb::Cmpeq, Type::U32, {exponent, number(Type::U32, kExponent)});
  return maker.make(Verb::Cast, Type::U32, {is_special});
}

// Of the iteration that the slice is set to.
Operand element(const Program& bound, const std::vector<uint32_t>& made_by, const Gathered& what, Slice& slice,
                Maker& maker) {
  std::optional<Operand> product;
  const Instruction* bare = what.factors.size() == 1 ? bare_load(bound, made_by, what.factors[0]) : nullptr;
  for (const Operand& factor : what.factors) {
    const bool is_narrow = what.type == Type::Bf16 && !factor.is_number();
    const Operand value = maker.cast(slice.copy(is_narrow ? narrow(bound, made_by, factor) : factor), what.type);
    product = product ? maker.make(Verb::Mul, what.type, {*product, value}) : value;
  }
  const Operand zero = number(what.type, 0);
  for (const Gate& gate : what.gates) {
    if (bare != nullptr && has_gate(bound, made_by, *bare, gate)) continue;
    const Operand condition = slice.copy(gate.condition);
    product = maker.make(Verb::Where, what.type, {condition, gate.when ? *product : zero, gate.when ? zero : *product});
  }
  if (const auto inside = slice.inside(); inside && (bare == nullptr || !slice.has_all_guards(what.factors[0])))
    product = maker.make(Verb::Where, what.type, {*inside, *product, zero});
  return *product;
}

}  // namespace

Made gather(const Program& bound, const Gathered& what, const Chunk& chunk) {
  const std::vector<uint32_t> made_by = lines_of_values(bound);
  const std::optional<Pairs> pairs = what.copy || what.tables ? std::nullopt : pairs_of(bound, made_by, what, chunk);
  const Layout layout = pairs ? in_pairs(what.layout) : what.layout;
  const Type stored = pairs ? Type::U32 : what.type;
  Maker maker(bound);
  maker.at_line(what.factors[0].is_number() ? 0 : bound.body[made_by[what.factors[0].value]].line);
  const uint32_t matrix = maker.scratch(kMatrix - kScratch, stored, layout.elements());
  uint32_t flags = 0, flag = 0;
  if (what.flag_digits) {
    flags = maker.scratch(kFlags - kScratch, Type::U32, flags_of(what));
    flag = maker.reg(Type::U32, 1);
  }
  const Address flag_now = element_of(Address::Space::Register, flag, Type::U32, number(0));
  std::optional<Operand> first;
  if (chunk.loop != ~0u) first = maker.variable("first", extent_of(bound, chunk.loop));

  // The loops that count through memory. Where tiles are copied, what is inside of them is one.
  std::vector<Digit> digits = layout.digits;
  if (what.copy) {
    digits.resize(kTileDigits);
    digits.push_back({.of = what.copy->whole, .extent = kTileDim * kTileDim, .stride = 0});
  }
  const std::vector<size_t> order = order_of(bound, what);
  std::vector<Operand> counts(digits.size(), number(0));
  std::optional<TileTables> tables;
  if (what.tables) tables.emplace(bound, what, *what.tables);
  for (size_t k = 0; k < digits.size(); ++k) {
    if (what.flag_digits == k) maker.store(flag_now, number(Type::U32, 0));
    if (tables && k == kTileDigits) tables->fill(maker, counts);
    if (digits[order[k]].extent != 1) counts[order[k]] = maker.loop(digits[order[k]].extent);
    if (tables && k >= kTileDigits) tables->look_up(maker, counts, k);
  }
  Terms axis[3], place, flag_place;
  uint64_t stride = layout.elements(), flag_stride = flags_of(what);
  for (size_t k = 0; k < digits.size(); ++k) {
    const Digit& digit = digits[k];
    stride /= digit.extent;
    if (digit.extent == 1) continue;
    const Operand value =
        digit.from ? maker.mod(maker.make(Verb::Sub, Type::I32, {counts[*digit.from], counts[k]}), digit.extent)
                   : counts[k];
    if (digit.stride != 0) axis[static_cast<size_t>(digit.of)].push_back({value, digit.stride, digit.extent});
    place.push_back({counts[k], stride, digit.extent});
    if (what.flag_digits && k < *what.flag_digits)
      flag_place.push_back({counts[k], flag_stride /= digit.extent, digit.extent});
  }

  Slice slice(bound, maker);
  std::vector<Operand> counted_loops;  // in the order of axes; that of pairs counts these
  const std::vector<uint32_t>* loops[3] = {&what.batch, &what.rows, &what.columns};
  for (size_t k = 0; k < (tables ? 1 : 3); ++k) {  // tables know rows and columns
    Terms terms = axis[k];
    std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.stride > b.stride; });
    std::vector<uint64_t> extents;
    std::vector<uint32_t> variables;
    for (const uint32_t loop : *loops[k]) {
      extents.push_back(extent_of(bound, loop, chunk) / (pairs && loop == pairs->loop ? 2 : 1));
      variables.push_back(bound.body[loop].result);
    }
    const std::vector<Operand> counted = count(maker, terms, extents);
    for (size_t v = 0; v < variables.size(); ++v) {
      const uint32_t loop = (*loops[k])[v];
      const bool in_copy = what.copy && std::ranges::count(what.copy->loops, loop, &TileCopy::Loop::line) != 0;
      const Operand counts_in_chunk = loop == chunk.loop ? maker.add(counted[v], *first) : counted[v];
      counted_loops.push_back(in_copy ? number(0) : counts_in_chunk);
      slice.set(variables[v], counted_loops.back());
    }
    const uint64_t extent = extent_of(bound, *loops[k], chunk);
    if (!pairs && end_of(terms) > extent)
      slice.guard(variables,
                  maker.make(Verb::Cmplt, Type::I32, {sum_of(maker, terms), number(static_cast<int64_t>(extent))}));
  }

  if (tables) slice.set(bound.body[*what.tables].result, tables->loaded(maker));
  if (what.copy) {
    const Instruction& load = bound.body[what.copy->load];
    slice.set(load.result, copied(maker, slice, load, *what.copy, digits, counts));
  }
  const Operand value = pairs ? pair(maker, *pairs, counted_loops) : element(bound, made_by, what, slice, maker);
  maker.store(element_of(Address::Space::Parameter, matrix, stored, sum_of(maker, place)), value);
  if (what.flag_digits) {
    const Operand before = maker.load_here(flag_now, {Type::U32, 1});
    maker.store(flag_now, maker.make(Verb::Or, Type::U32, {before, special(maker, value)}));
    for (size_t k = *what.flag_digits; k < digits.size(); ++k)
      if (digits[k].extent != 1) maker.end();
    Operand all = maker.load_here(flag_now, {Type::U32, 1});
    if (pairs) all = maker.make(Verb::And, Type::U32, {all, number(Type::U32, kAboveExponents)});
    maker.store(element_of(Address::Space::Parameter, flags, Type::U32, sum_of(maker, flag_place)), all);
  }
  Made made = std::move(maker).finish();
  if (order[0] != 0) made.places = places_of_tile(bound, what);
  return made;
}

}  // namespace kerr::loops::tiles
