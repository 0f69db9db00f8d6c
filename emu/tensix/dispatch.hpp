// From an instruction to the function that executes it: found by the compiler among the exec() functions that the units
// declare.
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "emu/tensix/issue.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

template <class Unit, class Instruction>
concept Executes = requires(Unit& unit, int thread, const Instruction& i) {
  { unit.exec(thread, i) } -> std::same_as<Issue>;
};

/// Out of line: what an instruction gets that no unit executes.
Issue not_modelled(const char* mnemonic);

/// A unit may also take the undecoded word, if it wants the decoding where the work is done.
template <class Unit, class Instruction>
concept ExecutesWord = requires(Unit& unit, int thread, uint32_t word) {
  { unit.template exec_word<Instruction>(thread, word) } -> std::same_as<Issue>;
};

/// `units` is a tuple of references. At most one of them may execute an instruction. Inline, so that the tuple is never
/// made.
template <class Instruction, class... Units>
[[gnu::always_inline]] inline Issue execute(const std::tuple<Units&...>& units, int thread, uint32_t word) {
  constexpr int kExecuting = (0 + ... + (Executes<Units, Instruction> ? 1 : 0));
  static_assert(kExecuting <= 1, "two units execute the same instruction");
  if constexpr (kExecuting == 0) {
    return not_modelled(Instruction::kMnemonic);
  } else {
    constexpr size_t kUnit = [] {
      constexpr bool kDoes[] = {Executes<Units, Instruction>...};
      size_t unit = 0;
      while (!kDoes[unit]) ++unit;
      return unit;
    }();
    auto& unit = std::get<kUnit>(units);
    if constexpr (ExecutesWord<std::remove_reference_t<decltype(unit)>, Instruction>) {
      return unit.template exec_word<Instruction>(thread, word);
    } else {
      return unit.exec(thread, Instruction::decode(word));
    }
  }
}

/// The same by opcode. Precondition: the opcode of `word` exists.
template <class... Units>
Issue dispatch(const std::tuple<Units&...>& units, int thread, uint32_t word) {
  namespace tensix = isa::tensix;
  switch (tensix::opcode_of(word)) {
#define X(mnemonic, ...)         \
  case tensix::Opcode::mnemonic: \
    return execute<tensix::mnemonic>(units, thread, word);
#include "isa/tensix/instructions.def"
  }
  return Issue::undefined("unknown opcode");
}

}  // namespace kerr::emu::tensix
