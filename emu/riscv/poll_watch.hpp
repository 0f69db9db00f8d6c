// Finds out that a hart is in a polling loop.   docs/architecture.md "Nothing spins"
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emu/cycle.hpp"
#include "emu/observe/wait.hpp"

namespace kerr::emu {

/// A hart polls if it comes back to the same place with the same registers and has done nothing in between but pure loads: the same
/// turn will follow for ever, until something that it has read changes. What lies between may be anything: several backward
/// branches, calls, loops in loops, stores to the stack of what is there already.
///
/// Watching costs time, so a hart runs in its fast loop and is watched now and then: at once after it was woken, ever more rarely
/// while it computes, and longer whenever a sample shows it where it was before. None of that changes what the hart does.
class PollWatch {
 public:
  using Registers = std::array<std::uint32_t, 32>;

  struct Place {
    std::uint32_t pc = 0;
    Registers x{};
    friend bool operator==(const Place&, const Place&) = default;
  };

  static constexpr Cycle kLongestTurn = 512;  // a longer loop runs for real: catching up costs up to a turn

  // --- when to watch ---
  bool watching() const { return watching_; }
  Cycle until() const { return until_; }          // while watching: when to give up
  Cycle next_look() const { return next_look_; }  // otherwise: when to call look()
  void look(std::uint32_t pc, const Registers& x, Cycle now);
  /// The hart was just set free: what it does now it will probably do again. `turn`: the cycles of its loop, if it was parked.
  void expect(Cycle now, Cycle turn);
  /// The watched hart did something that no polling loop does, or took too long.
  void give_up(Cycle now);
  void reset(Cycle now);

  // --- while watching ---
  enum class Jump { Nothing, Begins, Repeats };
  /// A jump backwards to pc. Begins: a turn is noted from here on. Repeats: the noted turn came to its end, and watching is over.
  Jump jump(std::uint32_t pc, const Registers& x, Cycle now, std::uint64_t instructions);
  /// A turn is being noted: everything that is read must be told.
  bool noting() const { return noting_; }
  void note(WaitMask waits_for) { waits_for_ |= waits_for; }
  /// False if it is already known. Gives up if there are too many.
  bool note_line(std::vector<std::uint32_t>& lines, std::uint32_t line, Cycle now);
  /// What was noted holds no longer: begin again at the next jump.
  void disturb() { noting_ = false; }

  // --- the noted turn ---
  WaitMask waits_for() const { return waits_for_; }
  std::vector<std::uint32_t>& data_lines() { return data_lines_; }
  std::vector<std::uint32_t>& code_lines() { return code_lines_; }
  const std::vector<std::uint32_t>& data_lines() const { return data_lines_; }
  const std::vector<std::uint32_t>& code_lines() const { return code_lines_; }
  bool reads_line(std::uint32_t line) const;
  Cycle cycles_since(Cycle now) const { return now - begin_cycle_; }
  std::uint64_t instructions_since(std::uint64_t now) const { return now - begin_instructions_; }

 private:
  void begin(Cycle now, Cycle cycles);

  bool watching_ = false;
  bool noting_ = false;

  // The turn that is noted.
  Place place_;
  Cycle begin_cycle_ = 0;
  std::uint64_t begin_instructions_ = 0;
  std::uint32_t jumps_ = 0;        // backwards, since the turn began
  std::uint32_t most_jumps_ = 1;   // then it is no turn, or it began too early: begin again, and wait twice as long
  WaitMask waits_for_ = 0;
  std::vector<std::uint32_t> data_lines_;
  std::vector<std::uint32_t> code_lines_;

  // When to watch.
  Cycle until_ = 0;
  Cycle next_look_ = 0;
  Cycle next_try_ = 0;
  Cycle pause_ = 0;                // between tries: doubles
  Place sample_;                   // where the hart was some looks ago
  std::uint32_t looks_ = 0;
  std::uint32_t most_looks_ = 1;   // then take another sample, and keep it twice as long
  Cycle next_recurrence_ = 0;      // before it a recurrence says nothing: the last ones did not stand up to watching
  Cycle recurrence_pause_ = 0;
  bool recurred_ = false;
};

}  // namespace kerr::emu
