// The matrix unit: arithmetic, moves, clears.
#include "oracle/instructions/bodies.hpp"
#include "oracle/instructions/matrix_bench.hpp"

namespace kerr::oracle {

using namespace isa::tensix;

namespace {

using Sources = MatrixBench::Sources;
using Step = std::function<void(CaseMaker&, MatrixBench&)>;

constexpr unsigned kRowsShown = 128;

unsigned dst_row(CaseMaker& m, unsigned step = 8) { return step * m.below(64 / step); }

// A few steps on both sources, with Dst shown.
std::function<void(CaseMaker&)> arithmetic(unsigned step_a, unsigned step_dst, Step step, bool subtracts = false) {
  return [=](CaseMaker& m) {
    MatrixBench bench(m, Sources::Arithmetic);
    if (subtracts) bench.avoid_zero_minus_zero();
    bench.load(step_a, 8, step_dst);
    const unsigned steps = 1 + m.below(5);
    for (unsigned n = 0; n < steps; ++n) {
      bench.need(true, true);
      step(m, bench);
    }
    m.drain();
    m.show_counters();
    bench.show_dst(kRowsShown);
    m.finish();
  };
}

// A few steps, with Dst and both sources shown.
std::function<void(CaseMaker&)> moves(bool need_a, bool need_b, Step step) {
  return [=](CaseMaker& m) {
    MatrixBench bench(m, Sources::Movable);
    bench.load(8, 8, 8);
    const unsigned steps = 1 + m.below(4);
    for (unsigned n = 0; n < steps; ++n) {
      bench.need(need_a, need_b);
      if (m.one_in(2)) m.push(SETRWC{.bit_mask = 15});
      step(m, bench);
    }
    m.drain();
    m.show_counters();
    bench.show_dst(kRowsShown);
    bench.show_sources();
    m.finish();
  };
}

template <class I>
Step elementwise(bool accumulates) {
  return [=](CaseMaker& m, MatrixBench& bench) {
    if (accumulates) bench.reset_phase();
    m.execute(I{.dst = dst_row(m),
                .addr_mode = m.below(8),
                .instr_mod19 = m.one_in(2) ? 0 : m.below(4),
                .dest_accum_en = accumulates ? m.below(2) : 0,
                .clear_dvalid = bench.release()});
  };
}

template <class I>
Step pool() {
  return [](CaseMaker& m, MatrixBench& bench) {
    bench.reset_phase();
    m.execute(I{.dst = dst_row(m, 4), .pool_addr_mode = m.below(8), .instr_mod19 = 1, .clear_dvalid = bench.release()});
  };
}

// GMPOOL wants a SrcB of ones.
void maximum(CaseMaker& m) {
  MatrixBench bench(m, Sources::Arithmetic);
  bench.fill_b_with_ones();
  bench.load(16, 8, 4);
  const unsigned steps = 1 + m.below(5);
  for (unsigned n = 0; n < steps; ++n) {
    bench.reset_phase();
    m.execute(GMPOOL{.dst = dst_row(m, 4), .pool_addr_mode = m.below(8), .instr_mod19 = 1});
  }
  m.drain();
  m.show_counters();
  bench.show_dst(kRowsShown);
  m.finish();
}

void zero_accumulators(CaseMaker& m, MatrixBench&) {
  const unsigned am = m.below(8);
  if (m.one_in(8)) m.program().config(220, 8);  // absolute tile mode
  if (m.one_in(8)) m.program().thread_config(1, 64 * m.below(8));
  switch (m.below(7)) {
    case 0:
    case 1: m.execute(ZEROACC{.where = m.below(128), .addr_mode = am, .use_32_bit_mode = m.below(2)}); break;
    case 2:
    case 3: m.execute(ZEROACC{.where = m.below(16), .addr_mode = am, .clear_mode = 1}); break;
    case 4:
      m.execute(ZEROACC{
          .where = m.below(8), .addr_mode = am, .clear_zero_flags = m.below(2), .use_32_bit_mode = 1, .clear_mode = 1});
      break;
    case 5: m.execute(ZEROACC{.where = m.below(2), .clear_mode = 2}); break;
    default: m.execute(ZEROACC{.clear_mode = 3}); break;
  }
}

unsigned src_row(CaseMaker& m, unsigned step) { return step * m.below(64 / step); }

}  // namespace

void add_matrix_bodies(Bodies& out) {
  out["MVMUL"] = arithmetic(16, 8, [](CaseMaker& m, MatrixBench& bench) {
    m.execute(MVMUL{.dst = dst_row(m), .addr_mode = m.below(8), .clear_dvalid = bench.release()});
  });
  out["ELWMUL"] = arithmetic(8, 8, elementwise<ELWMUL>(false));
  out["ELWADD"] = arithmetic(8, 8, elementwise<ELWADD>(true), true);
  out["ELWSUB"] = arithmetic(8, 8, elementwise<ELWSUB>(true), true);
  out["GAPOOL"] = arithmetic(16, 4, pool<GAPOOL>());
  out["GMPOOL"] = maximum;

  out["MOVA2D"] = moves(true, false, [](CaseMaker& m, MatrixBench&) {
    m.execute(MOVA2D{
        .dst = dst_row(m), .instr_mod = 2, .addr_mode = m.below(8), .src = src_row(m, 8), .dest_32b_lo = m.one_in(6)});
  });
  out["MOVB2D"] = moves(false, true, [](CaseMaker& m, MatrixBench&) {
    const unsigned mod = 2 + m.below(4);
    m.execute(MOVB2D{.dst = dst_row(m, mod & 2 ? 8 : 4),
                     .movb2d_instr_mod = mod,
                     .addr_mode = m.below(8),
                     .src = src_row(m, mod & 2 ? 8 : 4),
                     .dest_32b_lo = m.one_in(6)});
  });
  out["MOVD2A"] = moves(false, false, [](CaseMaker& m, MatrixBench&) {
    m.execute(MOVD2A{.dst = dst_row(m, 4), .instr_mod = 2, .addr_mode = m.below(8), .src = src_row(m, 4)});
  });
  out["MOVD2B"] = moves(false, false, [](CaseMaker& m, MatrixBench&) {
    const unsigned mod = m.one_of({0, 2});
    m.execute(MOVD2B{.dst = dst_row(m, 4),
                     .instr_mod = mod,
                     .addr_mode = m.below(8),
                     .src = src_row(m, 4),
                     .dest_32b_lo = m.one_in(5)});
  });
  out["MOVB2A"] = moves(false, true, [](CaseMaker& m, MatrixBench&) {
    m.execute(MOVB2A{.srcb = src_row(m, 4), .instr_mod = 2, .addr_mode = m.below(8), .srca = src_row(m, 4)});
  });
  out["TRNSPSRCB"] = moves(false, true, [](CaseMaker& m, MatrixBench&) { m.execute(TRNSPSRCB{}); });
  out["ZEROSRC"] = moves(false, false, [](CaseMaker& m, MatrixBench&) {
    const bool both = m.one_in(3);
    m.execute(ZEROSRC{.src_mask = both ? 3 : 1 + m.below(3), .bank_mask = both, .write_mode = !both});
  });
  out["ZEROACC"] = moves(false, false, zero_accumulators);
  out["CLEARDVALID"] = moves(true, true, [](CaseMaker& m, MatrixBench& bench) {
    if (m.one_in(2)) bench.unpack(0);
    if (m.one_in(2)) bench.unpack(1);
    const unsigned which = 1 + m.below(3);
    m.execute(CLEARDVALID{.cleardvalid = which});
    bench.released(which);
  });
  out["GATESRCRST"] = moves(false, false, [](CaseMaker& m, MatrixBench&) {
    m.execute(GATESRCRST{.reset_srca_gate_control = m.below(2), .reset_srcb_gate_control = m.below(2)});
  });
  out["UNPACR_NOP"] = moves(false, false, [](CaseMaker& m, MatrixBench& bench) {
    const unsigned unpacker = m.below(2);
    bench.need(unpacker == 0, unpacker == 1);
    // The FPU's bank is valid: the wait must look at the other one, or the bank must be released first.
    const bool release_first = m.one_in(3), hand_over = !m.one_in(4);
    if (release_first) m.push(SETRWC{.clear_ab_vld = 1u << unpacker});
    m.execute(UNPACR_NOP{.unpack_pop = 1,
                         .src_clr_val_ctrl = unpacker ? 0 : m.below(2),
                         .stall_clr_cntrl = !release_first,
                         .set_dvalid = hand_over,
                         .unpacker_select = unpacker});
    if (!release_first) m.push(SETRWC{.clear_ab_vld = 1u << unpacker});
    bench.released(1u << unpacker);
    if (hand_over) {
      bench.handed_over(unpacker);
    } else {  // the cleared bank shows where unpacking ends early
      m.push(SETADCXX{.x_start = 0, .x_end2 = 16 * (1 + m.below(60)) - 1, .cnt_set_mask = 1u << unpacker});
      bench.unpack(unpacker);
    }
  });
}

void any_operands(CaseMaker& m, const Row& row) {
  MatrixBench bench(m, Sources::Movable);
  bench.load(8, 8, 8);
  m.random_gprs();
  m.execute_word(static_cast<uint32_t>(row.opcode) << 24 | (m.one_in(3) ? 0 : m.any() & m.any() & row.named_bits));
  m.drain();
  m.show_gprs();
  m.show_counters();
  bench.show_dst(kRowsShown);
  m.finish();
}

}  // namespace kerr::oracle
