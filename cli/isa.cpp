#include "cli/isa.hpp"

#include <cstdio>
#include <string>

#include "emu/tensix/math/format_tables.hpp"
#include "isa/tensix/reference.hpp"

namespace kerr::cli {

int isa_command(bool formats) {
  const std::string tables = formats ? emu::math::format_tables() : isa::tensix::reference_tables();
  std::fwrite(tables.data(), 1, tables.size(), stdout);
  return 0;
}

}  // namespace kerr::cli
