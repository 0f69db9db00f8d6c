#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "isa/assembler.hpp"
#include "isa/text/cursor.hpp"

namespace kerr::isa::text {

/// What names mean in the source around a statement.
struct Scope {
  Cursor::Names constants;                                           // .equ
  std::function<Label(std::string_view name, size_t column)> label;  // made at its first mention
};

/// Assembles one RV32 statement whose mnemonic, at `column`, has been read. Throws Mistake.
void riscv_statement(Cursor& cursor, std::string_view mnemonic, size_t column, const Scope& scope, Assembler& out);

}  // namespace kerr::isa::text
