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
  std::array<uint32_t, 3> latest{};   // ... and which of them
  // Words with an address for unpackers.
  Stamp stored;  // the last store of a hart
  Stamp taken;   // the last UNPACR that took the address: `number` is its issue
};

/// Units that read configuration words from their start on until they are done.
enum class ConfigUser : uint8_t { Unpacker0, Unpacker1, Packer };

/// Who reads a word for as long as it works; nothing: nobody, or it takes the word when it is issued, as addresses and
/// offsets in L1 and rows of Dst, or units share the word. docs/hardware/tensix-datapath.md 7
constexpr std::optional<ConfigUser> user_of(uint32_t word) {
  using enum ConfigUser;
  const auto in = [word](uint32_t first, uint32_t last) { return word >= first && word <= last; };
  if (in(12, 17) || in(19, 40) || word == 68 || word == 70 || word == 71) return Packer;
  if (in(44, 45) || in(48, 53) || in(56, 57)) return Unpacker0;
  if (in(46, 47) || in(58, 63)) return Unpacker1;
  constexpr uint32_t kSection = 48;  // from THCON_SEC0 to THCON_SEC1
  for (uint32_t n = 0; n < 2; ++n) {
    const uint32_t base = 64 + n * kSection;
    if (in(base, base + 3) || in(base + 8, base + 11) || in(base + 22, base + 23))
      return n == 0 ? Unpacker0 : Unpacker1;
  }
  return std::nullopt;
}

/// Bits of words that several units share, and that `lane` reads for as long as it works, for its own thread or another
/// one. 0 also where no document says who reads them. docs/hardware/tensix-datapath.md 7.2
constexpr uint32_t shared_bits(uint32_t word, Lane lane) {
  const auto field = [](unsigned first, unsigned count) { return ((1u << count) - 1) << first; };
  const bool matrix = lane == Lane::Matrix, packer = lane == Lane::Packer;
  switch (word) {
    case 0: return matrix ? field(0, 10) : packer ? field(10, 5) : 0;  // formats that are given instead
    case 1:                                                            // rounding, formats, what Dst holds
      if (matrix) return field(0, 1) | field(15, 10) | field(29, 1) | field(31, 1);
      return packer ? field(1, 2) | field(25, 4) : lane == Lane::Vector ? field(30, 1) : 0;
    case 2: return matrix ? field(0, 2) : packer ? field(2, 20) : 0;              // zeros; ReLU
    case 18: return packer ? field(0, 4) : 0;                                     // how Dst is read
    case 220: return matrix || packer || lane == Lane::Vector ? field(0, 2) : 0;  // where its rows are
    default: return 0;
  }
}

class ConfigWords {
 public:
  /// The last instruction of each thread that used the words of a unit; `number` is its issue. By lane.
  std::array<std::array<Stamp, 3>, kLanes> used;
  /// The last word that a thread wrote whole, and that its next instruction does not see yet. Of each thread.
  struct Written {
    Stamp by;
    uint32_t bank = 0, first = 0, count = 0;
  };
  std::array<Written, 3> written;

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
  uint32_t settled = 0;                        // its stores up to this number are done
  bool tracked = false, tracked_gprs = false;  // automatic TTSync keeps the order of configuration, of GPRs
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
