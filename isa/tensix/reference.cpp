#include "isa/tensix/reference.hpp"

#include <fmt/format.h>

#include <array>

#include "isa/tensix/names.hpp"

namespace kerr::isa::tensix {
namespace {

using namespace evidence;

#define X(mnemonic, modes, checked, unknown) \
  Answer{Opcode::mnemonic, modes, static_cast<Evidence>(checked), unknown},
constexpr std::array kAnswers{
#include "isa/tensix/answers.def"
};

#define X(mnemonic, ...) Opcode::mnemonic,
constexpr std::array kOpcodes{
#include "isa/tensix/instructions.def"
};

constexpr bool complete() {
  if (kAnswers.size() != kOpcodes.size()) return false;
  for (std::size_t i = 0; i < kOpcodes.size(); ++i) {
    if (kAnswers[i].opcode != kOpcodes[i] || kAnswers[i].modes.empty()) return false;
  }
  return true;
}
static_assert(complete(), "answers.def must have one row for each row of instructions.def, in the same order");

constexpr struct {
  Evidence bit;
  std::string_view name;
} kEvidenceNames[] = {{Cases, "ttsim cases"},       {Lanes, "ttsim lanes"},        {Operands, "ttsim operands"}, {Programs, "ttsim programs"},
                      {FrontEnd, "ttsim front end"}, {Tiles, "tile programs"},     {Page, "ISA page"}};

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

constexpr std::string_view kHeadings[kUnitCount] = {
    "MOP expander", "Replay expander", "Automatic TTSync", "Sync unit", "Configuration unit", "Scalar unit (THCON)",
    "Miscellaneous unit", "Unpackers", "Packer", "Mover", "Matrix unit (FPU)", "Vector unit (SFPU)"};

}  // namespace

std::span<const Answer> answers() { return kAnswers; }

std::string reference_tables() {
  std::string out;
  for (int unit = 0; unit < kUnitCount; ++unit) {
    out += fmt::format(
        "### {}\n\n| Op | Mnemonic | Cycles | Modes implemented | Checked by | Refused, or chosen without a second source | "
        "May read | May write |\n|---|---|---|---|---|---|---|---|\n",
        kHeadings[unit]);
    for (std::size_t i = 0; i < rows().size(); ++i) {
      const Row& row = rows()[i];
      if (static_cast<int>(row.unit) != unit) continue;
      const Answer& a = kAnswers[i];
      out += fmt::format("| 0x{:02X} | {} | {} | {} | {} | {} | {} | {} |\n", static_cast<unsigned>(row.opcode), row.mnemonic,
                         row.cycles, a.modes, names_of_evidence(a.checked), a.unknown.empty() ? "-" : a.unknown,
                         names_of_resources(row.reads), names_of_resources(row.writes));
    }
    out += "\n";
  }
  return out;
}

}  // namespace kerr::isa::tensix
