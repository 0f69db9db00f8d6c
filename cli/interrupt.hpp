// Ctrl-C: what is left of a command that is ended by a signal.
#pragma once

#include <string>

namespace kerr::cli {

/// From now on SIGINT, SIGTERM and SIGHUP remove this file, which is not complete, before they end the process. At most 16.
void remove_when_interrupted(const std::string& path);

/// While one exists, the first signal is only noted, so that a recording can be finished; the second ends the process.
class DeferInterrupts {
 public:
  DeferInterrupts();
  ~DeferInterrupts();
  DeferInterrupts(const DeferInterrupts&) = delete;
  DeferInterrupts& operator=(const DeferInterrupts&) = delete;
  /// The signal that came, or 0.
  int signal() const;
};

/// Ends the process as the signal would have, without any destructor.
[[noreturn]] void end_by(int signal);

}  // namespace kerr::cli
