#include "cli/map.hpp"

#include <cstdio>
#include <string>

#include "report/memory_map_page.hpp"

namespace kerr::cli {

int map_command() {
  const std::string tables = report::memory_map_tables();
  std::fwrite(tables.data(), 1, tables.size(), stdout);
  return 0;
}

}  // namespace kerr::cli
