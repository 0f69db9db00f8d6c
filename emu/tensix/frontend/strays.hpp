// Front-end words that reach the wait gate, where they do not belong.   docs/hardware/tensix-datapath.md 2, 4
#pragma once

#include "emu/tensix/issue.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

class Strays {
 public:
  Issue exec(int, const isa::tensix::MOP&) { return behind_the_expander("MOP"); }
  Issue exec(int, const isa::tensix::MOP_CFG&) { return behind_the_expander("MOP_CFG"); }
  Issue exec(int, const isa::tensix::REPLAY&) {
    return Issue::undefined(
        "a recorded REPLAY was played back: the words behind the replay buffer are not expanded again",
        "Let the recording end before the next REPLAY.");
  }
  /// Overwrites a row of a table that only automatic TTSync reads, and that is refused where it would be switched on.
  Issue exec(int, const isa::tensix::RESOURCEDECL&) { return Issue::done(); }

 private:
  static Issue behind_the_expander(const char* mnemonic) {
    return Issue::undefined(
        std::string(mnemonic) + " came in behind the MOP expander, pushed by BRISC or played from a replay buffer",
        "Push it from the TRISC of the thread, outside of a recording.");
  }
};

}  // namespace kerr::emu::tensix
