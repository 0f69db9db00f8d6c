// One of the three threads of a coprocessor: its front end, and the instruction at its wait gate.
#pragma once

#include <cstdint>

#include "emu/cycle.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/tensix/frontend/front_end.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

struct CoprocessorThread {
  CoprocessorThread(int number, WaitBoard& board) : front(number, board) {}

  tensix::FrontEnd front;
  bool has_current = false;
  bool halted = false;     // by a fault
  uint32_t current = 0;    // the word at the wait gate
  WaitMask waits_for = 0;  // 0 while the thread can go on
  const char* why = "";    // a literal: why `current` cannot issue; "" while a latched wait holds it
  uint64_t instructions = 0;
  // Relaxed timing, for the vector unit (macro_time.cpp): cycles in which the thread issued nothing because nothing had
  // been pushed.
  Cycle idle = 0;
  bool waited = false;       // `current` could not issue before
  uint32_t last_vector = 0;  // the last instruction that it issued beside macros, and when it began
  Cycle last_vector_at = 0;
  // Times at which it could not go on: a thread that waits is looked at once, and again only when what it waits for has
  // changed.
  uint64_t fruitless_looks = 0;

  /// What the thread waits for is about to change: it will be run again.
  void wake() {
    if (!halted) waits_for = 0;
  }
  void serialize(Archive& a) {
    a(front, has_current, halted, current, instructions, idle, waited, last_vector, last_vector_at);
    a.machinery(waits_for, fruitless_looks);
    if (!a.hashing()) a.literal(why);
  }
};

}  // namespace kerr::emu
