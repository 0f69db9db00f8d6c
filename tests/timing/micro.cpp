#include "tests/timing/micro.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kerr::timing_tests {

std::vector<Micro> all_micros() {
  std::vector<Micro> all = hart_micros();
  for (auto* more : {push_micros, unit_micros, reduction_micros, turn_micros, software_micros, noc_micros,
                     stream_micros, launch_micros}) {
    for (Micro& micro : more()) all.push_back(std::move(micro));
  }
  return all;
}

Micro missed(Micro m) {
  m.expected_miss = true;
  return m;
}

bool fits(const Micro& m, double kerr) { return std::abs(kerr - m.silicon) <= m.tolerance * m.silicon + 0.005; }

namespace {

// Bold where it is too large.
std::string difference(const Micro& m, double kerr) {
  const std::string percent = fmt::format("{:+.1f} %", 100 * (kerr / m.silicon - 1));
  return fits(m, kerr) ? percent : "**" + percent + "**";
}

}  // namespace

std::vector<std::string> table(bool with_slow) {
  std::vector<std::string> lines;
  std::string group;
  for (const Micro& m : all_micros()) {
    if (m.group != group) {
      group = m.group;
      for (std::string line : {std::string(), "### " + group, std::string(),
                               std::string("| What | Silicon | Kerr | Difference | Allowed | timing.md |"),
                               std::string("|---|---|---|---|---|---|")})
        lines.push_back(std::move(line));
    }
    std::string line = fmt::format("| {} | {:.2f} {} | ", m.name, m.silicon, m.unit);
    if (with_slow || !m.slow) {
      const double kerr = m.measure();
      line += fmt::format("{:.2f} | {} | {} | {} |", kerr, difference(m, kerr),
                          m.tolerance == 0 ? "none" : fmt::format("{:.0f} %", 100 * m.tolerance), m.section);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace kerr::timing_tests
