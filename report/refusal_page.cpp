#include "report/refusal_page.hpp"

#include <fmt/format.h>

#include <array>

namespace kerr::report {

namespace {

#define X(unit, key, condition, verdict, source) Refusal{unit, key, condition, Verdict::verdict, source},
constexpr std::array kRefusals{
#include "emu/tensix/refusals.def"
};

constexpr std::string_view kVerdicts[] = {"ignored: a remark", "breaks: a fault", "unknown: a fault",
                                          "not modelled: a fault"};

}  // namespace

std::span<const Refusal> refusals() { return kRefusals; }

std::string refusal_table() {
  std::string out = "| Unit | What | On silicon, and here | Source |\n|---|---|---|---|\n";
  for (const Refusal& r : kRefusals) {
    out += fmt::format("| {} | {} | {} | {} |\n", r.unit, r.condition, kVerdicts[static_cast<size_t>(r.verdict)],
                       r.source);
  }
  return out;
}

}  // namespace kerr::report
