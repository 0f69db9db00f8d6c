// The process that a command runs in: its standard streams, what it may use, and how it ends.
#pragma once

#include <exception>
#include <string>

namespace kerr::cli {

/// Holds closed standard streams, and asks the system for the stack that the commands need. Returns "", or a sentence
/// that says why there is not enough.
std::string prepare_process();

/// Writes what was printed and may still be in a buffer. False if its file is full or closed, which it says.
bool flush_output();

/// What to say when memory has run out: the limit, if there is one, and what to do.
std::string out_of_memory();

/// What an exception says; the libraries' own words name nothing that a user has given.
std::string text_of(const std::exception& error);

/// From now on SIGINT, SIGTERM and SIGHUP remove this file, which is not complete, before they end the process. At most
/// 16 files.
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
