// The way of one thread's words from a push to the wait gate.   docs/hardware/tensix-datapath.md 2; tile.md 4.8
#pragma once

#include <cstdint>

#include "emu/fifo.hpp"
#include "emu/tensix/frontend/fetch.hpp"
#include "emu/tensix/frontend/mop_expander.hpp"
#include "emu/tensix/frontend/push_clock.hpp"
#include "emu/tensix/frontend/replay_expander.hpp"
#include "emu/wait.hpp"

namespace kerr::emu::tensix {

/// TRISC -> FIFO -> MOP expander -> FIFO -> replay expander -> next(). BRISC enters at the second FIFO.
///
/// Words are pulled: nothing is expanded before somebody asks. The second FIFO fills only when the first is full or
/// when a word enters there, so that such a word stays behind what was pushed before it. A full FIFO refuses; nothing
/// is lost.
class FrontEnd {
 public:
  static constexpr unsigned kFirstFifoWords = 32;
  static constexpr unsigned kFirstFifoAccepts = 28;  // accepts a word while it holds at most so many
  static constexpr unsigned kSecondFifoWords = 16;   // not published

  FrontEnd(int thread, WaitBoard& board) : thread_(thread), board_(board) {}

  /// TRISCs push before the MOP expander, BRISC and the debug bus behind it. False: full, wait for wait::fifo(thread).
  /// `now` is the pusher's cycle (0: right behind the word before), `fused` whether silicon pushes the word in the same
  /// cycle as the word before.
  bool push_before_mop(uint32_t word, Cycle now = 0, bool fused = false);
  bool push_after_mop(uint32_t word, Cycle now = 0, bool fused = false);
  bool room_after_mop() const { return !second_.full(); }

  void write_mop_config(unsigned word, uint32_t value) { mop_.write_config(word, value); }

  /// One cycle's work: the word that reaches the wait gate, if any. `now` is the thread's own time, that of pushed().
  Fetch next(Cycle now) {
    if (replay_.playing()) return Fetch::of(replay_.next());
    if (second_.empty() && !stuck_ && mop_.in_loop()) return replay_.accept(mop_.next_of_loop());
    return next_of_fifos(now);
  }
  /// When the word was pushed that next() gave last, or the MOP or REPLAY that it came from.
  Cycle pushed() const { return taken_; }
  /// Which push that was, and how many there have been: numbers from 1 on, for observers. Not hashed, not saved: 0 of
  /// a word that was on its way then.
  uint32_t push_taken() const { return push_taken_; }
  uint32_t pushes() const { return pushes_; }
  /// When the last word was pushed of all.
  Cycle last_pushed() const { return clock_.last(); }
  /// All words are taken that were pushed before the harts' cycle `now`: when the next one will have been pushed at the
  /// earliest.
  Cycle next_push(Cycle now) { return clock_.next(now); }
  /// The next word is recorded only, which takes a cycle.
  bool records() const { return replay_.recording(); }

  /// One of a playback, or of a MOP's inner loop: the same as next(), for most words of a kernel. False: next() has to
  /// find out, and nothing has happened.
  bool next_prepared(uint32_t& word) {
    if (replay_.playing()) {
      word = replay_.next();
      return true;
    }
    if (!second_.empty() || stuck_ || !mop_.in_loop() || !replay_.passes_through(mop_.word_of_loop())) return false;
    word = mop_.next_of_loop();
    return true;
  }

  /// Is there one among the words on their way for which predicate(word) holds? Oldest first. Words that an expansion
  /// has still to give are not among them: see expanding() and playing().
  template <class Predicate>
  bool any_word(Predicate predicate) const {
    for (unsigned i = 0; i < second_.size(); ++i) {
      if (predicate(second_[i].word)) return true;
    }
    for (unsigned i = 0; i < first_.size(); ++i) {
      if (predicate(first_[i].word)) return true;
    }
    return false;
  }
  bool expanding() const { return mop_.expanding(); }
  bool playing() const { return replay_.playing(); }

  /// Nothing on its way. A recording that waits for more words is nothing.
  bool empty() const { return !replay_.playing() && !mop_.expanding() && first_.empty() && second_.empty() && !stuck_; }
  /// No MOP queued or being expanded.
  bool mop_idle() const { return mops_queued_ == 0 && !mop_.expanding(); }

  /// The thread's TRISC went into reset: first FIFO and MOP expander lose what they hold (tile.md 3.1).
  void drop_before_mop();
  void serialize(Archive& a) {
    a(first_, mop_, second_, replay_, clock_, pulled_, taken_, mops_queued_, stuck_, problem_);
  }

 private:
  struct Pushed {
    uint32_t word = 0;
    uint32_t number = 0;  // of all pushes, from 1 on
    Cycle time = 0;       // of PushClock
    void serialize(Archive& a) { a(word, time); }
  };

  Fetch next_of_fifos(Cycle now);
  Fetch pull_first();
  void fill_second();

  int thread_;
  WaitBoard& board_;
  Fifo<kFirstFifoWords, Pushed> first_;
  MopExpander mop_;
  Fifo<kSecondFifoWords, Pushed> second_;
  ReplayExpander replay_;
  PushClock clock_;
  Cycle pulled_ = 0;  // when the last word was pushed that came to the MOP expander,
  Cycle taken_ = 0;   // and that came behind it
  uint32_t pushes_ = 0, push_pulled_ = 0, push_taken_ = 0;  // likewise, for observers
  unsigned mops_queued_ = 0;
  // A word in the MOP expander faulted, or was odd, while the second FIFO was filled: problem_ comes after what is in
  // it.
  bool stuck_ = false;
  Fetch problem_;
};

}  // namespace kerr::emu::tensix
