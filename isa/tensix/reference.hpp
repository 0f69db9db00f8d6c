#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "isa/tensix/table.hpp"

// What is known of each instruction and how it was checked: the reference page docs/reference/instructions.md.

namespace kerr::isa::tensix {

/// How an instruction was checked, one bit each.
using Evidence = uint16_t;

namespace evidence {
inline constexpr Evidence Lanes = 1u << 0;     // single vector instructions recorded from ttsim
inline constexpr Evidence Operands = 1u << 1;  // single matrix unit instructions and conversions recorded from ttsim
inline constexpr Evidence Programs = 1u << 2;  // random programs recorded from ttsim
inline constexpr Evidence FrontEnd = 1u << 3;  // random front-end programs recorded from ttsim
inline constexpr Evidence Tiles = 1u << 4;     // the tile programs of tensix-datapath.md appendix A, with checksums
inline constexpr Evidence Page = 1u << 5;      // the ISA pages, by a small model or example in a test
inline constexpr Evidence Cases = 1u << 6;     // at least 200 executions in small random programs recorded from ttsim
inline constexpr Evidence Nothing = 0;
}  // namespace evidence

struct Answer {
  Opcode opcode;
  std::string_view modes;  // what is implemented; "none..." if it always faults as Unsupported
  Evidence checked;
  std::string_view unknown;  // may be empty
};

/// One for each row of the instruction table, in its order.
std::span<const Answer> answers();

/// Whether what the reference simulator does is right, where it was once the only source.
enum class Standing { Confirmed, Contradicted, Open };
/// By whom a rule is known today.
enum class Known { Measured, Stated, Page, Simulator };

/// A rule of docs/hardware whose only source was the reference simulator: simulator_rules.def.
struct SimulatorRule {
  std::string_view place;         // file and section of docs/hardware
  std::string_view instructions;  // mnemonics separated by blanks; may be empty
  std::string_view rule;          // what Kerr does
  Standing standing;
  Known known;
  std::string_view source;  // empty if the simulator is still the only one

  bool concerns(std::string_view mnemonic) const;
};
std::span<const SimulatorRule> simulator_rules();

/// The tables of the page: Markdown, one line an instruction, with a heading for each unit; then the simulator's rules.
std::string reference_tables();

/// The operands of each instruction in the order in which C++ wants them, with their bits: Markdown, a heading for each
/// unit.
std::string operand_tables();

}  // namespace kerr::isa::tensix
