// What a Tensix tile answers at each address: the tables of docs/reference/memory-map.md.
#pragma once

#include <string>

namespace kerr::report {

/// Markdown: the regions and who reaches them; then each named register with what BRISC loads from it first thing after
/// power-on, and whether it may store to it. The answers are those of a tile that is asked, so they cannot go stale.
std::string memory_map_tables();

}  // namespace kerr::report
