// What the interpreter executes: a step for each lane of each line.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loops/interpret.hpp"
#include "loops/program.hpp"

namespace kerr::loops {

struct Step;
struct Machine;

/// Executes the step and returns the one that follows; null at the end.
using Execute = const Step* (*)(const Step&, Machine&);

struct Step {
  Execute execute = nullptr;
  // Slots of the machine: values lane by lane, and numbers. Loads: element, condition, default. Stores: element, value.
  uint32_t result = 0, a = 0, b = 0, c = 0;
  // Loads and stores: where element 0 begins, and how many elements can be accessed.
  std::byte* base = nullptr;
  uint64_t limit = 0;
  uint8_t unit_shift = 0;   // log2 of the bytes that an element counts
  uint8_t index_shift = 0;  // bits of a word above an index of signed type
  // Begins and ends of blocks: how many steps away the program goes on if it does not go on with the next one, and how
  // many lines were executed since the begin or end before.
  int32_t jump = 0;
  uint32_t lines = 0;
  uint32_t instruction = 0;  // of Program::body
};

struct Machine {
  Machine(const Program& program, const InterpretOptions& options, uint64_t* slots);

  void count(const Step& step) {
    lines += step.lines;
    if (lines > stop_at) stop(step);
  }

  uint64_t* slots;
  uint64_t lines = 0;    // executed, up to the last begin or end of a block
  uint64_t stop_at = 0;  // stop() is called behind so many
  const Program& program;
  const InterpretOptions& options;

 private:
  void stop(const Step& step);  // throws RunError, or lets the caller of the interpreter do something
};

/// The function for a lane of a line that begins or ends no block and is neither a load nor a store.
Execute execute_of(const Instruction& i);
Execute execute_of_access(const Instruction& i);
/// The function that executes a line which begins or ends a block.
Execute execute_of_block(const Instruction& i);
/// The function that stands behind the last line: it ends the run.
Execute execute_of_end();

}  // namespace kerr::loops
