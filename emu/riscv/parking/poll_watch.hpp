// Finds out that a hart is in a polling loop.   docs/architecture.md "Nothing spins"
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "emu/cycle.hpp"
#include "emu/riscv/parking/clock_followers.hpp"
#include "emu/riscv/state.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/timing/hart_timer.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

/// A hart polls if it returns to an instruction with the same registers and local memory, has done only pure loads
/// since then, and nothing depends on the time. The same turn then repeats until something that it has read changes. A
/// turn that reads the clock repeats as long as its ClockFollowers hold; only they differ from turn to turn.
/// A turn may contain several backward branches, calls, loops in loops, variables on the stack.
///
/// Watching costs time, so a hart runs in its fast loop and is watched in tries: soon after it was woken; more and more
/// rarely, but longer, while it computes. None of that changes what the hart does.
class PollWatch {
 public:
  static constexpr Cycle kLongestTurn = 512;  // a longer loop runs for real: catching up costs up to two turns

  /// `timer`: of exact timing, where a turn repeats only if all that is in flight repeats too. Null in relaxed timing.
  PollWatch(HartState& hart, timing::HartTimer* timer) : hart_(&hart), timer_(timer) {}
  void reset();

  // --- when to watch ---
  bool watching() const { return watching_; }
  Cycle until() const { return until_; }        // while watching: when to give up
  Cycle next_try() const { return next_try_; }  // otherwise: when to call try_again()
  void try_again();
  /// The hart was just set free. It will probably leave its loop and come back to it, or to another that it has polled
  /// in.
  void set_free();
  /// It is in such a loop again, some time after it was set free: watch_recent_loop() is worth while.
  bool in_recent_loop() const {
    if (hart_->cycle < look_from_) return false;
    for (const RecentLoop& loop : recent_) {
      if (hart_->pc - loop.begin < loop.bytes) return true;
    }
    return false;
  }
  void watch_recent_loop();
  /// Until when it may run unwatched, without a look at its pc.
  Cycle next_look() const { return hart_->cycle < look_from_ ? std::min(look_from_, next_try_) : next_try_; }
  /// The watched hart did something that no polling loop does, or took too long.
  void give_up();

  // --- while watching ---
  enum class Jump { Nothing, Begins, Repeats };
  /// The hart has jumped back from `from`. Begins: a turn is noted from here on. Repeats: the noted turn is complete.
  Jump jump(uint32_t from);
  /// A turn is being noted: everything that is read, and every store to local memory, must be told.
  bool noting() const { return noting_; }
  void note(WaitMask waits_for) { waits_for_ |= waits_for; }
  /// A line of code. False if it is already known. Gives up if there are too many.
  bool note_code(uint32_t line) { return note_line(code_lines_, line); }
  /// Some bytes of a line that were loaded; likewise.
  bool note_data(uint32_t line, uint64_t bytes);
  /// A load from local memory; a store of what may follow the clock, before it is carried out.
  void note_local_load(uint32_t offset, unsigned bytes);
  void note_local_store(uint32_t offset, unsigned bytes, bool follows);
  ClockFollowers& clock() { return clock_; }
  /// What was noted is no longer true: start again at the next jump.
  void disturb() { noting_ = false; }

  // --- the noted turn ---
  WaitMask waits_for() const { return waits_for_; }
  const std::vector<uint32_t>& data_lines() const { return data_lines_; }
  /// Which bytes of each of data_lines() were loaded.
  const std::vector<uint64_t>& data_bytes() const { return data_bytes_; }
  const std::vector<uint32_t>& code_lines() const { return code_lines_; }
  /// The bytes of the line that it depends on.
  uint64_t reads(uint32_t line) const;

  // --- the turn that repeats ---
  /// The start of the first turn that may differ because of the clock. kNever: only a change of what it reads ends it.
  Cycle alarm() const { return alarm_; }
  bool reads_clock() const { return clock_.tells_time(); }
  /// Brings the hart to the start of the last turn that starts at or before `now`; if turns read the clock, of the turn
  /// before that, so that the read is executed again and its latch is seen. Requires Repeats and now <= alarm(); may be
  /// called again with a later or an earlier `now`.
  void restore_turn(Cycle now);

  void serialize(Archive& archive);  // serialize.cpp
  /// After loading: the turn of a parked hart has a possible length; words lie within local memory.
  bool can_restore() const;
  bool fits(uint32_t local_bytes) const;

 private:
  struct LocalWord {
    uint32_t offset = 0;
    uint32_t value = 0;     // at the start of the turn
    bool followed = false;  // the clock, then
    bool follows = false;   // by now
    void serialize(Archive& a) { a(offset, value, followed, follows); }
  };

  void watch(Cycle cycles);
  void begin_turn();
  bool note_line(std::vector<uint32_t>& lines, uint32_t line);
  bool recurs(Cycle turn) const;
  LocalWord* find(uint32_t offset);
  uint32_t local_word(uint32_t offset) const;

  HartState* hart_;
  timing::HartTimer* timer_;
  bool watching_ = false;
  bool noting_ = false;

  // The turn that is noted: where and how it began, and what it has read and stored.
  uint32_t pc_ = 0;
  HartState::Registers x_{};
  uint32_t followers_ = 0;  // of the clock, among x_
  std::unique_ptr<timing::HartTimer> begin_timer_;
  Cycle begin_cycle_ = 0;
  uint64_t begin_instructions_ = 0;
  uint32_t jumps_ = 0;       // backwards, since the turn began
  uint32_t most_jumps_ = 1;  // then it is no turn, or it began too early: begin again, and wait twice as long
  WaitMask waits_for_ = 0;
  std::vector<uint32_t> data_lines_;
  std::vector<uint64_t> data_bytes_;  // of each, which
  std::vector<uint32_t> code_lines_;
  std::vector<LocalWord> words_;  // stored to, or following the clock
  ClockFollowers clock_;

  // The turn that repeats.
  Cycle turn_cycles_ = 0;
  uint64_t turn_instructions_ = 0;
  Cycle alarm_ = kNever;

  // When to watch.
  Cycle until_ = 0;
  Cycle next_try_ = 0;
  Cycle pause_ = 0;  // between tries: doubles

  // The loops in which it was parked last, the latest first. One that was watched without parking is forgotten.
  struct RecentLoop {
    uint32_t begin = 0;
    uint32_t bytes = 0;  // up to the jump back
    void serialize(Archive& a) { a(begin, bytes); }
  };
  std::array<RecentLoop, 4> recent_{};
  Cycle look_from_ = 0;
};

}  // namespace kerr::emu
