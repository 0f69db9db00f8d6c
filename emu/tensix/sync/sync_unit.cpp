#include "emu/tensix/sync/sync_unit.hpp"

#include <fmt/format.h>

namespace kerr::emu::tensix {
namespace {

// Calls `f` with the index of each set bit: semaphores are named by mask.
template <class F>
void for_each_selected(uint32_t mask, F f) {
  for (unsigned index = 0; index < Semaphores::kCount; ++index) {
    if (mask >> index & 1) f(index);
  }
}

Issue no_such_mutex(uint32_t index) {
  return Issue::undefined(fmt::format("mutex {} does not exist: on silicon the thread waits forever", index),
                          "Blackhole has mutexes 0, 2, 3 and 4.");
}

}  // namespace

// Value and maximum of each named semaphore. Nothing checks that value <= max.
Issue SyncUnit::exec(int, const isa::tensix::SEMINIT& i) {
  for_each_selected(i.sem_sel, [&](unsigned s) { semaphores_.init(s, i.init_value, i.max_value); });
  return Issue::done();
}

// Adds one to each named semaphore, saturating at 15 whatever its maximum.
Issue SyncUnit::exec(int, const isa::tensix::SEMPOST& i) {
  for_each_selected(i.sem_sel, [&](unsigned s) { semaphores_.post(s); });
  return Issue::done();
}

// Takes one from each named semaphore, saturating at 0.
Issue SyncUnit::exec(int, const isa::tensix::SEMGET& i) {
  for_each_selected(i.sem_sel, [&](unsigned s) { semaphores_.get(s); });
  return Issue::done();
}

Issue SyncUnit::exec(int thread, const isa::tensix::SEMWAIT& i) {
  if (i.wait_sem_cond == 0)
    return Issue::undefined("SEMWAIT without a condition", "Set bit 0 (zero) or bit 1 (at maximum).");
  return latch(thread, i);
}

Issue SyncUnit::exec(int thread, const isa::tensix::STALLWAIT& i) { return latch(thread, i); }
Issue SyncUnit::exec(int thread, const isa::tensix::STREAMWAIT& i) { return latch(thread, i); }

// A wait cannot execute while another one is latched.
template <class Wait>
Issue SyncUnit::latch(int thread, const Wait& i) {
  WaitGate& gate = gates_[static_cast<size_t>(thread)];
  if (gate.latched()) return Issue::wait(gate.waits_for(), "an earlier wait is still latched");
  gate.latch(i);
  gate.released();
  return Issue::done();
}

Issue SyncUnit::exec(int thread, const isa::tensix::ATGETM& i) {
  if (!Mutexes::exists(i.mutex_index)) return no_such_mutex(i.mutex_index);
  if (!mutexes_.acquire(thread, i.mutex_index))
    return Issue::wait(wait::mutex(i.mutex_index), "another thread holds the mutex");
  return Issue::done();
}

// By another thread than the holder: no effect.
Issue SyncUnit::exec(int thread, const isa::tensix::ATRELM& i) {
  if (!Mutexes::exists(i.mutex_index)) return no_such_mutex(i.mutex_index);
  mutexes_.release(thread, i.mutex_index);
  return Issue::done();
}

}  // namespace kerr::emu::tensix
