// The sync unit: semaphores, mutexes, and the latching of waits.   docs/hardware/tensix-datapath.md 5
#pragma once

#include <array>

#include "emu/agent.hpp"
#include "emu/tensix/frontend/wait_gate.hpp"
#include "emu/tensix/issue.hpp"
#include "emu/tensix/state/sync.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

using WaitGates = std::array<WaitGate, kThreads>;

class SyncUnit {
 public:
  SyncUnit(Semaphores& semaphores, Mutexes& mutexes, WaitGates& gates)
      : semaphores_(semaphores), mutexes_(mutexes), gates_(gates) {}

  Issue exec(int thread, const isa::tensix::SEMINIT& i);
  Issue exec(int thread, const isa::tensix::SEMPOST& i);
  Issue exec(int thread, const isa::tensix::SEMGET& i);
  Issue exec(int thread, const isa::tensix::SEMWAIT& i);
  Issue exec(int thread, const isa::tensix::STALLWAIT& i);
  Issue exec(int thread, const isa::tensix::STREAMWAIT& i);
  Issue exec(int thread, const isa::tensix::ATGETM& i);
  Issue exec(int thread, const isa::tensix::ATRELM& i);

 private:
  template <class Wait>
  Issue latch(int thread, const Wait& i);

  Semaphores& semaphores_;
  Mutexes& mutexes_;
  WaitGates& gates_;
};

}  // namespace kerr::emu::tensix
