// kerr eval --operations: what expressions are made of.
#pragma once

namespace kerr::cli {

/// One line an operation: how many operands, how accurate.
int operations_command(bool json);

}  // namespace kerr::cli
