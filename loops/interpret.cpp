#include "loops/interpret.hpp"

#include <fmt/format.h>

#include "loops/decode.hpp"
#include "loops/floats.hpp"

namespace kerr::loops {

namespace {

void check(const Program& program, std::span<const std::span<std::byte>> buffers, std::span<const int64_t> numbers) {
  if (buffers.size() != program.parameters.size())
    throw std::invalid_argument(fmt::format("program '{}' has {} parameters and was given {} buffers", program.name,
                                            program.parameters.size(), buffers.size()));
  for (size_t k = 0; k < buffers.size(); ++k) {
    const Parameter& p = program.parameters[k];
    if (buffers[k].size() < p.bytes())
      throw std::invalid_argument(fmt::format("p{} of program '{}' is {} {}, and its buffer has {} bytes of {}", p.slot,
                                              program.name, p.count, info(p.type).name, buffers[k].size(), p.bytes()));
  }
  if (numbers.size() != program.variables.size())
    throw std::invalid_argument(fmt::format("program '{}' has {} variables and was given {} numbers", program.name,
                                            program.variables.size(), numbers.size()));
  for (size_t k = 0; k < numbers.size(); ++k) {
    const Variable& v = program.variables[k];
    if (numbers[k] < v.min || numbers[k] > v.max)
      throw RunError(0, fmt::format("{} is {}, and the program is for {} to {}", v.name, numbers[k], v.min, v.max));
  }
}

}  // namespace

RunError::RunError(uint32_t at_line, const std::string& message)
    : std::runtime_error(at_line == 0 ? message : fmt::format("line {}: {}", at_line, message)), line(at_line) {}

uint64_t interpret(const Program& program, std::span<const std::span<std::byte>> buffers,
                   std::span<const int64_t> numbers, const InterpretOptions& options) {
  check(program, buffers, numbers);
  Decoded decoded(program, buffers, numbers);
  Machine machine(program, options, decoded.slots.data());
  const IeeeFloats floats;
  const Step* step = decoded.steps.data();
  while (step != nullptr) step = step->execute(*step, machine);
  return machine.lines;
}

}  // namespace kerr::loops
