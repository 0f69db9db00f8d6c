// Semaphores, mutexes, waits, and the front end's expanders. What a wait or an expansion let through shows in GPRs.
#include "oracle/instructions/bodies.hpp"

namespace kerr::oracle {

using namespace isa::tensix;

namespace {

constexpr unsigned kSemaphores = 8;

// An instruction that leaves a trace whenever it runs.
uint32_t trace(CaseMaker& m) {
  switch (m.below(4)) {
    case 0: return SETDMAREG{.reg_index_16b = m.below(128), .payload_sig_sel = m.below(1 << 14)}.encode();
    case 1:
      return MULDMAREG{.op_a_reg_index = m.below(64), .op_b_reg_index = m.below(64), .result_reg_index = m.below(64)}
          .encode();
    default:
      return ADDDMAREG{.op_a_reg_index = m.below(64), .op_b_reg_index = m.below(64), .result_reg_index = m.below(64)}
          .encode();
  }
}

void show_all(CaseMaker& m) {
  m.drain();
  m.show_gprs();
  m.show_semaphores();
  m.show_counters();
  m.finish();
}

// What the test knows of the semaphores, so that nothing leaves 0..max, which the reference simulator refuses.
struct Semaphores {
  std::array<unsigned, kSemaphores> value{}, max{};

  SEMINIT init(CaseMaker& m, unsigned s) {
    max[s] = 1 + m.below(15);
    value[s] = m.one_in(3) ? m.one_of({0, max[s]}) : m.below(max[s] + 1);
    return {.sem_sel = 1u << s, .init_value = value[s], .max_value = max[s]};
  }
  void all(CaseMaker& m) {
    for (unsigned s = 0; s < kSemaphores; ++s) m.push(init(m, s));
  }
};

void semaphore_init(CaseMaker& m) {
  Semaphores all;
  for (unsigned n = 0; n < 8; ++n) m.execute(all.init(m, m.below(kSemaphores)));
  show_all(m);
}

void semaphore_count(CaseMaker& m, bool post) {
  Semaphores all;
  all.all(m);
  for (unsigned n = 0; n < 12; ++n) {
    const unsigned s = m.below(kSemaphores);
    const bool up = all.value[s] == 0 || (all.value[s] < all.max[s] && (m.one_in(3) ? !post : post));
    all.value[s] += up ? 1 : ~0u;
    if (up) {
      post ? m.execute(SEMPOST{.sem_sel = 1u << s}) : m.push(SEMPOST{.sem_sel = 1u << s});
    } else {
      post ? m.push(SEMGET{.sem_sel = 1u << s}) : m.execute(SEMGET{.sem_sel = 1u << s});
    }
  }
  show_all(m);
}

void semaphore_wait(CaseMaker& m) {
  m.random_gprs();
  Semaphores all;
  all.all(m);
  for (unsigned n = 0; n < 6; ++n) {
    const unsigned s = m.below(kSemaphores);
    const bool while_zero = all.value[s] != 0 && (all.value[s] == all.max[s] || m.one_in(2));
    m.execute(SEMWAIT{.wait_sem_cond = while_zero ? 1u : 2u, .sem_sel = 1u << s, .stall_res = 1 + m.below(511)});
    m.push_word(trace(m));
  }
  show_all(m);
}

// Read, add, write back under a mutex.
void mutex(CaseMaker& m, bool acquire) {
  m.random_gprs();
  m.program().config(12, m.any());
  for (unsigned n = 0; n < 4; ++n) {
    acquire ? m.execute(ATGETM{}) : m.push(ATGETM{});
    m.push(RDCFG{.cfg_reg = 12, .gpr_address = 1});
    m.push(ADDDMAREG{.op_a_reg_index = 1, .op_b_reg_index = m.below(64), .result_reg_index = m.one_of({1, 2})});
    m.push(WRCFG{.cfg_reg = 12, .gpr_address = m.one_of({1, 2})});
    acquire ? m.push(ATRELM{}) : m.execute(ATRELM{});
    m.push_word(trace(m));
  }
  m.drain();
  m.show_config({12});
  show_all(m);
}

template <class MakeInstruction>
std::function<void(CaseMaker&)> between_traces(MakeInstruction make) {
  return [make](CaseMaker& m) {
    m.random_gprs();
    for (unsigned n = 0; n < 8; ++n) {
      m.execute(make(m));
      m.push_word(trace(m));
    }
    show_all(m);
  };
}

STALLWAIT wait_for_conditions(CaseMaker& m) {
  // Conditions 0..4 and the banks that nothing has filled.
  return {.wait_res = 1 + m.below(31), .stall_res = 1 + m.below(511)};
}

// MOP words: mostly traces.
uint32_t mop_word(CaseMaker& m) { return m.one_in(8) ? NOP{}.encode() : trace(m); }

void masked_mop(CaseMaker& m, bool high) {
  m.mop_config(0, 0);
  m.mop_config(1, m.below(4));
  for (unsigned w = 2; w < 9; ++w) m.mop_config(w, mop_word(m));
  const MOP_CFG mask{.zmask_hi16 = m.field(16)};
  if (high) {
    m.execute(mask);
  } else if (m.one_in(2)) {
    m.push(mask);
  }
  const MOP mop{.zmask_lo16_or_loop_count = m.field(16), .loop_count = m.below(32)};
  high ? m.push(mop) : m.execute(mop);
}

void nested_mop(CaseMaker& m) {
  m.mop_config(0, m.one_in(4) ? 1 : 1 + m.below(6));
  m.mop_config(1, m.one_in(4) ? 1 : 1 + m.below(8));
  for (unsigned w = 2; w < 9; ++w) m.mop_config(w, m.one_in(3) ? NOP{}.encode() : trace(m));
  m.execute(MOP{.mop_type = 1});
}

void mops(CaseMaker& m) {
  m.random_gprs();
  for (unsigned n = 0; n < 4; ++n) {
    m.drain();
    if (m.one_in(2)) {
      masked_mop(m, false);
    } else {
      nested_mop(m);
    }
  }
  show_all(m);
}

void mop_masks(CaseMaker& m) {
  m.random_gprs();
  for (unsigned n = 0; n < 4; ++n) {
    m.drain();
    masked_mop(m, true);
  }
  show_all(m);
}

void replays(CaseMaker& m) {
  m.random_gprs();
  m.execute(REPLAY{.load_mode = 1, .execute_while_loading = m.below(2), .len = 32});
  for (unsigned n = 0; n < 32; ++n) m.push_word(trace(m));
  for (unsigned n = 0; n < 5; ++n) {
    const unsigned length = 1 + m.below(32), start = m.below(32);
    if (m.one_in(2)) {
      m.execute(REPLAY{.len = length, .start_idx = start});
    } else {
      m.execute(REPLAY{.load_mode = 1, .execute_while_loading = m.below(2), .len = length, .start_idx = start});
      for (unsigned k = 0; k < length; ++k) m.push_word(trace(m));
    }
    m.drain();
  }
  show_all(m);
}

}  // namespace

void add_sync_bodies(Bodies& out) {
  out["SEMINIT"] = semaphore_init;
  out["SEMPOST"] = [](CaseMaker& m) { semaphore_count(m, true); };
  out["SEMGET"] = [](CaseMaker& m) { semaphore_count(m, false); };
  out["SEMWAIT"] = semaphore_wait;
  out["ATGETM"] = [](CaseMaker& m) { mutex(m, true); };
  out["ATRELM"] = [](CaseMaker& m) { mutex(m, false); };
  out["STALLWAIT"] = between_traces(wait_for_conditions);
  out["NOP"] = between_traces([](CaseMaker&) { return NOP{}; });
  out["MOP"] = mops;
  out["MOP_CFG"] = mop_masks;
  out["REPLAY"] = replays;
}

}  // namespace kerr::oracle
