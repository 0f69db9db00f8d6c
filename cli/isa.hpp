// kerr isa: what is known of each Tensix instruction.
#pragma once

namespace kerr::cli {

/// Prints the tables of docs/reference/instructions.md.
int isa_command();

}  // namespace kerr::cli
