// What a stage of the front end gives to the next one when asked for a word.
#pragma once

#include <cstdint>

#include "emu/snapshot/archive.hpp"

namespace kerr::emu::tensix {

struct Fetch {
  enum class Kind : uint8_t {
    Word,
    Empty,     // nothing until more words are pushed
    Consumed,  // a word was taken in and gave nothing: one cycle; `word` if it holds bits of no operand
    Fault,     // `word` cannot be processed: `why`
  };
  Kind kind = Kind::Empty;
  uint32_t word = 0;
  const char* why = "";  // a literal

  void serialize(Archive& a) {
    a.below(4, kind);
    a(word);
    a.literal(why);
  }

  static constexpr Fetch of(uint32_t word) { return {Kind::Word, word, ""}; }
  static constexpr Fetch empty() { return {}; }
  static constexpr Fetch consumed(uint32_t odd_word = 0) { return {Kind::Consumed, odd_word, ""}; }
  static constexpr Fetch fault(uint32_t word, const char* why) { return {Kind::Fault, word, why}; }
};

}  // namespace kerr::emu::tensix
