// What a job tells whoever waits for it.
#pragma once

#include <string>

namespace kerr::check {
struct Report;
}
namespace kerr::emu {
class Machine;
}

namespace kerr::jobs {

class Recording;
struct RunShown;

/// Called on the thread that runs the job.
class Listener {
 public:
  virtual ~Listener() = default;
  /// A part of the job begins: "booting p100a".
  virtual void begins(const std::string& /*what*/) {}
  /// A sentence that somebody should read.
  virtual void note(const std::string& /*sentence*/) {}
  /// The run fails, and this is what the checker has found until then; an exception says why it fails.
  virtual void checked_until_it_failed(const check::Report& /*report*/) {}
  /// Likewise what was watched until then, from the last launch on: Watch::Run.
  virtual void watched_until_it_failed(const RunShown& /*run*/) {}
  /// After each window of a run that is recorded. May finish the recording's log, to end the process then.
  virtual void window_passed(emu::Machine& /*machine*/, Recording& /*recording*/) {}
};

}  // namespace kerr::jobs
