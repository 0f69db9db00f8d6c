#include "emu/riscv/hart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emu/riscv/csr.hpp"
#include "isa/disassembler.hpp"

namespace kerr::emu {

// How harts of Ethernet tiles invalidate their caches is not known: they are Coherent.
Hart::Hart(TileId tile, arch::Hart index, L1& l1, CodeCache& code, HartBus& bus, FaultLog& faults,
           const Options& options, Interrupts* interrupts)
    : parks_(options.parks()),
      reference_(options.reference()),
      exact_(options.exact()),
      port_{tile, index, state_, l1, bus, faults, options.observer, options.prints},
      code_{code, port_.l1_bytes == L1::kBytes ? options.icache : InstructionCaching::Coherent},
      timer_(options.parameters),
      watch_(state_, exact_ ? &timer_ : nullptr),
      interrupts_(interrupts) {}

void Hart::hold_reset() {
  watch_.give_up();
  state_.status = HartStatus::InReset;
  state_.waits_for = 0;
}

void Hart::release_reset(uint32_t pc, Cycle now, bool keep_local_memory) {
  state_.reset(pc);
  state_.status = HartStatus::Running;
  state_.cycle = now;
  state_.waits_for = 0;
  retries_ = false;
  if (stops_) stops_->passes = false;
  watch_.reset();
  timer_.restart(now);
  code_.old.clear();
  if (!keep_local_memory) std::ranges::fill(state_.local, uint8_t{0});
  local_memory();
}

std::span<uint8_t> Hart::local_memory() {
  if (state_.local.empty()) state_.local = {port_.l1.local_memory(static_cast<unsigned>(port_.index)), local_bytes()};
  return state_.local;
}

void Hart::interrupt(uint32_t handler) {
  watch_.give_up();
  enter_handler(state_, handler);
}

void Hart::wake(Cycle resume) {
  if (state_.status == HartStatus::Blocked) {
    state_.status = HartStatus::Running;
    state_.cycle = std::max(state_.cycle, resume);
    retries_ = true;
    if (parks_) watch_.set_free();
  } else if (state_.parked()) {
    catch_up(resume);
    state_.status = HartStatus::Running;
    watch_.set_free();
  }
  state_.waits_for = 0;
}

void Hart::catch_up(Cycle now) {
  if (!state_.parked() || now <= state_.cycle) return;
  now = std::min(now, watch_.alarm());
  watch_.restore_turn(now);
  state_.status = HartStatus::Running;
  PrintListener* const listener = std::exchange(port_.prints, nullptr);  // a turn that is skipped, or will be again
  exact_ ? spin_exact(now) : spin_relaxed(now);
  port_.prints = listener;
  state_.status = HartStatus::Parked;
}

// Behind a jump backwards of a watched hart, whose turn may repeat: then it is parked. True: a turn begins.
bool Hart::turns(uint32_t from) {
  const PollWatch::Jump jump = watch_.jump(from);
  if (jump == PollWatch::Jump::Repeats) {
    state_.status = HartStatus::Parked;
    // A loop that reads nothing can still be caught up.
    state_.waits_for = watch_.waits_for() != 0 ? watch_.waits_for() : wait::kTime;
    if (port_.observer) port_.observer->stalled(port_.actor(), {state_.waits_for, true, watch_.data_lines()});
  }
  return jump == PollWatch::Jump::Begins;
}

std::string Hart::describe() const {
  switch (state_.status) {
    case HartStatus::InReset: return "in reset";
    case HartStatus::Running: return fmt::format("running, pc {:#x}", state_.pc);
    case HartStatus::Halted: return fmt::format("halted by a fault, pc {:#x}", state_.pc);
    case HartStatus::Paused:
      return fmt::format("paused at {}, pc {:#x}: for a debugger, or until a reset",
                         isa::disassemble(port_.word_at_pc()), state_.pc);
    case HartStatus::Blocked: return fmt::format("blocked at pc {:#x} on {}", state_.pc, names(state_.waits_for));
    case HartStatus::Parked: break;
  }
  std::string out = fmt::format("polling at pc {:#x}", state_.pc);
  const bool timed = watch_.alarm() != kNever;
  if (const WaitMask rest = state_.waits_for & ~(wait::kL1 | (timed ? wait::kTime : 0)))
    out += fmt::format(" on {}", names(rest));
  if (timed) out += fmt::format(" until cycle {}", watch_.alarm());
  const char* before = " on L1 ";
  for (const uint32_t address : polled_words()) {
    out += fmt::format("{}{:#x} (holds {:#x})", std::exchange(before, ", "), address, port_.l1.load<uint32_t>(address));
  }
  return out;
}

std::vector<uint32_t> Hart::polled_words() const {
  std::vector<uint32_t> words;
  if (!state_.parked()) return words;
  for (size_t i = 0; i < watch_.data_lines().size(); ++i) {
    for (uint32_t at = 0; at < L1::kLineBytes; at += 4) {
      if (watch_.data_bytes()[i] >> at & 0xF) words.push_back(watch_.data_lines()[i] * L1::kLineBytes + at);
    }
  }
  return words;
}

}  // namespace kerr::emu
