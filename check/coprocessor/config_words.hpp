// Configuration words of the coprocessor: who has written which of their bits.   docs/architecture.md "Checking"
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "check/stamp.hpp"

namespace kerr::check {

struct ConfigWord {
  std::optional<uint32_t> value;      // nothing: nobody has told
  std::array<uint32_t, 3> changed{};  // by thread: bits that it, or its hart, has changed since the program began
  std::array<Stamp, 3> by{};          // ... and who did so last
  // Words with an address for unpackers.
  Stamp stored;  // the last store of a hart
  Stamp taken;   // the last UNPACR that took the address: `number` is its issue
};

class ConfigWords {
 public:
  static constexpr uint32_t kGlobalFirst = 180;  // from here on both banks are one

  ConfigWord& at(uint32_t bank, uint32_t word) { return words_[word >= kGlobalFirst ? word : bank << 8 | word]; }
  void program_begins() {
    for (auto& [place, word] : words_) word.changed = {};
  }

 private:
  std::unordered_map<uint32_t, ConfigWord> words_;
};

/// What a TRISC knows of its configuration stores and its MOP expander.
struct TriscStores {
  uint32_t settled = 0;  // its stores up to this number are done
  bool tracked = false;  // automatic TTSync keeps the order
  std::array<std::optional<uint32_t>, 9> mop_words{};
  Stamp mop;               // the last MOP that it has pushed, of which it does not know the end
  uint32_t mop_push = 0;   // its number among the pushes
  uint32_t mop_issue = 0;  // the last word of it that was issued
  uint32_t last_push = 0;  // that the thread has begun with

  void began(uint32_t push, uint32_t issue) {
    if (push == 0) return;
    last_push = push;
    if (push == mop_push) mop_issue = issue;
  }
};

}  // namespace kerr::check
