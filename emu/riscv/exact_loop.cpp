// The loop of exact timing: runs ahead through what no other agent can see.   docs/architecture.md "Inside a tile"
//
// Registers, local memory and code are private. Everything else (L1, registers of the tile, atomics, pushes) is an
// interaction, and happens in the order of (cycle, agent): the loop stops before one that is not due yet. While the
// hart may be interrupted, each instruction is one: an interrupt that was raised before (cycle, hart) comes before what
// starts at cycle.
#include <algorithm>
#include <utility>

#include "arch/memory_map.hpp"
#include "emu/riscv/fetch.hpp"
#include "emu/riscv/hart.hpp"
#include "emu/riscv/parking/note.hpp"
#include "emu/riscv/parking/tries.hpp"
#include "emu/riscv/step.hpp"

namespace kerr::emu {

using isa::riscv::Instruction;

namespace {

constexpr Cycle kUnlimited = kNever;

// What an address reaches, for the time that it takes.   docs/hardware/timing.md 2.3
timing::Region region_of(uint32_t address, const HartState& hart) {
  using timing::Region;
  if (address < L1::kBytes) return Region::L1;
  if (hart.is_private(address)) return Region::Local;
  if (address >= arch::kConfigBase) return Region::Coprocessor;
  if (address >= arch::kPcBufBase) return Region::Sync;
  if (address >= arch::kGprBase && address < arch::kInstructionPushBase) return Region::Coprocessor;
  if (address >= arch::kTdmaBase && address < arch::kDebugBase) return Region::Coprocessor;
  if (address >= arch::kLdmSlowBase[0] && address < arch::kNiuBase) return Region::Window;
  return Region::Register;
}

// Others see it, or it sees what others do.
bool interacts(const HartState& hart, const Instruction& i) {
  using isa::riscv::Kind;
  switch (isa::riscv::row(i.op).kind) {
    case Kind::Load:
    case Kind::Store: return !hart.is_private(hart.x[i.rs1] + static_cast<uint32_t>(i.imm));
    case Kind::Amo:
    case Kind::Push: return true;
    case Kind::Csr: return is_coprocessor_status(i.csr);
    default: return false;
  }
}

// Notes what the time of an instruction depends on.
template <bool kObserved>
struct Priced : AtOnce<kObserved> {
  Priced(const HartState& state, const HartPort& to, const Instruction& i)
      : hart(state), port(to), effect{.dividend = hart.x[i.rs1], .divisor = hart.x[i.rs2], .pc = hart.pc} {}

  void reaches(uint32_t address) {
    effect.address = address;
    effect.region = region_of(address, hart);
  }
  void pushed(uint32_t pc) { effect.fused = port.fuses_with_next(pc); }

  const HartState& hart;
  const HartPort& port;
  timing::HartTimer::Effect effect;
};

}  // namespace

void Hart::run_exact(Cycle start, Cycle end, const Cycle& limit) {
  if (state_.running()) state_.cycle = std::max(state_.cycle, start);
  limit_ = &limit;
  listen();
  if (debugged_) [[unlikely]]
    return run_debugged(end);
  port_.observer ? run_ahead<true>(end) : run_ahead<false>(end);
}

// Its enables change by a store of its own, or while it does not run.
void Hart::listen() { listens_ = interrupts_ && interrupts_->enabled(port_.index); }

template <bool kObserved>
void Hart::run_ahead(Cycle end) {
  if (reference_) {
    exact_loop<Loop::Reference, kObserved>(end);
    return;
  }
  in_tries(end, [this](bool watched, Cycle until) {
    return watched ? exact_loop<Loop::Watching, kObserved>(until) : exact_loop<Loop::Running, kObserved>(until);
  });
}

void Hart::spin_exact(Cycle now) {
  const Cycle* const limit = std::exchange(limit_, &kUnlimited);
  const bool listens = std::exchange(listens_, false);  // nothing was pending, or it would not have been parked
  exact_loop<Loop::Running, false>(now);
  limit_ = limit;
  listens_ = listens;
}

// False: the next instruction is an interaction that is not due yet.
template <Hart::Loop kLoop, bool kObserved>
bool Hart::exact_loop(Cycle end) {
  constexpr bool kWatching = kLoop == Loop::Watching;
  HartState& hart = state_;
  Fetch<kLoop == Loop::Reference || kLoop == Loop::Single> fetch(code_, port_);
  const auto due = [&] { return hart.cycle < *limit_; };
  while (hart.cycle < end && hart.running() && (!kWatching || watch_.watching())) {
    const bool listens = listens_ && !hart.in_handler;
    if (listens) [[unlikely]] {
      if (!due()) return false;
      if (!retries_ && interrupts_->pending(port_.index)) {
        interrupt(interrupts_->next_handler(port_.index));
        continue;
      }
    }
    const uint32_t pc = hart.pc;
    const Instruction* const fetched = fetch.at(pc);
    if (!fetched) break;
    const Instruction i = *fetched;  // which may overwrite itself
    if (kWatching && fetch.entered_line()) note_code(watch_, port_);
    if (const Cycle start = timer_.start_of(i); start > hart.cycle) {
      hart.cycle = start;
      if (start >= end) return true;
      if (listens) continue;  // it may be interrupted until it starts
    }
    if (!due() && interacts(hart, i)) return false;
    if constexpr (kWatching) note(watch_, port_, i);

    Priced<kObserved> when(hart, port_, i);
    if (!step(hart, port_, i, when)) break;
    when.effect.late = std::exchange(port_.late, 0);
    when.effect.taken = when.jumped;
    timer_.started(i, hart.cycle, when.effect);
    hart.cycle = timer_.next();
    ++hart.instructions;
    retries_ = false;
    if (when.effect.region == timing::Region::Register && isa::riscv::row(i.op).kind == isa::riscv::Kind::Store)
      listen();
    if constexpr (kLoop == Loop::Single) break;
    if constexpr (kWatching) {
      if (when.jumped && hart.pc <= pc && turns(pc)) fetch.forget_line();
    }
  }
  if (kWatching && !hart.running()) watch_.give_up();
  return true;
}

template void Hart::run_ahead<false>(Cycle);
template void Hart::run_ahead<true>(Cycle);
template bool Hart::exact_loop<Hart::Loop::Single, false>(Cycle);
template bool Hart::exact_loop<Hart::Loop::Single, true>(Cycle);

}  // namespace kerr::emu
