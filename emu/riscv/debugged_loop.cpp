// The loop of a hart that a debugger may want to stop. It runs the loops of other harts from stop to stop, so a
// breakpoint that is not hit costs nothing, and single instructions only where it has to look behind each.
#include <cstring>
#include <utility>

#include "emu/riscv/hart.hpp"

namespace kerr::emu {

void Hart::run_debugged(Cycle end) { port_.observer ? debugged_loop<true>(end) : debugged_loop<false>(end); }

// Instruction caches and the reference scheduler decode by themselves and know nothing of CodeCache::stop_at().
bool Hart::runs_singly() const {
  const bool looks_behind_each = stops_->steps || stops_->passes || !stops_->watched.empty();
  const bool looks_before_each = (code_.caches() || reference_) && !stops_->breakpoints.empty();
  return state_.running() && (looks_behind_each || looks_before_each);
}

template <bool kObserved>
void Hart::debugged_loop(Cycle end) {
  for (;;) {
    if (runs_singly()) {
      if (state_.cycle >= end) return;
      if (!stops_->passes && stops_->has(state_.pc)) {
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
  for (HartStops::Watched& watched : stops_->watched) {
    if (watched.bytes.empty()) watched.look(state_.at_private(watched.address));
  }
  const uint64_t instructions = state_.instructions;
  bool due = true;
  if (exact_) {
    due = exact_loop<Loop::Single, kObserved>(end);
  } else {
    relaxed_loop<Loop::Single, kObserved>(end);
  }
  if (state_.instructions == instructions) return has_come_to_stop(HartStatus::Running) && due;
  stops_->passes = false;
  if (has_come_to_stop(HartStatus::Running)) return true;
  for (HartStops::Watched& watched : stops_->watched) {
    const uint8_t* const now = state_.at_private(watched.address);
    if (std::memcmp(now, watched.bytes.data(), watched.bytes.size()) == 0) continue;
    watched.look(now);
    tell(Stop::Why::Write, watched.address);
    return true;
  }
  if (stops_->steps) tell(Stop::Why::Step, state_.pc);
  return true;
}

// Why a loop has returned before its end, told. False: for no reason that concerns a debugger.
bool Hart::has_come_to_stop(HartStatus before) {
  if (std::exchange(stops_->wrote, false)) {
    if (state_.status == HartStatus::Paused) state_.status = HartStatus::Running;
    stops_->passes = false;
    tell(Stop::Why::Write, stops_->written);
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
