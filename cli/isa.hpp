// kerr isa: what is known of each Tensix instruction.
#pragma once

namespace kerr::cli {

/// Prints the tables of docs/reference/instructions.md: all instructions or, with `refusals`, what is refused; or, with `formats`, those
/// of docs/reference/formats.md.
int isa_command(bool formats, bool refusals, bool json);

}  // namespace kerr::cli
