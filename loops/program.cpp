#include "loops/program.hpp"

#include <fmt/format.h>

#include <vector>

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

int64_t value_of(const Operand& operand) {
  const uint32_t unused = 64 - 8 * info(operand.type.type).bytes;
  if (!info(operand.type.type).is_signed) return static_cast<int64_t>(operand.bits);
  return static_cast<int64_t>(operand.bits << unused) >> unused;
}

void relink(Program& program) {
  std::vector<uint32_t> open;
  for (uint32_t at = 0; at < program.body.size(); ++at) {
    Instruction& line = program.body[at];
    switch (line.verb) {
      case Verb::Loop:
      case Verb::Do:
      case Verb::If: open.push_back(at); break;
      case Verb::EndLoop:
      case Verb::While:
      case Verb::EndIf:
        line.partner = open.back();
        program.body[open.back()].partner = at;
        open.pop_back();
        break;
      default: break;
    }
  }
}

ProgramError::ProgramError(uint32_t at_line, uint32_t at_column, const std::string& sentence)
    : std::runtime_error(fmt::format("line {}, column {}: {}", at_line, at_column, sentence)),
      line(at_line),
      column(at_column),
      message(sentence) {}

}  // namespace kerr::loops
