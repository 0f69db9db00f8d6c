// How a value changes from one round of a loop to the next.   docs/architecture.md "Hangs"
#pragma once

#include <cstdint>
#include <optional>

#include "isa/riscv/instructions.hpp"

namespace kerr::hang {

/// A value that is `now` in round 0 is now + n * by (modulo 2^32) in round n, if `even`; else it may be anything from
/// `least` to `most`.
struct Change {
  bool even = true;
  uint32_t by = 0;
  uint32_t least = 0, most = ~0u;

  static Change none() { return {}; }
  static Change every(uint32_t by) { return {true, by, 0, ~0u}; }
  static Change within(uint32_t least, uint32_t most) { return {false, 0, least, most}; }
  static Change any() { return within(0, ~0u); }
  bool is_none() const { return even && by == 0; }
  friend bool operator==(const Change&, const Change&) = default;
};

struct Changing {
  uint32_t now = 0;
  Change change;
  /// What it may be in any round.
  uint32_t least() const { return change.is_none() ? now : change.even ? 0 : change.least; }
  uint32_t most() const { return change.is_none() ? now : change.even ? ~0u : change.most; }
};

/// Whether `actual` is among what `assumed` says.
bool covers(const Changing& assumed, const Changing& actual);

struct Comparison {
  enum class Kind : uint8_t {
    Always,   // in all rounds as in round 0
    Until,    // for `rounds` rounds as in round 0, in the next one not
    Unknown,  // that cannot be said
  };
  Kind kind = Kind::Unknown;
  uint64_t rounds = 0;
};
enum class Relation : uint8_t { Equal, Less, LessUnsigned };
Comparison compare(Relation relation, const Changing& a, const Changing& b);
/// What the branch compares.
Comparison compare(const isa::riscv::Instruction& branch, const Changing& a, const Changing& b);

/// How the result of an instruction that computes on registers changes, a = x[rs1] and b = x[rs2] being what it reads.
/// If the instruction compares (slt and its like), `until` is lowered to the rounds for which that holds.
Change change_of(const isa::riscv::Instruction& i, const Changing& a, const Changing& b, uint64_t& until);
/// What a load of `bytes` gives of a word that changes so.
Change loaded(const isa::riscv::Instruction& load, const Change& word);

}  // namespace kerr::hang
