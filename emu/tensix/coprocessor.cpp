#include "emu/tensix/coprocessor.hpp"

#include "emu/tensix/parts.hpp"

namespace kerr::emu {

Coprocessor::Coprocessor(TileId tile, L1& l1, CoprocessorBus& bus, WaitBoard& board, FaultLog& faults,
                         const Options& options)
    : parts_(std::make_unique<Parts>(tile, l1, bus, board, faults, options)) {}
Coprocessor::~Coprocessor() = default;

// ---------------------------------------------------------------- threads

// The issue loop, once for each policy.
template <bool kExact, bool kObserved>
void Coprocessor::Parts::issue_loop(int thread, Cycle& cycle, const Cycle& limit) {
  CoprocessorThread& t = threads[static_cast<size_t>(thread)];
  if (t.halted) return;
  t.waits_for = 0;
  while (cycle < limit) {
    const uint64_t before = t.instructions;
    if (!step(thread, cycle)) {
      if constexpr (kObserved) {
        if (t.waits_for != 0) observer->stalled({tile, agent_of_thread(thread), cycle}, {.what = t.waits_for});
      }
      return;
    }
    if constexpr (kObserved) {
      if (t.instructions != before) observer->issued({tile, agent_of_thread(thread), cycle}, t.current);
    }
    cycle = kExact ? next_cycle(thread, cycle) : cycle + 1;
  }
}

void Coprocessor::run(int thread, Cycle cycle, Cycle end) {
  parts_->turn_start = cycle;
  if (parts_->observer != nullptr) {
    parts_->issue_loop<false, true>(thread, cycle, end);
  } else if (parts_->timed) {
    parts_->issue_loop<false, false>(thread, cycle, end);
  } else {
    parts_->issue_quickly(thread, cycle, end);
  }
}

void Coprocessor::run_exact(int thread, Cycle& cycle, const Cycle& limit) {
  parts_->timed = true;
  parts_->observer ? parts_->issue_loop<true, true>(thread, cycle, limit)
                   : parts_->issue_loop<true, false>(thread, cycle, limit);
}

Cycle Coprocessor::finished(int thread) const { return parts_->timed ? parts_->timer.finished(thread) : 0; }

WaitMask Coprocessor::thread_waits_for(int thread) const {
  return parts_->threads[static_cast<size_t>(thread)].waits_for;
}

namespace {

// docs/hardware/tile.md 1.4, the classes of tt_cfg_qstatus
uint32_t classes_of(uint32_t word) {
  using isa::tensix::Opcode;
  using isa::tensix::Unit;
  if (isa::tensix::opcode_of(word) == Opcode::REPLAY) {
    const isa::tensix::REPLAY i = isa::tensix::REPLAY::decode(word);
    return i.execute_while_loading || !i.load_mode ? 1u << 0 : 0;
  }
  if (isa::tensix::opcode_of(word) == Opcode::MOP) return 1u << 1;
  const isa::tensix::Row* const row = isa::tensix::row_of(word);
  if (!row) return 0;
  switch (row->unit) {
    case Unit::Scalar: return 1u << 2 | 1u << 8;
    case Unit::Mover: return 1u << 3 | 1u << 8;
    case Unit::Unpack: return 1u << 4 | 1u << 8;
    case Unit::Pack: return 1u << 5 | 1u << 8;
    case Unit::Config: return 1u << 6;
    case Unit::Sync: return 1u << 7;
    case Unit::Misc: return 1u << 8;
    case Unit::Sfpu: return 1u << 9;
    case Unit::Fpu: return 1u << 10;
    default: return 0;
  }
}

}  // namespace

uint32_t Coprocessor::queued_classes(int thread) const {
  const CoprocessorThread& t = parts_->threads[static_cast<size_t>(thread)];
  uint32_t classes = (t.front.playing() ? 1u << 0 : 0) | (t.front.expanding() ? 1u << 1 : 0);
  if (t.has_current) classes |= classes_of(t.current);
  t.front.any_word([&](uint32_t word) {
    classes |= classes_of(word);
    return false;
  });
  return classes;
}

bool Coprocessor::any_lane_enabled() const { return parts_->sfpu.enabled() != 0; }

void Coprocessor::wake(int thread) {
  CoprocessorThread& t = parts_->threads[static_cast<size_t>(thread)];
  if (!t.halted) t.waits_for = 0;
}

bool Coprocessor::waits_for_line(int thread, uint32_t line) const {
  return (thread_waits_for(thread) & wait::kL1) && parts_->holds.retried_line() == line;
}

uint64_t Coprocessor::fruitless_looks(int thread) const {
  return parts_->threads[static_cast<size_t>(thread)].fruitless_looks;
}

std::string Coprocessor::describe(int thread) const { return parts_->describe(thread); }

bool Coprocessor::stuck(int thread) const {
  const CoprocessorThread& t = parts_->threads[static_cast<size_t>(thread)];
  const bool holds_something = t.has_current || parts_->gates[static_cast<size_t>(thread)].latched();
  return holds_something && t.waits_for != 0;
}

uint64_t Coprocessor::instructions(int thread) const {
  return parts_->threads[static_cast<size_t>(thread)].instructions;
}
uint64_t Coprocessor::mvmuls() const { return parts_->fpu.mvmuls(); }

// ---------------------------------------------------------------- harts

bool Coprocessor::push(int thread, uint32_t word, Entry entry, Cycle now, bool fused) {
  tensix::FrontEnd& front = parts_->threads[static_cast<size_t>(thread)].front;
  return entry == Entry::BeforeMop ? front.push_before_mop(word, now, fused) : front.push_after_mop(word, now, fused);
}

void Coprocessor::set_debug_owned(uint32_t threads) { parts_->debug_owned = threads; }
bool Coprocessor::debug_owned(int thread) const { return parts_->debug_owned >> thread & 1; }

uint32_t Coprocessor::fifo_status() const {
  uint32_t status = 0;
  for (int thread = 0; thread < kThreads; ++thread) {
    const tensix::FrontEnd& front = parts_->threads[static_cast<size_t>(thread)].front;
    status |= (front.room_after_mop() ? 1u : 0) << thread | (front.empty() ? 0x10u : 0) << thread;
  }
  return status;
}

bool Coprocessor::idle(int thread) const { return parts_->idle(thread); }
bool Coprocessor::mop_idle(int thread) const {
  return parts_->threads[static_cast<size_t>(thread)].front.mop_idle();
}

void Coprocessor::mop_config_write(int thread, unsigned word, uint32_t value) {
  parts_->threads[static_cast<size_t>(thread)].front.write_mop_config(word, value);
}

// RESOURCEDECLs among the words count for those behind them. A MOP or a playback under way counts whole; its words that
// have come out count for themselves.
bool Coprocessor::must_wait(int thread, const tensix::TrackedAccess& access) const {
  const auto index = static_cast<size_t>(thread);
  const uint16_t enables =
      parts_->state.config.thread(thread).words[arch::thread_config::TENSIX_TRISC_SYNC_TrackGlobalCfg.word];
  if (!tensix::TtSync::tracks(enables, access.kind)) return false;
  tensix::TtSync sync = parts_->tt_sync[index];
  const auto conflicts = [&](uint32_t word) {
    if (isa::tensix::opcode_of(word) == isa::tensix::Opcode::RESOURCEDECL) {
      sync.declare(isa::tensix::RESOURCEDECL::decode(word));
      return false;
    }
    return sync.conflicts(word, access, enables);
  };
  const CoprocessorThread& t = parts_->threads[index];
  if (t.has_current && conflicts(t.current)) return true;
  if (t.front.playing() && sync.conflicts_with_replay(access)) return true;
  if (t.front.expanding() && sync.conflicts_with_mop(access)) return true;
  return t.front.any_word(conflicts);
}

uint32_t Coprocessor::gpr_read(int thread, unsigned index) const { return parts_->state.gpr.read(thread, index); }
void Coprocessor::gpr_write(int thread, unsigned index, uint32_t value) {
  parts_->state.gpr.write(thread, index, value);
}

tensix::Issue Coprocessor::move(const tensix::MoverJob& job) {
  if (parts_->holds.in_reset(isa::tensix::Unit::Mover)) {
    return tensix::Issue::unsupported("a TDMA command for the mover while it is held in soft reset, where it would wait");
  }
  return parts_->mover.run(job);
}

unsigned Coprocessor::semaphore_read(unsigned index) const { return parts_->state.semaphores[index].value; }
unsigned Coprocessor::semaphore_max(unsigned index) const { return parts_->state.semaphores[index].max; }

void Coprocessor::semaphore_write(unsigned index, uint32_t value) {
  (value & 1) ? parts_->state.semaphores.get(index) : parts_->state.semaphores.post(index);
}

// ---------------------------------------------------------------- reset

void Coprocessor::soft_reset_changed(uint32_t before, uint32_t after) { parts_->soft_reset(before, after); }

void Coprocessor::debug_features_changed(uint32_t value) {
  constexpr uint32_t kDstHighHalf = 1u << 11;
  parts_->state.dst.set_high_half((value & kDstHighHalf) != 0);
}

RemarkLog& Coprocessor::remarks() { return parts_->remarks; }

}  // namespace kerr::emu
