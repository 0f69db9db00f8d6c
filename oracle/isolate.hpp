// Runs a piece of work in a child process, because a library with the libttsim ABI ends its process when it refuses
// something.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kerr::oracle {

struct Outcome {
  bool finished = false;       ///< the work returned; otherwise `message` says why not
  std::vector<uint8_t> bytes;  ///< what the work returned
  std::string message;         ///< the last lines that the child printed, or the exception's text
};

/// Forks, runs `work` in the child and hands its bytes back. Load and initialise the library inside `work`: a process
/// that has reserved the chip's memory may be too large to fork. A child that takes longer than `seconds` is killed.
Outcome isolate(const std::function<std::vector<uint8_t>()>& work, unsigned seconds = 60);

}  // namespace kerr::oracle
