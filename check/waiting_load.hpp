// A load that waits in a loop, and the values that would have let it go.
// docs/architecture.md "Checking"
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>

#include "check/is_load.hpp"

namespace kerr::check {

/// The load at a pc, by the code around it.
struct LoadUse {
  bool waits = false;    // in a loop that only loads and compares, until a loaded value ends it
  bool fences = false;   // and empties the data cache in each turn
  bool decides = false;  // a branch depends on the value; true also if that is not known
  bool lives = false;    // behind the loop somebody uses the value that ended it; true also if that is not known
  uint32_t head = 0;     // the loop's first instruction
  uint32_t tail = 0;     // the loop's branch back
};

/// The code of one tile, read where it lies in L1.
class Code {
 public:
  explicit Code(std::span<const uint8_t> l1) : l1_(l1) {}

  /// The load `word` at `pc`: looked at once, until forget() or until the load itself is another.
  const LoadUse& use_of_load(uint32_t pc, uint32_t word) {
    Known& known = known_[pc / 4 % kKnown];
    if (known.pc != pc || known.word != word) [[unlikely]]
      known = {pc, word, analyse(pc)};
    return known.use;
  }
  const LoadUse& use_of_load(uint32_t pc) { return use_of_load(pc, word(pc)); }
  /// Instructions may have changed.
  void forget();

  /// What the hart finds at an address, for the loads behind the one in question; nothing if that is not known.
  using Peek = std::function<std::optional<uint32_t>(uint32_t address, uint32_t bytes)>;

  /// Whether the loop of the load at `pc` ends with `value`, loaded into a hart with these registers. Nothing if that
  /// cannot be said.
  std::optional<bool> leaves(uint32_t pc, uint32_t value, std::span<const uint32_t, 32> registers, const Peek& peek);

  uint32_t word(uint32_t pc) const {
    uint32_t out = 0;
    if (pc % 4 == 0 && uint64_t{pc} + 4 <= l1_.size()) std::memcpy(&out, l1_.data() + pc, 4);
    return out;
  }

 private:
  static constexpr uint32_t kMostWords = 32;
  static constexpr size_t kKnown = 512;
  struct Known {
    uint32_t pc = ~0u;
    uint32_t word = 0;
    LoadUse use;
  };

  LoadUse analyse(uint32_t pc) const;
  bool is_waiting_loop(uint32_t pc, uint32_t head, uint32_t tail) const;
  bool value_decides(uint32_t pc, uint32_t head, uint32_t tail) const;
  bool is_used_behind(uint32_t from, int rd, int branches) const;

  std::span<const uint8_t> l1_;
  std::array<Known, kKnown> known_;
};

}  // namespace kerr::check
