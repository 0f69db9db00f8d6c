#include "kernels/blocks/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace kerr::kernels {

namespace tx = isa::tensix;
using arch::ConfigField;
using arch::NamedConfigField;

namespace {

std::string name_of(ConfigField field, std::span<const NamedConfigField> fields) {
  for (const NamedConfigField& f : fields) {
    if (f.field == field) return f.name;
  }
  return fmt::format("bit {} and up of configuration word {}", field.shift, field.word);
}

struct Word {
  uint32_t index, mask, value;
};

std::vector<Word> words_of(Settings settings, std::span<const NamedConfigField> fields) {
  std::vector<Word> words;
  for (const Setting& s : settings) {
    if (!s.field.holds(s.value)) {
      throw std::logic_error(
          fmt::format("{} has {} bits: it does not hold {:#x}", name_of(s.field, fields), s.field.width, s.value));
    }
    auto word = std::ranges::find(words, s.field.word, &Word::index);
    if (word == words.end()) word = words.insert(word, {s.field.word, 0, 0});
    if (word->mask & s.field.mask()) throw std::logic_error(name_of(s.field, fields) + " is set twice");
    word->mask |= s.field.mask();
    word->value |= s.field.of(s.value);
  }
  return words;
}

// RMWCIB0 to RMWCIB3 modify one byte of the word each, and have opcodes in this order.
void modify_byte(Stream& a, unsigned byte, const Word& word) {
  const uint32_t mask = word.mask >> 8 * byte & 0xFF, data = word.value >> 8 * byte & 0xFF;
  static_assert(tx::RMWCIB3{}.encode() - tx::RMWCIB0{}.encode() == 3 << 24);
  const tx::RMWCIB0 first{.cfg_reg_addr = word.index, .data = data, .mask = mask};
  if (mask != 0) a.ttinsn(first.encode() + (byte << 24));
}

tx::SETC16 set(const Word& word) { return {.setc16_value = word.value, .setc16_reg = word.index}; }

}  // namespace

void store_config(Caller a, const Windows& w, Settings settings, isa::Reg temp) {
  for (const Word& word : words_of(settings, arch::kGlobalConfigFields)) {
    const isa::Reg value = word.value == 0 ? isa::reg::zero : temp;
    if (word.value != 0) a->li(temp, word.value);
    a->sw(value, w.config, static_cast<int32_t>(4 * word.index));
  }
}

void modify_config(Caller a, Settings settings) {
  for (const Word& word : words_of(settings, arch::kGlobalConfigFields)) {
    for (unsigned byte = 0; byte < 4; ++byte) modify_byte(a, byte, word);
  }
}

void set_thread_config(Caller a, Settings settings) {
  for (const Word& word : words_of(settings, arch::kThreadConfigFields)) a->tensix(set(word));
}

tx::SETC16 thread_word(Settings settings) {
  const std::vector<Word> words = words_of(settings, arch::kThreadConfigFields);
  if (words.size() != 1) throw std::logic_error("the settings are not those of one word");
  return set(words.front());
}

}  // namespace kerr::kernels
