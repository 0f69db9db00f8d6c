// Who pushed the words that are on their way to the wait gates. Only if there is an observer: no part of the machine.
#pragma once

#include <array>
#include <cstdint>

#include "emu/agent.hpp"
#include "emu/observe/observer.hpp"
#include "emu/tensix/frontend/front_end.hpp"

namespace kerr::emu::tensix {

/// By thread, and by the number of a push (FrontEnd::pushes()).
class Pushers {
 public:
  struct Push {
    uint32_t number = 0;  // 0: nobody knows
    uint32_t pc = Actor::kNoPc;
    Agent by = Agent::Host;
  };

  void note(int thread, const Push& push) { of_[static_cast<size_t>(thread)][push.number % kKept] = push; }
  Push find(int thread, uint32_t number) const {
    const Push& push = of_[static_cast<size_t>(thread)][number % kKept];
    return number != 0 && push.number == number ? push : Push{};
  }

 private:
  // More words are never on their way: both FIFOs, one that is expanded, one that is played, one at the gate.
  static constexpr uint32_t kKept = 64;
  static_assert(kKept >= FrontEnd::kFirstFifoWords + FrontEnd::kSecondFifoWords + 3);

  std::array<std::array<Push, kKept>, kThreads> of_{};
};

}  // namespace kerr::emu::tensix
