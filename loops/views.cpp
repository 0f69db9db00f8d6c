#include "loops/views.hpp"

#include <fmt/format.h>

#include "loops/interpret.hpp"

namespace kerr::loops {

bool overlap(const View& a, const View& b) {
  return a.buffer.address() == b.buffer.address() && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

void check_views(const Program& program, std::span<const View> views, std::span<const int64_t> numbers) {
  if (views.size() != program.parameters.size() || numbers.size() != program.variables.size()) {
    throw RunError(0, fmt::format("program '{}' has {} parameters and {} variables; given are {} views and {} numbers",
                                  program.name, program.parameters.size(), program.variables.size(), views.size(),
                                  numbers.size()));
  }
  for (size_t p = 0; p < views.size(); ++p) {
    const Parameter& parameter = program.parameters[p];
    const View& view = views[p];
    if (view.buffer.memory() != host::Memory::Dram || view.buffer.page_bytes() != kPageBytes ||
        view.buffer.is_sharded()) {
      throw RunError(parameter.line,
                     fmt::format("p{}: its buffer is not in DRAM in pages of {} bytes", parameter.slot, kPageBytes));
    }
    if (view.bytes < parameter.bytes()) {
      throw RunError(parameter.line,
                     fmt::format("p{} has {} bytes, its view {}", parameter.slot, parameter.bytes(), view.bytes));
    }
    if (view.offset > view.buffer.bytes() || view.bytes > view.buffer.bytes() - view.offset ||
        view.buffer.bytes() > 0xFFFFF000) {
      throw RunError(parameter.line,
                     fmt::format("p{}: its view of {} bytes at {} is outside of its buffer of {} (at most 4 GiB)",
                                 parameter.slot, view.bytes, view.offset, view.buffer.bytes()));
    }
  }
  for (size_t k = 0; k < numbers.size(); ++k) {
    const Variable& variable = program.variables[k];
    if (numbers[k] < variable.min || numbers[k] > variable.max) {
      throw RunError(0, fmt::format("variable {} is {}, outside of {} to {}", variable.name, numbers[k], variable.min,
                                    variable.max));
    }
  }
}

}  // namespace kerr::loops
