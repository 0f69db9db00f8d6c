// The loop of a hart that a debugger may want to stop. It runs the loops of other harts from stop to stop, so a
// breakpoint that is not hit costs nothing, and single instructions only where it has to look behind each.
#include <cstring>
#include <utility>

#include "emu/riscv/hart.hpp"

namespace kerr::emu {

void Hart::run_debugged(Cycle end) { port_.observer ? debugged_loop<true>(end) : debugged_loop<false>(end); }

// Instruction caches and the reference scheduler decode by themselves and know nothing of CodeCache::stop_at().
bool Hart::runs_singly() const {
  if (!state_.running()) return false;
  if (debug_ && debug_->looks()) return true;
  if (!stops_) return false;
  const bool looks_before_each = (code_.caches() || reference_) && !stops_->breakpoints.empty();
  return stops_->looks_behind_each() || looks_before_each;
}

template <bool kObserved>
void Hart::debugged_loop(Cycle end) {
  for (;;) {
    if (runs_singly()) {
      if (state_.cycle >= end) return;
      if (stops_ && !stops_->passes && stops_->has(state_.pc)) {
        tell(Stop::Why::Breakpoint, state_.pc);
        continue;
      }
      if (!execute_one<kObserved>(end)) return;
    } else {
      const HartStatus before = state_.status;
      exact_ ? run_ahead<kObserved>(end) : run_relaxed<kObserved>(end);
      if (!has_come_to_stop(before)) return;
    }
  }
}

// False: it waits, is not due, or has reached `end`.
template <bool kObserved>
bool Hart::execute_one(Cycle end) {
  watch_.give_up();
  for (size_t i = 0; stops_ && i < stops_->watched.size(); ++i) {
    HartStops::Watched& watched = stops_->watched[i];
    if (watched.bytes.empty()) watched.look(state_.at_private(watched.address));
  }
  const uint64_t instructions = state_.instructions;
  const uint32_t pc = state_.pc;
  const bool looks_at_it = (debug_ && debug_->has_points()) || (stops_ && !stops_->accessed.empty());
  const HartDebug::Access access = looks_at_it ? next_access() : HartDebug::Access{};
  bool due = true;
  if (exact_) {
    due = exact_loop<Loop::Single, kObserved>(end);
  } else {
    relaxed_loop<Loop::Single, kObserved>(end);
  }
  if (state_.instructions == instructions) return has_come_to_stop(HartStatus::Running) && due;
  if (debug_ && state_.running() && debug_->looks() && debug_->executed(pc, access)) state_.status = HartStatus::Paused;
  if (!stops_) return true;
  stops_->passes = false;
  if (has_come_to_stop(HartStatus::Running)) return true;
  for (HartStops::Watched& watched : stops_->watched) {
    const uint8_t* const now = state_.at_private(watched.address);
    if (std::memcmp(now, watched.bytes.data(), watched.bytes.size()) == 0) continue;
    watched.look(now);
    tell(Stop::Why::Write, watched.address);
    return true;
  }
  if (const auto hit = stops_->hit_of(access.loads, access.stores, access.address, access.bytes)) {
    tell(hit->why, hit->address);
    return true;
  }
  if (stops_->steps) tell(Stop::Why::Step, state_.pc);
  return true;
}

// What the instruction at pc will load or store.
HartDebug::Access Hart::next_access() const {
  using isa::riscv::Kind;
  using isa::riscv::Op;
  const isa::riscv::Instruction i = isa::riscv::decode(port_.word_at_pc());
  const Kind kind = isa::riscv::row(i.op).kind;
  if (kind != Kind::Load && kind != Kind::Store && kind != Kind::Amo) return {};
  HartDebug::Access access{.loads = kind != Kind::Store, .stores = kind != Kind::Load, .bytes = 4};
  access.address = state_.x[i.rs1] + (kind == Kind::Amo ? 0 : static_cast<uint32_t>(i.imm));
  switch (i.op) {
    case Op::Lb:
    case Op::Lbu:
    case Op::Sb: access.bytes = 1; break;
    case Op::Lh:
    case Op::Lhu:
    case Op::Sh: access.bytes = 2; break;
    default: break;
  }
  return access;
}

// Why a loop has returned before its end, told. False: for no reason that concerns a debugger.
bool Hart::has_come_to_stop(HartStatus before) {
  if (!stops_) return false;
  if (const auto hit = std::exchange(stops_->hit, std::nullopt)) {
    if (state_.status == HartStatus::Paused) state_.status = HartStatus::Running;
    stops_->passes = false;
    tell(hit->why, hit->address);
    return true;
  }
  if (std::exchange(port_.at_stop, false)) {
    state_.status = HartStatus::Running;
    // Others may execute the same code without a stop.
    stops_->has(state_.pc) ? tell(Stop::Why::Breakpoint, state_.pc) : static_cast<void>(stops_->passes = true);
    return true;
  }
  if (state_.status == before) return false;
  if (state_.status == HartStatus::Paused) tell(Stop::Why::Pause, state_.pc);
  if (state_.status == HartStatus::Halted) tell(Stop::Why::Fault, state_.pc);
  return state_.running();
}

void Hart::tell(Stop::Why why, uint32_t address) {
  if (why == Stop::Why::Step) stops_->steps = false;
  stops_->passes = true;
  stops_->debugger->stopped({.why = why, .tile = port_.tile, .agent = agent_of(port_.index), .address = address});
}

}  // namespace kerr::emu
