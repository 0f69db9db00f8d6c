// What a loop program means: one hart, program order, every store seen by every later load of the same bytes, also
// through another parameter. Whatever else executes loop programs agrees with this bit for bit.
// docs/reference/loop-programs.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>

#include "loops/program.hpp"

namespace kerr::loops {

/// A program that cannot go on: an access outside its parameter, a number out of its variable's bounds, too many steps.
class RunError : public std::runtime_error {
 public:
  RunError(uint32_t line, const std::string& message);
  uint32_t line;  // of the text; 0: none
};

struct InterpretOptions {
  uint64_t max_steps = ~0ull;  // lines executed; counted at the ends of loops and other blocks, so some more may be
  std::function<void()> progress{};  // called every 4 million lines or so: may throw, which ends the run
};

/// Registers are zero at first. `buffers`: as many as there are parameters, each at least Parameter::bytes() long; they
/// may overlap.
/// `numbers`: as many as there are variables. Returns the lines executed. Throws RunError, and then what was stored
/// stays; std::invalid_argument for another count of buffers or numbers and for a buffer that is too short.
uint64_t interpret(const Program& program, std::span<const std::span<std::byte>> buffers,
                   std::span<const int64_t> numbers, const InterpretOptions& options = {});

}  // namespace kerr::loops
