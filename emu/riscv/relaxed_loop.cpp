// The loop of relaxed time: an instruction is a cycle.
#include <algorithm>

#include "emu/riscv/fast/fast_loop.hpp"
#include "emu/riscv/fetch.hpp"
#include "emu/riscv/hart.hpp"
#include "emu/riscv/parking/note.hpp"
#include "emu/riscv/parking/tries.hpp"
#include "emu/riscv/step.hpp"

namespace kerr::emu {

void Hart::run(Cycle start, Cycle end) {
  if (state_.running()) state_.cycle = std::max(state_.cycle, start);
  if (debugged_) [[unlikely]]
    return run_debugged(end);
  port_.observer ? run_relaxed<true>(end) : run_relaxed<false>(end);
}

template <bool kObserved>
void Hart::run_relaxed(Cycle end) {
  if (reference_) return relaxed_loop<Loop::Reference, kObserved>(end);
  const bool fast = port_.l1_bytes == L1::kBytes && !code_.caches() &&
                    (!kObserved || (port_.tells_all != nullptr && code_.lines.observed()));
  in_tries(end, [&](bool watched, Cycle until) {
    if (watched) {
      relaxed_loop<Loop::Watching, kObserved>(until);
    } else {
      const bool wants_all = kObserved && fast && *port_.tells_all;
      if (fast && !wants_all) fast_loop<kObserved>(state_, port_, code_.lines, until);
      if (kObserved || !fast) relaxed_loop<Loop::Running, kObserved>(until);  // what is left
    }
    return true;
  });
}

void Hart::spin_relaxed(Cycle now) { relaxed_loop<Loop::Running, false>(now); }

template <Hart::Loop kLoop, bool kObserved>
void Hart::relaxed_loop(Cycle end) {
  constexpr bool kWatching = kLoop == Loop::Watching;
  HartState& hart = state_;
  Fetch<kLoop == Loop::Reference || kLoop == Loop::Single> fetch(code_, port_);
  while (hart.cycle < end && hart.running() && (!kWatching || watch_.watching())) {
    const uint32_t pc = hart.pc;
    const auto* const i = fetch.at(pc);
    if (!i) break;
    if constexpr (kWatching) {
      if (fetch.entered_line()) note_code(watch_, port_);
      note(watch_, port_, *i);
    }
    AtOnce<kObserved> when;
    if (!step(hart, port_, *i, when)) break;
    ++hart.cycle;
    ++hart.instructions;
    if constexpr (kLoop == Loop::Single) break;
    if constexpr (kWatching) {
      if (when.jumped && hart.pc <= pc && turns(pc)) fetch.forget_line();
    }
  }
  if (kWatching && !hart.running()) watch_.give_up();
}

template void Hart::run_relaxed<false>(Cycle);
template void Hart::run_relaxed<true>(Cycle);
template void Hart::relaxed_loop<Hart::Loop::Single, false>(Cycle);
template void Hart::relaxed_loop<Hart::Loop::Single, true>(Cycle);

}  // namespace kerr::emu
