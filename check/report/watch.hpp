// A machine that is checked while it runs.   docs/architecture.md "Checking"
#pragma once

#include <string>
#include <vector>

#include "arch/boards.hpp"
#include "check/checker.hpp"
#include "check/finding.hpp"
#include "check/report/watching.hpp"
#include "emu/observe/observer.hpp"

namespace kerr::check {

/// Checks a machine from power-on, and outlives it.
class Watch {
 public:
  /// `watching.on()`. `boards`: of the machine.
  Watch(const Watching& watching, const std::vector<arch::Board>& boards);

  /// Is to be told of everything.
  emu::Observer& observer() { return checker_; }
  /// Likewise of the host's stores.
  check::HostStores& host_stores() { return checker_; }

  /// Between windows: why the run is to end, in a sentence; empty: it goes on.
  std::string reason_to_stop() const;
  /// All so far that is asked for. Between windows.
  Findings findings() const;

 private:
  bool wants(const Finding& finding) const;

  const Watching watching_;
  Checker checker_;
};

}  // namespace kerr::check
