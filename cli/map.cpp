#include "cli/map.hpp"

#include <cstdio>
#include <string>

#include "emu/tile/memory_map_page.hpp"

namespace kerr::cli {

int map_command() {
  const std::string tables = emu::memory_map_tables();
  std::fwrite(tables.data(), 1, tables.size(), stdout);
  return 0;
}

}  // namespace kerr::cli
