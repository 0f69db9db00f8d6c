// Which programs a recorded run has not ended, by the notes of its host.   arch/host_notes.hpp
#pragma once

#include <vector>

#include "arch/hang_question.hpp"
#include "emu/machine/machine.hpp"

namespace kerr::hang {

/// Is told of notes in their order.
class NotedLaunches {
 public:
  void noted(const arch::note::Note& note);
  /// Launches of which a core still executes a kernel. Empty: none, or the host has noted nothing.
  arch::HangQuestion question(emu::Machine& machine) const;

 private:
  std::vector<arch::note::Launched> open_;
};

}  // namespace kerr::hang
