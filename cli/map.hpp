// kerr map: what a Tensix tile answers at each address.
#pragma once

namespace kerr::cli {

/// Prints the tables of docs/reference/memory-map.md.
int map_command(bool json);

}  // namespace kerr::cli
