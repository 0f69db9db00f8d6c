// Text scripts that drive one tile: see README.md for the language.
#pragma once

#include <string>

#include "oracle/device.hpp"

namespace kerr::oracle {

struct ScriptResult {
  bool passed = true;  ///< every expectation held and every hart finished
  std::string output;  ///< dumps, checksums, failed expectations
};

/// Throws std::runtime_error "line N: ..." on a malformed script.
ScriptResult run_script(Device& device, const std::string& text);

}  // namespace kerr::oracle
