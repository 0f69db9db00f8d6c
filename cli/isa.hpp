// kerr isa: what is known of each Tensix instruction.
#pragma once

namespace kerr::cli {

/// Prints the tables of docs/reference/instructions.md or, with `formats`, those of docs/reference/formats.md.
int isa_command(bool formats);

}  // namespace kerr::cli
