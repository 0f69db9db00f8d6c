// kerr eval --operations: what expressions are made of.
#pragma once

namespace kerr::cli {

/// One line an operation: how many operands, how accurate.
int print_operations(bool json);

}  // namespace kerr::cli
