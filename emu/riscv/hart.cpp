#include "emu/riscv/hart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "arch/memory_map.hpp"
#include "arch/tile_registers.hpp"
#include "isa/disassembler.hpp"

namespace kerr::emu {

Hart::Hart(TileId tile, arch::Hart index, L1& l1, CodeCache& code, HartBus& bus, FaultLog& faults)
    : tile_(tile),
      index_(index),
      local_bytes_(arch::kLdmBytes[static_cast<size_t>(index)]),
      l1_bytes_(l1_bytes(tile)),
      l1_(l1),
      code_(code),
      bus_(bus),
      faults_(faults) {
  csrs_[0] = arch::kCfg0Reset;
}

void Hart::hold_reset() {
  stop_watching();
  state_ = State::InReset;
  waits_for_ = 0;
}

void Hart::release_reset(uint32_t pc, Cycle now, bool keep_local_memory) {
  state_ = State::Running;
  pc_ = pc;
  x_.fill(0);
  f_.fill(0);
  csrs_.fill(0);
  csrs_[0] = arch::kCfg0Reset;
  floats_done_ = in_handler_ = retries_ = false;
  cycle_ = now;
  waits_for_ = 0;
  watch_.reset(now);
  timer_.restart(now);
  icache_.clear();
  if (!keep_local_memory) std::ranges::fill(local_, uint8_t{0});
  local_memory();
}

uint8_t* Hart::local_memory() {
  if (local_.empty()) local_ = {l1_.local_memory(static_cast<unsigned>(index_)), local_bytes_};
  return local_.data();
}

void Hart::run(Cycle start, Cycle end) {
  if (state_ == State::Running) cycle_ = std::max(cycle_, start);
  observer_ ? run_relaxed<true>(end) : run_relaxed<false>(end);
}

template <bool kObserved>
void Hart::run_relaxed(Cycle end) {
  if (reference_) return execute<Loop::Reference, kObserved>(end);
  if (!parking_) return run_freely<kObserved>(end);
  for (;;) {
    if (alarm() < end) wake(alarm());
    if (state_ != State::Running || cycle_ >= end) return;
    if (watch_.watching()) {
      execute<Loop::Watching, kObserved>(std::min(end, watch_.until()));
      if (cycle_ >= watch_.until()) stop_watching();
    } else if (watch_.in_recent_loop(pc_, cycle_)) {
      watch_.watch_recent_loop(pc_, cycle_);
    } else {
      if (cycle_ < watch_.next_try()) run_freely<kObserved>(std::min(end, watch_.next_look(cycle_)));
      if (cycle_ >= watch_.next_try()) watch_.try_again(cycle_);
    }
  }
}

// The fast loop does what the plain one does, and tells nobody.
template <bool kObserved>
void Hart::run_freely(Cycle end) {
  if constexpr (kObserved) {
    execute<Loop::Plain, true>(end);
  } else if (l1_bytes_ == L1::kBytes && !caches()) [[likely]] {
    execute_fast(end);
  } else {
    execute<Loop::Plain, false>(end);
  }
}

void Hart::wake(Cycle resume) {
  if (state_ == State::Blocked) {
    state_ = State::Running;
    cycle_ = std::max(cycle_, resume);
    retries_ = true;
    if (parking_) watch_.set_free(cycle_);
  } else if (state_ == State::Parked) {
    catch_up(resume);
    state_ = State::Running;
    watch_.set_free(cycle_);
  }
  waits_for_ = 0;
}

void Hart::catch_up(Cycle now) {
  if (state_ != State::Parked || now <= cycle_) return;
  now = std::min(now, watch_.alarm());
  const PollWatch::TurnStart start = watch_.restore_turn(now, x_, local_.data(), exact_ ? &timer_ : nullptr);
  pc_ = start.pc;
  cycle_ = start.cycle;
  instructions_ = start.instructions;
  state_ = State::Running;
  exact_ ? catch_up_exact(now) : execute<Loop::Plain, false>(now);  // the rest of the turn: pure loads, register instructions, the hart's own memory
  state_ = State::Parked;
}

// Behind the jump back whose turn will repeat.
void Hart::park() {
  state_ = State::Parked;
  waits_for_ = watch_.waits_for() != 0 ? watch_.waits_for() : wait::kTime;  // a loop that reads nothing can still be caught up
  if (observer_) observer_->stalled(actor(), {waits_for_, true, watch_.data_lines()});
}

void Hart::stop(FaultCategory category, uint64_t address, std::string what, std::string advice) {
  stop_watching();
  state_ = State::Halted;
  faults_.report({.category = category,
                  .cycle = cycle_,
                  .tile = tile_,
                  .agent = agent_of(index_),
                  .pc = pc_,
                  .instruction = word_at_pc(),
                  .address = address,
                  .what = std::move(what),
                  .advice = std::move(advice)});
}

// What this hart has once fetched, however old. False: it is stale, and the check has stopped the hart.
bool Hart::fetch_cached(uint32_t pc, isa::riscv::Instruction& instruction) {
  const InstructionCache::Block& block = icache_.block(pc, l1_);
  const unsigned place = pc / 4 % block.words.size();
  const uint32_t now = l1_.load<uint32_t>(pc);
  if (caching_ == InstructionCaching::Checked && block.words[place] != now) [[unlikely]] {
    stop(FaultCategory::UndefinedBehavior, pc,
         fmt::format("Stale instruction at {:#010x}: the instruction cache holds {:#010x}, L1 by now {:#010x}.", pc,
                     block.words[place], now),
         fmt::format("After code has been written, store a mask with bit {} to RISCV_IC_INVALIDATE_InvalidateAll ({:#010x}) "
                     "before this hart runs it, or reset the hart.",
                     arch::kIcInvalidateBit[static_cast<size_t>(index_)], arch::kIcInvalidateAll));
    return false;
  }
  instruction = block.instructions[place];
  return true;
}

uint32_t Hart::word_at_pc() const {
  return pc_ % 4 == 0 && in_l1(tile_, pc_, 4) ? l1_.load<uint32_t>(pc_) : 0;
}

std::string Hart::describe() const {
  switch (state_) {
    case State::InReset: return "in reset";
    case State::Running: return fmt::format("running, pc {:#x}", pc_);
    case State::Halted: return fmt::format("halted by a fault, pc {:#x}", pc_);
    case State::Paused:
      return fmt::format("paused at {}, pc {:#x}: for a debugger, or until a reset", isa::disassemble(word_at_pc()), pc_);
    case State::Blocked: return fmt::format("blocked at pc {:#x} on {}", pc_, names(waits_for_));
    case State::Parked: break;
  }
  std::string out = fmt::format("polling at pc {:#x}", pc_);
  const bool timed = watch_.alarm() != kNever;
  if (const WaitMask rest = waits_for_ & ~(wait::kL1 | (timed ? wait::kTime : 0))) out += fmt::format(" on {}", names(rest));
  if (timed) out += fmt::format(" until cycle {}", watch_.alarm());
  const char* before = " on L1 ";
  for (const uint32_t address : polled_words()) {
    out += fmt::format("{}{:#x} (holds {:#x})", std::exchange(before, ", "), address, l1_.load<uint32_t>(address));
  }
  return out;
}

std::vector<uint32_t> Hart::polled_words() const {
  std::vector<uint32_t> words;
  if (state_ != State::Parked) return words;
  for (size_t i = 0; i < watch_.data_lines().size(); ++i) {
    for (uint32_t at = 0; at < L1::kLineBytes; at += 4) {
      if (watch_.data_bytes()[i] >> at & 0xF) words.push_back(watch_.data_lines()[i] * L1::kLineBytes + at);
    }
  }
  return words;
}

}  // namespace kerr::emu
