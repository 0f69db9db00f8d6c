#include "loops/program.hpp"

#include <fmt/format.h>

namespace kerr::loops {

namespace {

constexpr Operation kOperations[] = {
#define X(verb, name, operands, kind) {Verb::verb, name, operands, OperandKind::kind},
#include "loops/operations.def"
};

}  // namespace

std::span<const Operation> operations() { return kOperations; }

const Operation& operation(Verb verb) {
  return kOperations[static_cast<size_t>(verb) - static_cast<size_t>(Verb::Add)];
}

ProgramError::ProgramError(uint32_t line, uint32_t column, const std::string& message)
    : std::runtime_error(fmt::format("line {}, column {}: {}", line, column, message)),
      line(line),
      column(column),
      message(message) {}

}  // namespace kerr::loops
