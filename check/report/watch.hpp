// A machine that is checked while it runs: who finds, and what the host stack calls things.
// docs/architecture.md "Checking"
#pragma once

#include <string>
#include <vector>

#include "arch/boards.hpp"
#include "arch/host_notes.hpp"
#include "check/checker.hpp"
#include "check/finding.hpp"
#include "check/report/names.hpp"
#include "check/report/watching.hpp"
#include "emu/observe/observer.hpp"

namespace kerr::check {

/// Of a machine with these boards, from power-on. Outlives it.
class Watch {
 public:
  /// `watching.on()`.
  Watch(const Watching& watching, const std::vector<arch::Board>& boards);

  /// Is to be told of everything.
  emu::Observer& observer() { return checker_; }
  /// As emu::Observer::noted, which the observer is told too.
  void noted(const arch::note::Note& note, Cycle now) { names_.noted(note, now); }

  /// Between windows: why the run is to end, in a sentence; empty: it goes on.
  std::string reason_to_stop() const;
  /// All so far that is asked for, with the names that are known. Between windows.
  Findings findings() const;

 private:
  bool wants(const Finding& finding) const;

  const Watching watching_;
  Checker checker_;
  Names names_;
};

/// Whether a rule is about the order of accesses: not of Watching::Mode::Memory.
bool needs_order(Rule rule);

}  // namespace kerr::check
