// What an SFPLOADMACRO has scheduled happens in time, also while its thread issues nothing else. How much time lies
// between two instructions is said here.   docs/architecture.md "Time", docs/hardware/tensix-math.md 11, 12
//
// Exact timing has cycles: while something is still to happen, the thread is looked at in every cycle.
//
// In relaxed timing a thread has a time of its own: one cycle an instruction, and where its next word was pushed later
// than that, it has waited for it (`idle`). So between two instructions lies at least what lay between their pushes
// (PushClock), and more if the words before keep the thread busy. What lies behind a wait was pushed before the wait
// ended.
#include <algorithm>

#include "emu/tensix/coprocessor.hpp"
#include "isa/tensix/table.hpp"

namespace kerr::emu {

using isa::tensix::Row;
using isa::tensix::Unit;
using tensix::Issue;

/// When the thread's next instruction begins, in relaxed timing.
Cycle Coprocessor::own_time(int thread) const {
  const CoprocessorThread& t = threads[thread];
  const Cycle own = t.instructions + t.idle;
  return t.waited ? std::max(own, t.front.last_pushed()) : own;
}

/// When the instruction at the wait gate begins, if nothing but the vector unit keeps it after `now`.
Cycle Coprocessor::start_beside_macros(int thread, const Row& row, Cycle now) const {
  if (row.unit != Unit::Sfpu) return now;
  const CoprocessorThread& t = threads[thread];
  if (timed) return timer.vector_start(thread, row, t.current, now);
  return t.last_vector_at + 1 == now ? now + timing::vector_stall(t.last_vector, t.current) : now;
}

void Coprocessor::started(int thread, const Row& row, Cycle start) {
  CoprocessorThread& t = threads[thread];
  t.idle = start - t.instructions;
  t.waited = false;
  if (!sfpu.busy() || row.unit != Unit::Sfpu) return;
  t.last_vector = t.current;
  t.last_vector_at = start;
}

/// Executes what is due before `now`, when `thread` acts. In relaxed timing the times of two threads cannot be
/// compared, so it is the thread's own macros only. False: `thread` halts.
bool Coprocessor::let_macros_act(int thread, Cycle now) {
  const int owner = sfpu.macro_thread();
  if (!timed && thread != owner) return true;
  const bool moved = sfpu.moves(owner);
  sfpu.set_time(now);
  const Issue late = sfpu.catch_up();
  if (const Issue::Problem* problem = late.problem()) {
    halt(owner, now, problem->category, problem->address, problem->what, problem->advice);
    return thread != owner;
  }
  if (moved && !sfpu.moves(owner)) tell_of_progress(owner);
  return true;
}

/// The thread cannot go on. What it has scheduled can: a wait may take any time.
bool Coprocessor::stand(int thread, Cycle cycle, WaitMask what, const char* why) {
  if (!sfpu.moves(thread)) return block(thread, what, why);
  if (timed) return true;
  const Issue late = sfpu.drain(thread);
  if (const Issue::Problem* problem = late.problem()) {
    return halt(thread, cycle, problem->category, problem->address, problem->what, problem->advice);
  }
  tell_of_progress(thread);
  return true;  // looks again at what held it
}

}  // namespace kerr::emu
