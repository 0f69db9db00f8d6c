#include "isa/riscv/syntax.hpp"

namespace kerr::isa::riscv {
namespace {

// clang-format off
constexpr std::string_view kWords[] = {  // by Operand
    "rd",  "rs1",   "rs2", "fd",       "fs1",   "fs2",             "fs3",          "imm",
    "imm", "label", "csr", "imm(rs1)", "(rs1)", "[rounding mode]", "[pred, succ]", "a Tensix word or instruction"};
// clang-format on

}  // namespace

std::string describe(std::span<const Operand> operands) {
  std::string text;
  for (const Operand operand : operands) {
    if (!text.empty()) text += ", ";
    text += kWords[static_cast<size_t>(operand)];
  }
  return text.empty() ? "no operands" : text;
}

}  // namespace kerr::isa::riscv
