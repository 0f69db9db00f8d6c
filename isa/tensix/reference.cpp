#include "isa/tensix/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "isa/tensix/names.hpp"

namespace kerr::isa::tensix {
namespace {

using namespace evidence;

#define X(mnemonic, modes, checked, unknown) Answer{Opcode::mnemonic, modes, static_cast<Evidence>(checked), unknown},
constexpr std::array kAnswers{
#include "isa/tensix/answers.def"
};

#define X(mnemonic, ...) Opcode::mnemonic,
constexpr std::array kOpcodes{
#include "isa/tensix/instructions.def"
};

#define RULE(place, instructions, rule, standing, known, source) \
  SimulatorRule{place, instructions, rule, Standing::standing, Known::known, source},
constexpr std::array kRules{
#include "isa/tensix/simulator_rules.def"
};
static_assert(
    [] {
      for (const SimulatorRule& r : kRules) {
        const bool open = r.standing == Standing::Open;
        if (open != (r.known == Known::Simulator) || open != r.source.empty()) return false;
      }
      return true;
    }(),
    "a rule is open as long as the simulator is its only source");

constexpr bool complete() {
  if (kAnswers.size() != kOpcodes.size()) return false;
  for (size_t i = 0; i < kOpcodes.size(); ++i) {
    if (kAnswers[i].opcode != kOpcodes[i] || kAnswers[i].modes.empty()) return false;
  }
  return true;
}
static_assert(complete(), "answers.def must have one row for each row of instructions.def, in the same order");

constexpr struct {
  Evidence bit;
  std::string_view name;
  // clang-format off
} kEvidenceNames[] = {{Cases, "ttsim cases"},       {Lanes, "ttsim lanes"},         {Operands, "ttsim operands"},
                      {Programs, "ttsim programs"}, {FrontEnd, "ttsim front end"}, {Tiles, "tile programs"},
                      {Page, "ISA page"}};
// clang-format on

std::string names_of_evidence(Evidence checked) {
  std::string out;
  for (const auto& e : kEvidenceNames) {
    if (checked & e.bit) out += fmt::format("{}{}", out.empty() ? "" : ", ", e.name);
  }
  return out.empty() ? "nothing" : out;
}

std::string names_of_resources(Resources set) {
  std::string out;
  for (int k = 0; k < kResourceCount; ++k) {
    if (set >> k & 1) out += fmt::format("{}{}", out.empty() ? "" : " ", name_of_resource(Resources{1} << k));
  }
  return out.empty() ? "-" : out;
}

std::string_view name_of(Standing s) {
  return s == Standing::Confirmed ? "confirmed" : s == Standing::Contradicted ? "contradicted" : "**SIM only**";
}
std::string_view name_of(Known k) {
  return k == Known::Measured ? "measured" : k == Known::Stated ? "stated" : k == Known::Page ? "ISA page" : "-";
}

size_t count(Standing s) { return static_cast<size_t>(std::ranges::count(kRules, s, &SimulatorRule::standing)); }

// What the table of instructions says about this one, with the numbers of open rules.
std::string unknown_of(const Answer& answer, std::string_view mnemonic) {
  std::string open;
  for (size_t i = 0; i < kRules.size(); ++i) {
    if (kRules[i].standing != Standing::Open || !kRules[i].concerns(mnemonic)) continue;
    open += fmt::format("{}{}", open.empty() ? "SIM only: rule " : ", ", i + 1);
  }
  if (answer.unknown.empty()) return open.empty() ? "-" : open;
  return open.empty() ? std::string(answer.unknown) : fmt::format("{}; {}", answer.unknown, open);
}

std::string rules_table() {
  std::string out = fmt::format(
      "### Rules that only the reference simulator vouched for\n\n"
      "{} rules: {} confirmed by other public sources, {} contradicted, {} open (SIM only).\n\n"
      "| Rule | Standing | Known from | What Kerr does | Instructions | Described in | Source |\n"
      "|---|---|---|---|---|---|---|\n",
      kRules.size(), count(Standing::Confirmed), count(Standing::Contradicted), count(Standing::Open));
  for (size_t i = 0; i < kRules.size(); ++i) {
    const SimulatorRule& r = kRules[i];
    out += fmt::format("| {} | {} | {} | {} | {} | docs/hardware/{} | {} |\n", i + 1, name_of(r.standing),
                       name_of(r.known), r.rule, r.instructions.empty() ? "-" : r.instructions, r.place,
                       r.source.empty() ? "-" : r.source);
  }
  return out + "\n";
}

constexpr std::string_view kHeadings[kUnitCount] = {
    "MOP expander",        "Replay expander",    "Automatic TTSync", "Sync unit", "Configuration unit",
    "Scalar unit (THCON)", "Miscellaneous unit", "Unpackers",        "Packer",    "Mover",
    "Matrix unit (FPU)",   "Vector unit (SFPU)"};

}  // namespace

std::span<const Answer> answers() { return kAnswers; }
std::span<const SimulatorRule> simulator_rules() { return kRules; }

bool SimulatorRule::concerns(std::string_view mnemonic) const {
  for (std::string_view rest = instructions; !rest.empty();) {
    const size_t end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) == mnemonic) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::string reference_tables() {
  std::string out;
  for (int unit = 0; unit < kUnitCount; ++unit) {
    out += fmt::format(
        "### {}\n\n| Op | Mnemonic | Cycles | Modes implemented | Checked by | Refused, or chosen without a second "
        "source | May read | May write |\n|---|---|---|---|---|---|---|---|\n",
        kHeadings[unit]);
    for (size_t i = 0; i < rows().size(); ++i) {
      const Row& row = rows()[i];
      if (static_cast<int>(row.unit) != unit) continue;
      const Answer& a = kAnswers[i];
      out += fmt::format("| 0x{:02X} | {} | {} | {} | {} | {} | {} | {} |\n", static_cast<unsigned>(row.opcode),
                         row.mnemonic, row.cycles, a.modes, names_of_evidence(a.checked), unknown_of(a, row.mnemonic),
                         names_of_resources(row.reads), names_of_resources(row.writes));
    }
    out += "\n";
  }
  return out + rules_table();
}

std::string operand_tables() {
  std::string out;
  for (int unit = 0; unit < kUnitCount; ++unit) {
    out += fmt::format("### {}\n\n| Op | Instruction | Operands, with their bits |\n|---|---|---|\n", kHeadings[unit]);
    for (const Row& row : rows()) {
      if (static_cast<int>(row.unit) != unit) continue;
      std::string operands;
      for (const Field& f : row.fields) {
        operands += fmt::format("{}`{}` {}", operands.empty() ? "" : ", ", f.name, f.low + f.width - 1);
        if (f.width > 1) operands += fmt::format(":{}", f.low);
      }
      out += fmt::format("| 0x{:02X} | {} | {} |\n", static_cast<unsigned>(row.opcode), row.mnemonic,
                         operands.empty() ? "-" : operands);
    }
    out += "\n";
  }
  return out;
}

}  // namespace kerr::isa::tensix
