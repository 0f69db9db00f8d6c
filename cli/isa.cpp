#include "cli/isa.hpp"

#include <cstdio>
#include <string>

#include "isa/tensix/reference.hpp"
#include "report/format_page.hpp"
#include "report/refusal_page.hpp"

namespace kerr::cli {

int isa_command(bool formats, bool refusals) {
  const std::string tables = formats ? report::format_tables() : refusals ? report::refusal_table() : isa::tensix::reference_tables();
  std::fwrite(tables.data(), 1, tables.size(), stdout);
  return 0;
}

}  // namespace kerr::cli
