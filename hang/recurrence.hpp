// Whether harts that have gone round once go round for ever.   docs/architecture.md "Hangs"
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hang/going_on.hpp"

namespace kerr::hang {

/// What comes of a round if nobody else writes what it reads.
struct Recurrence {
  enum class Kind : uint8_t {
    Unknown,
    Ends,     // the way of the round is taken `rounds` times, then `deciding` goes another way
    ForEver,  // the same way is taken for ever
  };
  Kind kind = Kind::Unknown;
  bool is_in = false;         // the steps before it do nothing else than it does; otherwise it is still to come
  size_t begin = 0, end = 0;  // the round: these of GoingOn::steps()
  uint64_t rounds = 0;        // Ends
  size_t deciding = 0;        // Ends: the step that compares
  /// ForEver: what is not the same in each round.
  struct Counter {
    bool is_register = true;
    uint8_t who = 0, reg = 0;
    WordAt word;
    bool even = true;
    uint32_t by = 0;
  };
  std::vector<Counter> counters;
};

/// The steps from `begin` to `end` (excluded) lead each hart back to the pc at which it began.
///
/// By induction: assume that each register and word that the round writes is greater by a constant in each next round,
/// or anything in a range. Go once through the round, and see how what it computes differs then. If all branches go
/// the same way, all addresses stay, and what is there at the end has changed as was assumed, it holds for all rounds.
/// `budget`: of steps to look at, lowered by those that were. When it is used up, nothing more is found.
Recurrence recurrence(const GoingOn& run, size_t begin, size_t end, uint64_t& budget);

/// Looks for a round of a run of one hart: of the loops that it is in, one that does not end or, of those that do, the
/// one that takes longest.
Recurrence recurrence_of_one(const GoingOn& run, uint64_t& budget);

}  // namespace kerr::hang
