#include "cli/map.hpp"

#include "cli/tables.hpp"
#include "report/memory_map_page.hpp"

namespace kerr::cli {

int map_command(bool json) { return print_page(report::memory_map_tables(), json); }

}  // namespace kerr::cli
