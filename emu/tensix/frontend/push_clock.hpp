// When the words of a thread were pushed, for those who count cycles.   docs/architecture.md "Time"
#pragma once

#include <algorithm>

#include "emu/cycle.hpp"
#include "emu/snapshot/archive.hpp"

namespace kerr::emu::tensix {

/// In relaxed timing a thread issues in one go what a hart has pushed in 64 cycles. The times of this clock keep what
/// lay between two pushes: their differences are cycles of the hart, without those in which it waited for room.
class PushClock {
 public:
  /// A word is pushed at the hart's cycle `now`; `fused`: silicon pushes it in the cycle of the word before, if that
  /// was the hart's last instruction. Returns the word's time.
  Cycle push(Cycle now, bool fused) {
    const Cycle since = (refused_ ? refused_at_ : now) - last_;
    if (!fused || since != 1) time_ = time_at(now);
    if (room_) time_ = std::max(time_, room_at_);
    last_ = std::max(last_, now);
    refused_ = room_ = false;
    return time_;
  }
  /// There was no room at the hart's cycle `now`.
  void refuse(Cycle now) {
    if (!refused_) refused_at_ = std::max(now, last_);
    refused_ = true;
  }
  /// The thread takes a word at its own time `now` and so makes room.
  void make_room(Cycle now) {
    if (!refused_ || room_) return;
    room_ = true;
    room_at_ = now;
  }
  /// All words have been taken: what one would get that were pushed at the harts' cycle `now`. A hart that waited for
  /// room can push again from `now` on.
  Cycle next(Cycle now) {
    if (refused_) {
      push(now, false);
    }
    return time_at(now);
  }
  /// The time of the last word.
  Cycle last() const { return time_; }

  void serialize(Archive& a) { a(time_, last_, refused_, refused_at_, room_, room_at_); }

 private:
  Cycle time_at(Cycle now) const { return time_ + (refused_ ? refused_at_ : std::max(now, last_)) - last_; }

  Cycle time_ = 0, last_ = 0;  // of the last word: in this clock, and the hart's cycle
  bool refused_ = false;       // a hart waits for room
  Cycle refused_at_ = 0;
  bool room_ = false;  // there has been room since
  Cycle room_at_ = 0;
};

}  // namespace kerr::emu::tensix
