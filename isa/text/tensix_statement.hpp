#pragma once

#include <cstdint>
#include <string_view>

#include "isa/tensix/table.hpp"
#include "isa/text/cursor.hpp"

namespace kerr::isa::text {

/// The word of a Tensix instruction whose mnemonic has been read: "dst=8, addr_mode=1", perhaps "; stray 0x40000"
/// (bits of no operand), and the end of the line.
/// Negative values are two's complement of the operand's width. Throws Mistake.
uint32_t tensix_operands(Cursor& cursor, const tensix::Row& row, const Cursor::Names& names);

}  // namespace kerr::isa::text
