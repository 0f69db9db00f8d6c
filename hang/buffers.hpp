// The circular buffers of a tile, as a person reads them: what is in each, and who waits at it.
#pragma once

#include <string>

#include "arch/hang_question.hpp"
#include "emu/machine/machine.hpp"

namespace kerr::hang {

/// A paragraph for each buffer of the program that the tile runs, or, if nobody has told of one, of the launch message
/// in its L1; and for others whose counters are not 0. Sizes are in bytes, pointers L1 addresses, by the harts whose
/// records have moved. Looks at the machine and changes no state of it.
std::string buffers(emu::Machine& machine, const arch::HangQuestion& question, emu::TileId tile);

}  // namespace kerr::hang
