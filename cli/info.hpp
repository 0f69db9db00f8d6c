// kerr info: what a board looks like.
#pragma once

#include "arch/boards.hpp"

namespace kerr::cli {

/// Draws the grid of `board`, or prints it as JSON.
int info_command(const arch::Board& board, bool json);

}  // namespace kerr::cli
