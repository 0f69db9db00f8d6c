// Loops that only make elements of registers, and what they need of the loops round them.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "loops/scalar/places.hpp"

namespace kerr::loops::scalar {

/// What values and loads need when they are made again further outside. A place is how many of the chain's loops it is
/// in: place 0 is before the first of them.
class Needs {
 public:
  /// `chain`: loops, from the outermost to the innermost, that all of what is asked for is in or before.
  Needs(const Places& places, const std::vector<uint32_t>& chain) : places_(places), chain_(chain) {}

  struct Need {
    uint32_t place = 0;  // the outermost
    uint64_t uses = 0;   // bit k: the variable of chain loop k
    Need& operator|=(const Need& other) {
      place = place < other.place ? other.place : place;
      uses |= other.uses;
      return *this;
    }
  };
  /// Nothing: it is too much to follow.
  std::optional<Need> of(const Operand& operand);
  /// What memory adds to the needs of a load's operands: it must stay in loops that store to it.
  uint32_t place_of_memory(const Instruction& load) const;
  /// The place where a line stands.
  uint32_t place_of(uint32_t at) const;
  /// The chain's loop whose variable it is, or chain.size().
  size_t variable(uint32_t value) const;

 private:
  const Places& places_;
  const std::vector<uint32_t>& chain_;
  std::unordered_map<uint32_t, Need> known_;  // of values
  uint32_t followed_ = 0;
};

struct Reduction {
  uint32_t begin = 0, end = 0;  // of the loop
  std::vector<uint32_t> chain;  // loops round it, from the outermost to the innermost
  std::vector<uint32_t> inits;  // stores before it, each to an element that it goes on with: its results
  Needs::Need need;
};

/// The loop of line `begin`, if it can be moved at all: it stores to elements of registers only, and each of them is
/// set before it or inside of it before it is loaded.
std::optional<Reduction> find_reduction(const Places& places, uint32_t begin);

}  // namespace kerr::loops::scalar
