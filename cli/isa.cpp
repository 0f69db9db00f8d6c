#include "cli/isa.hpp"

#include <cstdio>
#include <string>

#include "isa/tensix/reference.hpp"

namespace kerr::cli {

int isa_command() {
  const std::string tables = isa::tensix::reference_tables();
  std::fwrite(tables.data(), 1, tables.size(), stdout);
  return 0;
}

}  // namespace kerr::cli
