#include "isa/tensix/table.hpp"

#include <algorithm>
#include <array>

#include "isa/each.hpp"

namespace kerr::isa::tensix {
namespace {

using namespace resource;
using namespace gate;

// One array of operands per row; a row without operands has an empty one.
#define KERR_FIELD(name, low, width) Field{#name, low, width},
#define X(mnemonic, opcode, unit, cycles, gate, reads, writes, ...) \
  constexpr std::array k##mnemonic##Fields{KERR_EACH(KERR_FIELD, __VA_ARGS__) Field{"", 0, 0}};
#include "isa/tensix/instructions.def"
#undef KERR_FIELD

template <size_t N>
constexpr std::span<const Field> without_sentinel(const std::array<Field, N>& fields) {
  return {fields.data(), N - 1};
}

template <size_t N>
constexpr uint32_t union_of_masks(const std::array<Field, N>& fields) {
  uint32_t bits = 0;
  for (const Field& f : fields) bits |= f.mask();
  return bits;
}

#define X(mnemonic, opcode, unit, cycles, gate, reads, writes, ...) \
  Row{Opcode::mnemonic,                                             \
      #mnemonic,                                                    \
      Unit::unit,                                                   \
      cycles,                                                       \
      static_cast<Gate>(gate),                                      \
      reads,                                                        \
      writes,                                                       \
      union_of_masks(k##mnemonic##Fields),                          \
      without_sentinel(k##mnemonic##Fields)},
constexpr std::array kRows{
#include "isa/tensix/instructions.def"
};

constexpr uint8_t kNoRow = 0xFF;
static_assert(kRows.size() < kNoRow);

constexpr std::array<uint8_t, 256> kRowOfOpcode = [] {
  std::array<uint8_t, 256> index{};
  index.fill(kNoRow);
  for (size_t i = 0; i < kRows.size(); ++i) index[static_cast<size_t>(kRows[i].opcode)] = static_cast<uint8_t>(i);
  return index;
}();

// Operands of one row may not overlap, nor reach into the opcode byte; rows are in opcode order.
constexpr bool well_formed() {
  for (size_t i = 0; i < kRows.size(); ++i) {
    if (i > 0 && kRows[i - 1].opcode >= kRows[i].opcode) return false;
    uint32_t seen = 0;
    for (const Field& f : kRows[i].fields) {
      if (f.low + f.width > 24 || (seen & f.mask()) != 0) return false;
      seen |= f.mask();
    }
  }
  return static_cast<uint32_t>(kRows.back().opcode) << 24 < kFirstInvalidWord;
}
static_assert(well_formed());

}  // namespace

const Field* Row::field(std::string_view name) const {
  const auto it = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
  return it == fields.end() ? nullptr : &*it;
}

std::span<const Row> rows() { return kRows; }

const Row* find(Opcode opcode) {
  const uint8_t i = kRowOfOpcode[static_cast<uint8_t>(opcode)];
  return i == kNoRow ? nullptr : &kRows[i];
}

const Row* find(std::string_view mnemonic) {
  const auto it = std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.mnemonic == mnemonic; });
  return it == kRows.end() ? nullptr : &*it;
}

const Row* row_of(uint32_t word) { return find(opcode_of(word)); }

uint32_t unnamed_bits(uint32_t word) {
  const Row* row = row_of(word);
  return word & 0x00FFFFFF & ~(row ? row->named_bits : 0);
}

}  // namespace kerr::isa::tensix
