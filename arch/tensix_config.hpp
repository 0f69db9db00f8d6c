#pragma once

#include <stdint.h>

#include "arch/array.hpp"
#include "arch/memory_map.hpp"

// Named fields of the coprocessor's configuration words, spelled as the hardware documents spell them.
// docs/hardware/tensix-datapath.md 7, tile.md 4.6
namespace kerr::arch {

inline constexpr int kConfigWords = 224;       // of each of the two banks
inline constexpr int kConfigBanks = 2;
inline constexpr int kConfigGlobalFirst = 180;  // words from here exist once, shared by both banks
inline constexpr int kConfigThconFirst = 64;    // words 64..179 are cleared by soft-reset bit 9
inline constexpr int kThreadConfigWords = 68;   // 16 bits each

struct ConfigField {
  uint16_t word;
  uint8_t shift;
  uint8_t width;

  constexpr uint32_t value_mask() const { return width == 32 ? ~0u : (1u << width) - 1; }
  constexpr uint32_t mask() const { return value_mask() << shift; }
  constexpr uint32_t get(uint32_t word_value) const { return (word_value >> shift) & value_mask(); }
  constexpr uint32_t set(uint32_t word_value, uint32_t field_value) const {
    return (word_value & ~mask()) | ((field_value & value_mask()) << shift);
  }
  constexpr uint32_t of(uint32_t field_value) const { return set(0, field_value); }
  constexpr bool holds(uint32_t field_value) const { return (field_value & ~value_mask()) == 0; }
  // The same field of another section or context, `words` further.
  constexpr ConfigField words_on(unsigned words) const { return {static_cast<uint16_t>(word + words), shift, width}; }

  friend constexpr bool operator==(const ConfigField&, const ConfigField&) = default;
};

// All bits from one field to another of the same word.
constexpr ConfigField joined(ConfigField first, ConfigField last) {
  return {first.word, first.shift, static_cast<uint8_t>(last.shift + last.width - first.shift)};
}

struct NamedConfigField {
  const char* name;
  ConfigField field;
};

#define X(name, word, shift, width) inline constexpr ConfigField name{word, shift, width};
namespace thread_config {
#include "arch/thread_config_fields.inc"
}  // namespace thread_config
namespace global_config {
#include "arch/global_config_fields.inc"
}  // namespace global_config
#undef X

// The same field of unpacker 0 or 1, given that of 0 in THCON_SEC0.
constexpr ConfigField of_unpacker(ConfigField field, unsigned unpacker) {
  using namespace global_config;
  return field.words_on(unpacker * (THCON_SEC1_REG0_TileDescriptor.word - THCON_SEC0_REG0_TileDescriptor.word));
}

#define X(name, word, shift, width) {#name, {word, shift, width}},
inline constexpr NamedConfigField kThreadConfigFields[] = {
#include "arch/thread_config_fields.inc"
};
inline constexpr NamedConfigField kGlobalConfigFields[] = {
#include "arch/global_config_fields.inc"
};
#undef X

// Bits of each word that exist; the others read 0.
inline constexpr Array<uint32_t, kConfigWords> kConfigWordMask = [] {
  Array<uint32_t, kConfigWords> masks;
  for (const NamedConfigField& f : kGlobalConfigFields) masks[f.field.word] |= f.field.mask();
  return masks;
}();
inline constexpr Array<uint16_t, kThreadConfigWords> kThreadConfigWordMask = [] {
  Array<uint16_t, kThreadConfigWords> masks;
  for (const NamedConfigField& f : kThreadConfigFields)
    masks[f.field.word] = static_cast<uint16_t>(masks[f.field.word] | f.field.mask());
  return masks;
}();

}  // namespace kerr::arch
