// The launches that a host has noted, as they were at any time of the run.   arch/host_notes.hpp
#pragma once

#include <deque>
#include <utility>

#include "arch/hang_question.hpp"
#include "emu/machine/machine.hpp"

namespace kerr::debug {

class Launches {
 public:
  /// In the order of time. Of a recorded run each once, however often time comes there.
  void noted(const arch::note::Note& note, emu::Cycle cycle);
  /// What is known of the programs that the machine executes now.
  arch::HangQuestion question(emu::Machine& machine) const;

 private:
  static constexpr size_t kMost = 20'000;  // of the latest
  std::deque<std::pair<emu::Cycle, arch::note::Note>> notes_;
};

}  // namespace kerr::debug
