// What harts and the debug page ask of several parts at once.
#include "emu/tensix/coprocessor.hpp"

namespace kerr::emu {

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

Actor Coprocessor::actor(int thread) const {
  const CoprocessorThread& t = threads[thread];
  const tensix::Pushers::Push push = pushers->find(thread, t.front.push_taken());
  return {.tile = tile,
          .agent = agent_of_thread(thread),
          .cycle = observed_cycle,
          .pc = push.pc,
          .word = t.current,
          .push = push.number,
          .pusher = push.by};
}

tensix::Issue Coprocessor::move(const tensix::MoverJob& job) {
  if (holds.in_reset(isa::tensix::Unit::Mover)) {
    return tensix::Issue::unsupported(
        "a TDMA command for the mover while it is held in soft reset, "
        "where it would wait");
  }
  return mover.run(job);
}

uint32_t Coprocessor::queued_classes(int thread) const {
  const CoprocessorThread& t = threads[thread];
  uint32_t classes = (t.front.playing() ? 1u << 0 : 0) | (t.front.expanding() ? 1u << 1 : 0);
  if (t.has_current) classes |= classes_of(t.current);
  t.front.any_word([&](uint32_t word) {
    classes |= classes_of(word);
    return false;
  });
  return classes;
}

uint32_t Coprocessor::fifo_status() const {
  uint32_t status = 0;
  for (int thread = 0; thread < kThreads; ++thread) {
    const tensix::FrontEnd& front = threads[thread].front;
    status |= (front.room_after_mop() ? 1u : 0) << thread | (front.empty() ? 0x10u : 0) << thread;
  }
  return status;
}

// RESOURCEDECLs among the words count for those behind them. A MOP or a playback under way counts whole; its words that
// have come out count for themselves.
bool Coprocessor::must_wait(int thread, const tensix::TrackedAccess& access) const {
  const uint16_t enables =
      state.config.thread(thread).words[arch::thread_config::TENSIX_TRISC_SYNC_TrackGlobalCfg.word];
  if (!tensix::TtSync::tracks(enables, access.kind)) return false;
  tensix::TtSync declared = tt_sync[thread];
  const auto conflicts = [&](uint32_t word) {
    if (isa::tensix::opcode_of(word) == isa::tensix::Opcode::RESOURCEDECL) {
      declared.declare(isa::tensix::RESOURCEDECL::decode(word));
      return false;
    }
    return declared.conflicts(word, access, enables);
  };
  const CoprocessorThread& t = threads[thread];
  if (t.has_current && conflicts(t.current)) return true;
  if (t.front.playing() && declared.conflicts_with_replay(access)) return true;
  if (t.front.expanding() && declared.conflicts_with_mop(access)) return true;
  return t.front.any_word(conflicts);
}

void Coprocessor::serialize(Archive& a) {
  a(threads, state, holds, gates, tt_sync, debug_owned);
  a.machinery(turn_start);
  a(fpu, sfpu, packer);
  a.machinery(timed, timer, remarks);
  if (a.loading() && holds.retrying() != tensix::UnitHolds::kNobody) {
    l1.attributes()[holds.retried_line()] |= L1::kWatched;
  }
}

}  // namespace kerr::emu
