// Where a hart's instructions come from: lines of L1 that were decoded once, or what it once fetched.
#pragma once

#include <cstdint>

#include "emu/options.hpp"
#include "emu/riscv/code_cache.hpp"
#include "emu/riscv/instruction_cache.hpp"
#include "emu/riscv/port.hpp"

namespace kerr::emu {

/// What a hart executes: what L1 holds, or, if it caches, what it once fetched.
struct HartCode {
  CodeCache& lines;
  InstructionCaching caching = InstructionCaching::Coherent;
  InstructionCache old{};  // unless Coherent

  bool caches() const { return caching != InstructionCaching::Coherent; }
  /// What this hart has once fetched at `pc`, however old. Null: it is stale, and the check has stopped the hart.
  const isa::riscv::Instruction* cached(uint32_t pc, HartPort& port);
};

/// The fetches of one call of a loop. `kAnew`: decodes each word anew, for the reference scheduler.
template <bool kAnew>
class Fetch {
 public:
  using Instruction = isa::riscv::Instruction;

  Fetch(HartCode& code, HartPort& port) : code_(code), port_(port), changes_(code.lines.changes()) {}

  /// The instruction at `pc`, until the next call or until code changes. Null: there is none, and the hart has stopped.
  const Instruction* at(uint32_t pc) {
    const uint32_t base = pc & ~(L1::kLineBytes - 1);
    entered_ = base != base_;
    if (kAnew || code_.caches()) {
      base_ = base;
      if (!port_.can_fetch(pc)) return nullptr;
      if (code_.caches()) return code_.cached(pc, port_);
      decoded_ = isa::riscv::decode(port_.l1.load<uint32_t>(pc));
      return &decoded_;
    }
    // A store may change code: then the line is looked up again.
    if (entered_ || pc % 4 != 0 || changes_ != code_.lines.changes()) {
      if (!port_.can_fetch(pc)) return nullptr;
      line_ = code_.lines.line(pc / L1::kLineBytes);
      base_ = base;
      changes_ = code_.lines.changes();
      entered_ = true;
    }
    return &line_->instructions[pc % L1::kLineBytes / 4];
  }
  /// The last one was the first from its line, or the line has changed.
  bool entered_line() const { return entered_; }
  /// The next one will be the first from its line.
  void forget_line() { base_ = kNoLine; }

 private:
  static constexpr uint32_t kNoLine = 1;

  HartCode& code_;
  HartPort& port_;
  const DecodedLine* line_ = nullptr;
  uint32_t base_ = kNoLine;
  bool entered_ = false;
  uint64_t changes_;
  Instruction decoded_{};
};

}  // namespace kerr::emu
