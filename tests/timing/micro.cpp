#include "tests/timing/micro.hpp"

#include <fmt/format.h>

namespace kerr::timing_tests {

std::vector<Micro> all_micros() {
  std::vector<Micro> all = hart_micros();
  for (auto* more : {noc_micros}) {
    for (Micro& micro : more()) all.push_back(std::move(micro));
  }
  return all;
}

std::string markdown() {
  std::string out, group;
  for (const Micro& m : all_micros()) {
    if (m.group != group) {
      group = m.group;
      out += fmt::format("\n### {}\n\n| What | Silicon | Kerr | Difference | Allowed | timing.md |\n|---|---|---|---|---|---|\n", group);
    }
    const double kerr = m.measure();
    out += fmt::format("| {} | {:.2f} {} | {:.2f} | {:+.1f} % | {} | {} |\n", m.name, m.silicon, m.unit, kerr, 100 * (kerr / m.silicon - 1),
                       m.tolerance == 0 ? "none" : fmt::format("{:.0f} %", 100 * m.tolerance), m.section);
  }
  return out;
}

}  // namespace kerr::timing_tests
