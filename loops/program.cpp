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

ProgramError::ProgramError(uint32_t at_line, uint32_t at_column, const std::string& sentence)
    : std::runtime_error(fmt::format("line {}, column {}: {}", at_line, at_column, sentence)),
      line(at_line),
      column(at_column),
      message(sentence) {}

}  // namespace kerr::loops
