#include "emu/riscv/hart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emu/riscv/csr.hpp"
#include "isa/disassembler.hpp"

namespace kerr::emu {

Hart::Hart(TileId tile, arch::Hart index, L1& l1, CodeCache& code, HartBus& bus, FaultLog& faults)
    : port_{tile, index, state_, l1, bus, faults}, code_{code} {}

void Hart::hold_reset() {
  stop_watching();
  state_.status = State::InReset;
  state_.waits_for = 0;
}

void Hart::release_reset(uint32_t pc, Cycle now, bool keep_local_memory) {
  state_.reset(pc);
  state_.status = State::Running;
  state_.cycle = now;
  state_.waits_for = 0;
  retries_ = false;
  watch_.reset(now);
  timer_.restart(now);
  code_.old.clear();
  if (!keep_local_memory) std::ranges::fill(state_.local, uint8_t{0});
  local_memory();
}

uint8_t* Hart::local_memory() {
  if (state_.local.empty()) state_.local = {port_.l1.local_memory(static_cast<unsigned>(port_.index)), local_bytes()};
  return state_.local.data();
}

void Hart::interrupt(uint32_t handler) {
  stop_watching();
  enter_handler(state_, handler);
}

void Hart::wake(Cycle resume) {
  if (state_.status == State::Blocked) {
    state_.status = State::Running;
    state_.cycle = std::max(state_.cycle, resume);
    retries_ = true;
    if (parking_) watch_.set_free(state_.cycle);
  } else if (state_.status == State::Parked) {
    catch_up(resume);
    state_.status = State::Running;
    watch_.set_free(state_.cycle);
  }
  state_.waits_for = 0;
}

void Hart::catch_up(Cycle now) {
  if (state_.status != State::Parked || now <= state_.cycle) return;
  now = std::min(now, watch_.alarm());
  const PollWatch::TurnStart start = watch_.restore_turn(now, state_.x, state_.local.data(), exact_ ? &timer_ : nullptr);
  state_.pc = start.pc;
  state_.cycle = start.cycle;
  state_.instructions = start.instructions;
  state_.status = State::Running;
  exact_ ? spin_exact(now) : spin_relaxed(now);
  state_.status = State::Parked;
}

// Behind a jump backwards of a watched hart, whose turn may repeat: then it is parked. True: a turn begins.
bool Hart::turns(uint32_t from) {
  const PollWatch::Jump jump =
      watch_.jump(from, state_.pc, state_.x, state_.local.data(), state_.cycle, state_.instructions, exact_ ? &timer_ : nullptr);
  if (jump == PollWatch::Jump::Repeats) {
    state_.status = State::Parked;
    state_.waits_for = watch_.waits_for() != 0 ? watch_.waits_for() : wait::kTime;  // a loop that reads nothing can still be caught up
    if (port_.observer) port_.observer->stalled(port_.actor(), {state_.waits_for, true, watch_.data_lines()});
  }
  return jump == PollWatch::Jump::Begins;
}

std::string Hart::describe() const {
  switch (state_.status) {
    case State::InReset: return "in reset";
    case State::Running: return fmt::format("running, pc {:#x}", state_.pc);
    case State::Halted: return fmt::format("halted by a fault, pc {:#x}", state_.pc);
    case State::Paused:
      return fmt::format("paused at {}, pc {:#x}: for a debugger, or until a reset", isa::disassemble(port_.word_at_pc()), state_.pc);
    case State::Blocked: return fmt::format("blocked at pc {:#x} on {}", state_.pc, names(state_.waits_for));
    case State::Parked: break;
  }
  std::string out = fmt::format("polling at pc {:#x}", state_.pc);
  const bool timed = watch_.alarm() != kNever;
  if (const WaitMask rest = state_.waits_for & ~(wait::kL1 | (timed ? wait::kTime : 0))) out += fmt::format(" on {}", names(rest));
  if (timed) out += fmt::format(" until cycle {}", watch_.alarm());
  const char* before = " on L1 ";
  for (const uint32_t address : polled_words()) {
    out += fmt::format("{}{:#x} (holds {:#x})", std::exchange(before, ", "), address, port_.l1.load<uint32_t>(address));
  }
  return out;
}

std::vector<uint32_t> Hart::polled_words() const {
  std::vector<uint32_t> words;
  if (state_.status != State::Parked) return words;
  for (size_t i = 0; i < watch_.data_lines().size(); ++i) {
    for (uint32_t at = 0; at < L1::kLineBytes; at += 4) {
      if (watch_.data_bytes()[i] >> at & 0xF) words.push_back(watch_.data_lines()[i] * L1::kLineBytes + at);
    }
  }
  return words;
}

}  // namespace kerr::emu
