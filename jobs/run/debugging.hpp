// A run under a debugger.
#pragma once

#include "debug/gdb_server.hpp"
#include "emu/machine/machine.hpp"
#include "jobs/run/ways.hpp"

namespace kerr::jobs {

/// From before the first instruction of the job's code to the end of the run. All that it is given must outlive it.
class DebuggedRun {
 public:
  /// Tells the job's program, waits for a client, and for it to let the code run: without them it does nothing.
  DebuggedRun(debug::GdbServer* server, const RunJob& job, const OpenDevice& device, Way& way);
  /// The client is told that the run is over.
  ~DebuggedRun();
  DebuggedRun(const DebuggedRun&) = delete;
  DebuggedRun& operator=(const DebuggedRun&) = delete;

  /// The run has come to an end that the client may want to look at, if it is not finished.
  void look_at_end(const RunOutcome& outcome);

 private:
  debug::GdbServer* const server_;
  unsigned status_ = 0;
};

}  // namespace kerr::jobs
