#include "cli/timing.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "emu/timing/parameters.hpp"

namespace kerr::cli {

using emu::timing::ParameterRow;

int timing_command(bool json) {
  if (json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const ParameterRow& row : emu::timing::parameter_rows()) {
      all.push_back({{"name", row.name},
                     {"unit", row.unit},
                     {"value", row.value},
                     {"evidence", name_of(row.evidence)},
                     {"source", fmt::format("docs/hardware/timing.md {}", row.source)},
                     {"meaning", row.meaning}});
    }
    fmt::print("{}\n", all.dump(2));
    return 0;
  }
  for (const ParameterRow& row : emu::timing::parameter_rows()) {
    fmt::print("{:<28} {:>5} {:<16} {:<10} {:<9} {}\n", row.name, row.value, row.unit, name_of(row.evidence),
               row.source, row.meaning);
  }
  return 0;
}

}  // namespace kerr::cli
