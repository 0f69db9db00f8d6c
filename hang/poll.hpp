// What a polling loop reads, and with which value it would end.   docs/architecture.md "Hangs"
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "isa/riscv/instructions.hpp"

namespace kerr::hang {

/// Which values of a loaded word end the loop, all else being as it is.
struct Wanted {
  enum class Kind : uint8_t {
    Unknown,   // some, but no rule was found, or it cannot be said
    Nothing,   // no value does
    Equal,     // `value`
    NotEqual,  // any but `value`
    AtLeast,   // from `value` on upwards, as far as the loop's arithmetic goes
    AtMost,    // up to `value`
    BitSet,    // those in which bit `value` is 1
    BitClear,
  };
  Kind kind = Kind::Unknown;
  uint32_t value = 0;
  friend bool operator==(const Wanted&, const Wanted&) = default;
};

/// "= 1", ">= 0x5", "with bit 3 set".
std::string text(const Wanted& wanted);

/// A word that a turn of the loop loads.
struct PolledWord {
  uint32_t pc = 0;  // of the load
  uint32_t address = 0;
  uint32_t bytes = 4;
  uint32_t value = 0;  // as the load gives it, before it is extended
  Wanted wanted;
};

/// What the evaluation sees of the hart.
struct PollScene {
  uint32_t pc = 0;  // anywhere in the loop, with the registers that it has there
  std::array<uint32_t, 32> x{};
  std::function<std::optional<uint32_t>(uint32_t pc)> code;
  /// What a load would give; nothing where that cannot be looked at.
  std::function<std::optional<uint32_t>(uint32_t address, uint32_t bytes)> load;
  std::function<bool(uint32_t address)> is_local;  // what only the hart itself writes: its variables
};

/// Evaluates turns of the loop of a hart that is parked, or goes on in it for ever. Changes nothing.
class Poll {
 public:
  explicit Poll(PollScene scene);

  /// False if a turn cannot be followed: an instruction or a word is beyond this. Then there are no words.
  bool known() const { return known_; }
  /// Words beyond local memory that a turn loads, in the order of the loads, each once. Those whose value cannot change
  /// where the loop goes are `Nothing` if another one can.
  const std::vector<PolledWord>& words() const { return words_; }

 private:
  enum class End : uint8_t { Repeats, Leaves, Unknown };
  struct Forced {
    uint32_t address = 0;
    uint32_t value = 0;
  };
  static constexpr uint32_t kMostInstructions = 2048;
  static constexpr size_t kMostWords = 8, kMostDifferences = 16;

  struct Memory;

  End run(const Forced* forced, bool is_first);
  bool store(uint32_t address, uint32_t bytes, uint32_t value);
  std::optional<uint32_t> value_at(uint32_t pc, uint32_t address, uint32_t bytes, const Forced* forced, bool is_first);
  const isa::riscv::Instruction* instruction(uint32_t pc);
  Wanted wanted_of(const PolledWord& word);
  std::vector<uint32_t> candidates(const PolledWord& word) const;

  PollScene scene_;
  bool known_ = false;
  std::vector<PolledWord> words_;
  std::unordered_map<uint32_t, isa::riscv::Instruction> decoded_;
  std::unordered_map<uint32_t, bool> visited_;     // pcs of the turn as it is
  uint32_t written_ = 0;                           // registers that it writes
  std::vector<uint32_t> differences_;              // of the operands of its branches
  std::unordered_map<uint32_t, uint8_t> overlay_;  // local memory, as the turn that runs has changed it
};

}  // namespace kerr::hang
