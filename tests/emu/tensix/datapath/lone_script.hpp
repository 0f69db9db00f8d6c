// Runs the scripts of oracle/ (README.md there) on a lone coprocessor: the same text drives the reference
// simulator and us.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/emu/tensix/datapath/lone_coprocessor.hpp"

namespace kerr::emu {

struct LoneScriptResult {
  std::string fault;            // of the first fault, or what a thread is stuck on; "" if all went well
  std::string mismatch;         // the first expectation that does not hold
  std::vector<uint8_t> dumped;  // bytes of all `dump` lines
};

/// Knows `bytes`, `words`, `hart T0|T1|T2` with its steps (wI=V, tI=V, mI=V, stores to semaphores, instruction words,
/// drain), `run`, `dump`, `expect` and `expect-crc`. Throws std::runtime_error on anything else.
LoneScriptResult run_lone_script(const std::string& text);

}  // namespace kerr::emu
