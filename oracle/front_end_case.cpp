#include "oracle/front_end_case.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "arch/sync.hpp"
#include "arch/tile_registers.hpp"
#include "emu/tensix/config/window.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "isa/disassembler.hpp"
#include "isa/tensix/instructions.hpp"
#include "tests/emu/quiet_board.hpp"

namespace kerr::oracle {
namespace {

using namespace isa::tensix;
using Kind = FrontEndCase::Step::Kind;

constexpr uint32_t kResult = 0x40000;
constexpr unsigned kGprs = 64, kSemaphores = arch::kSemaphores;
constexpr std::array<unsigned, 5> kConfigWords{12, 13, 14, 15, 56};  // take any value, have no effect here
constexpr unsigned kWordsAtMost = 400;                               // of one push, after all expansion

// Settings of DBG_BUS_CTRL, each read out in four slices: address counters of thread 0's unpackers, row counters,
// fidelity.
constexpr uint32_t bus_control(unsigned daisy, unsigned signal, unsigned slice) {
  return 1u << 29 | slice << 25 | daisy << 16 | signal;
}
struct Signal {
  unsigned daisy, signal;
};
constexpr Signal kSignals[] = {{6, 0}, {6, 1}, {6, 2}, {6, 3}, {3, 2}, {3, 3}, {3, 4}};

class Generator {
 public:
  Generator(std::mt19937& random, FrontEndCase& out) : random_(random), case_(out) {}

  void generate() {
    for (unsigned s = 0; s < kSemaphores; ++s) {
      push(SEMINIT{.sem_sel = 1u << s, .init_value = below(8), .max_value = 15});
    }
    for (unsigned n = 0; n < 60; ++n) {
      switch (below(6)) {
        case 0: mop_masked(); break;
        case 1: mop_nested(); break;
        case 2: record(); break;
        case 3: play(); break;
        default: push_word(plain()); break;
      }
      case_.steps.push_back({Kind::Drain});
    }
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool one_in(unsigned n) { return below(n) == 0; }
  unsigned reg() { return below(kGprs); }
  unsigned config_word() { return kConfigWords[below(kConfigWords.size())]; }

  template <class I>
  void push(const I& i) {
    push_word(i.encode());
  }
  void push_word(uint32_t word) { case_.steps.push_back({Kind::Push, word}); }
  void mop_config(unsigned index, uint32_t word) { case_.steps.push_back({Kind::MopConfig, word, index}); }

  // Small numbers for the counters of `units`.
  template <class I>
  uint32_t with_xy(I i, unsigned units) {
    i.ch0_x = below(8), i.ch0_y = below(8), i.ch1_x = below(8), i.ch1_y = below(8);
    i.cnt_set_mask = units;
    return i.encode();
  }
  template <class I>
  uint32_t with_zw(I i, unsigned units) {
    i.ch0_z = below(8), i.ch0_w = below(8), i.ch1_z = below(8), i.ch1_w = below(8);
    i.cnt_set_mask = units;
    return i.encode();
  }

  // An instruction that may run any number of times. Semaphore instructions are not among them: the reference simulator
  // refuses to leave the range 0..max.
  uint32_t plain() {
    const unsigned units = 1 + below(7);
    switch (below(20)) {
      case 0:
      case 1:
      case 2:
        return SETDMAREG{
            .reg_index_16b = below(128), .payload_sig_sel = below(1 << 14), .payload_sig_sel_size = below(4)}
            .encode();
      case 3:
      case 4:
      case 5: return ADDDMAREG{.op_a_reg_index = reg(), .op_b_reg_index = reg(), .result_reg_index = reg()}.encode();
      case 6: return MULDMAREG{.op_a_reg_index = reg(), .op_b_reg_index = reg(), .result_reg_index = reg()}.encode();
      case 7:
        if (one_in(3)) return WRCFG{.cfg_reg = 12, .wr128b = 1, .gpr_address = 4 * below(16)}.encode();
        return WRCFG{.cfg_reg = config_word(), .gpr_address = reg()}.encode();
      case 8: return RDCFG{.cfg_reg = config_word(), .gpr_address = reg()}.encode();
      case 9: return RMWCIB0{.cfg_reg_addr = config_word(), .data = below(256), .mask = below(256)}.encode();
      case 10: return RMWCIB2{.cfg_reg_addr = config_word(), .data = below(256), .mask = below(256)}.encode();
      case 11: return with_xy(SETADCXY{.bit_mask = 1 + below(15)}, units);
      case 12: return with_xy(INCADCXY{}, units);
      case 13: return with_xy(ADDRCRXY{.bit_mask = 1 + below(15)}, units);
      case 14: return with_zw(INCADCZW{}, units);
      case 15: return with_zw(ADDRCRZW{.bit_mask = 1 + below(15)}, units);
      case 16: {
        const unsigned from_cr = below(8);
        return SETRWC{.bit_mask = from_cr | below(16),
                      .rwc_a = below(16),
                      .rwc_b = below(16),
                      .rwc_d = below(16),
                      .rwc_cr = from_cr}
            .encode();
      }
      case 17:
        return INCRWC{.rwc_a = below(16), .rwc_b = below(16), .rwc_d = below(16), .rwc_cr = 4 * below(2)}.encode();
      case 18: return one_in(2) ? NOP{}.encode() : DMANOP{}.encode();
      default: return STALLWAIT{.wait_res = 0x1F & (1 + below(31)), .stall_res = 1 + below(511)}.encode();
    }
  }

  // The reference simulator drops plain NOPs before they are recorded.
  uint32_t not_nop() {
    for (;;) {
      const uint32_t word = plain();
      if (word != NOP{}.encode()) return word;
    }
  }

  // A word of a MOP: now and then a playback, which counts for its length.
  uint32_t mop_word(unsigned& most) {
    if (one_in(8) && recorded_) {
      const unsigned length = 1 + below(4);
      most = std::max(most, length);
      return REPLAY{.len = length, .start_idx = below(32)}.encode();
    }
    return plain();
  }
  uint32_t optional_word(unsigned& most) { return one_in(3) ? NOP{}.encode() : mop_word(most); }

  void mop_masked() {
    unsigned most = 1;
    mop_config(1, below(4));
    for (unsigned w = 2; w < 9; ++w) mop_config(w, mop_word(most));
    if (one_in(2)) push(MOP_CFG{.zmask_hi16 = below(1 << 16)});
    const unsigned iterations = std::min(32u, kWordsAtMost / (5 * most));
    push(MOP{.zmask_lo16_or_loop_count = below(1 << 16), .loop_count = below(iterations)});
  }

  void mop_nested() {
    unsigned most = 1;
    const uint32_t start = optional_word(most), end0 = optional_word(most), end1 = optional_word(most);
    const uint32_t loop0 = mop_word(most), loop1 = optional_word(most), last_of_all = mop_word(most),
                   last = optional_word(most);
    const unsigned budget = kWordsAtMost / most;
    const unsigned outer = 1 + below(8),
                   inner = 1 + below(std::min(64u, budget / outer / 2 > 3 ? budget / outer / 2 - 3 : 1));
    unsigned index = 0;
    for (const uint32_t w : {outer, inner, start, end0, end1, loop0, loop1, last_of_all, last}) mop_config(index++, w);
    push(MOP{.mop_type = 1});
  }

  void record() {
    const unsigned length = recorded_ ? 1 + below(31) : 32;
    push(REPLAY{
        .load_mode = 1, .execute_while_loading = below(2), .len = length, .start_idx = recorded_ ? below(32) : 0});
    // Some of the words may come from a MOP, if it gives just so many.
    const unsigned from_mop = one_in(3) ? length / 2 : 0;
    for (unsigned n = 0; n < length - from_mop; ++n) push_word(not_nop());
    if (from_mop != 0) {
      unsigned index = 0;
      const uint32_t nop = NOP{}.encode();
      for (const uint32_t w : {1u, from_mop, nop, nop, nop, not_nop(), nop, not_nop(), not_nop()})
        mop_config(index++, w);
      push(MOP{.mop_type = 1});
    }
    recorded_ = true;
  }

  void play() {
    if (recorded_) push(REPLAY{.len = 1 + below(32), .start_idx = below(32)});
  }

  std::mt19937& random_;
  FrontEndCase& case_;
  bool recorded_ = false;
};

// ---------------------------------------------------------------- the result, as a program reads it

void append(std::vector<uint8_t>& out, uint32_t word) {
  for (unsigned k = 0; k < 4; ++k) out.push_back(static_cast<uint8_t>(word >> 8 * k));
}

struct NoTile : emu::QuietBoard, emu::CoprocessorBus {
  emu::Access load(uint32_t, emu::BusReply&) override { return emu::Access::Fault; }
  emu::Access store(uint32_t, uint32_t, emu::BusReply&) override { return emu::Access::Fault; }
};

}  // namespace

FrontEndCase random_front_end_case(std::mt19937& random) {
  FrontEndCase c;
  Generator(random, c).generate();
  return c;
}

TileCase to_tile_case(const FrontEndCase& c) {
  TileCase out;
  Program p;
  for (const FrontEndCase::Step& step : c.steps) {
    switch (step.kind) {
      case Kind::Push: p.push(step.value); break;
      case Kind::MopConfig: p.mop_config(step.index, step.value); break;
      case Kind::Drain: p.drain(); break;
    }
  }
  p.drain();
  uint32_t to = kResult;
  for (unsigned r = 0; r < kGprs; ++r, to += 4) p.copy(to, arch::kGprBase + 4 * r);
  for (unsigned s = 0; s < kSemaphores; ++s, to += 4) p.copy(to, arch::kSemaphoreBase + 4 * s);
  for (const unsigned w : kConfigWords) {
    p.copy(to, arch::kConfigBase + 4 * w);
    to += 4;
  }
  for (const Signal& signal : kSignals) {
    for (unsigned slice = 0; slice < 4; ++slice, to += 4) {
      p.store(arch::kDbgBusCtrl, bus_control(signal.daisy, signal.signal, slice)).copy(to, arch::kDbgRdData);
    }
  }
  out.programs[Hart::Trisc0] = p;
  out.after = {{kResult, to - kResult}};
  out.text = {describe(c)};
  return out;
}

std::vector<uint8_t> run_on_coprocessor(const FrontEndCase& c) {
  emu::L1 l1;
  NoTile tile;
  emu::FaultLog faults;
  emu::Coprocessor cop(emu::TileId::at(0, 1, 2), l1, tile, tile, faults);
  const auto check = [&] {
    if (faults.any()) throw std::runtime_error(faults.take().front().text());
  };
  for (const FrontEndCase::Step& step : c.steps) {
    switch (step.kind) {
      case Kind::Push:
        while (!cop.threads[0].front.push_before_mop(step.value)) {
          cop.run(0, 0, 1);
          check();
        }
        break;
      case Kind::MopConfig: cop.threads[0].front.write_mop_config(step.index, step.value); break;
      case Kind::Drain:
        cop.run(0, 0, 1'000'000);
        check();
        if (!cop.idle(0)) throw std::runtime_error("does not drain: " + cop.describe(0));
        break;
    }
  }
  std::vector<uint8_t> out;
  for (unsigned r = 0; r < kGprs; ++r) append(out, cop.state.gpr.read(0, r));
  for (unsigned s = 0; s < kSemaphores; ++s) append(out, cop.state.semaphores[s].value);
  for (const unsigned w : kConfigWords) {
    uint32_t value = 0;
    emu::tensix::config_window::read(cop.state.config, w, value);
    append(out, value);
  }
  for (const Signal& signal : kSignals) {
    for (unsigned slice = 0; slice < 4; ++slice) {
      uint32_t value = 0;
      cop.debug_bus_read(bus_control(signal.daisy, signal.signal, slice), value);
      append(out, value);
    }
  }
  return out;
}

std::string describe(const FrontEndCase& c) {
  std::string out;
  for (const FrontEndCase::Step& step : c.steps) {
    switch (step.kind) {
      case Kind::Push: out += isa::disassemble_tensix(step.value) + "\n"; break;
      case Kind::MopConfig:
        out += "mop_cfg[" + std::to_string(step.index) + "] = " + isa::disassemble_tensix(step.value) + "\n";
        break;
      case Kind::Drain: break;
    }
  }
  return out;
}

}  // namespace kerr::oracle
