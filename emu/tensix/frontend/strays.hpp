// Front-end words that reach the wait gate, where they do not belong, and RESOURCEDECL.
// docs/hardware/tensix-datapath.md 2, 4
#pragma once

#include <array>

#include "emu/agent.hpp"
#include "emu/tensix/frontend/tt_sync.hpp"
#include "emu/tensix/issue.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

class Strays {
 public:
  explicit Strays(std::array<TtSync, kThreads>& sync) : sync_(sync) {}

  Issue exec(int, const isa::tensix::MOP&) { return behind_the_expander("MOP"); }
  Issue exec(int, const isa::tensix::MOP_CFG&) { return behind_the_expander("MOP_CFG"); }
  Issue exec(int, const isa::tensix::REPLAY&) {
    return Issue::undefined(
        "a recorded REPLAY was played back: the words behind the replay buffer are not expanded again",
        "Let the recording end before the next REPLAY.");
  }
  /// On silicon automatic TTSync takes it in before the gate. How long resources linger (linger_time) is not modelled:
  /// they are free as soon as the instruction has executed.
  Issue exec(int thread, const isa::tensix::RESOURCEDECL& i) {
    sync_[static_cast<size_t>(thread)].declare(i);
    return Issue::done();
  }

 private:
  static Issue behind_the_expander(const char* mnemonic) {
    return Issue::undefined(
        std::string(mnemonic) + " came in behind the MOP expander, pushed by BRISC or played from a replay buffer",
        "Push it from the TRISC of the thread, outside of a recording.");
  }

  std::array<TtSync, kThreads>& sync_;
};

}  // namespace kerr::emu::tensix
