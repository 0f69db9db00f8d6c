// kerr info: what a board looks like.
#pragma once

#include <string>

namespace kerr::cli {

/// Draws the grid of `board` ("p100a", "p150"), or prints it as JSON.
int info_command(const std::string& board, bool json);

}  // namespace kerr::cli
