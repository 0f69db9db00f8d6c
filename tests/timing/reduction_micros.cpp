// Sums and means of 1024 elements on one tile, and accumulations that depend on each other, instruction for instruction
// as blackhole-py runs them (tests/compute/fpu/: test_sum_finish, test_mean, test_elwmul_slots, test_arithmetic_slots).
#include <array>

#include "kernels/blocks/compute.hpp"
#include "kernels/blocks/dst_section.hpp"
#include "tests/timing/marked.hpp"
#include "tests/timing/micro.hpp"

namespace kerr::timing_tests {

using namespace isa::reg;
using emu::Kernel;
using kernels::Stream;
namespace tx = isa::tensix;
namespace until = kernels::until;
namespace stall = kernels::stall;

namespace {

constexpr kernels::Windows kWindows{s5, s6, s7};
// The reports leave the modifier away, which no source but they explains; MVMUL instead takes as long there.
constexpr tx::GAPOOL kPool{.instr_mod19 = 1};

// Address modifiers that move nothing: what they move costs nothing.
void stand_still(Kernel& k) {
  stream([](Stream& a) {
    kWindows.open(a);
    set_modifiers(a, std::array<kernels::Modifier, 1>{{{.index = 0}}});
  })(k);
}

void add(Kernel& k, uint32_t other) {
  k.tensix(tx::SFPADD{.lreg_dest = 0, .lreg_src_c = other, .lreg_src_b = 10, .lreg_src_a = 0});
}

// Adds the eight lanes of a row.
void add_lanes(Kernel& k) {
  for (const int distance : {4, 2, 1}) {
    k.tensix(tx::SFPMOV{.lreg_dest = 1, .lreg_c = 0});
    for (int i = 0; i < distance; ++i) k.tensix(tx::SFPSHFT2{.instr_mod1 = 3, .lreg_dest = 1, .lreg_src_c = 1});
    add(k, 1);
  }
}

// Adds the four rows of a register.
void add_rows(Kernel& k) {
  for (const uint32_t copy : {1, 2, 3}) k.tensix(tx::SFPMOV{.lreg_dest = copy, .lreg_c = 0});
  k.tensix(tx::SFPTRANSP{});
  for (const uint32_t copy : {1, 2, 3}) add(k, copy);
}

void load(Kernel& k, uint32_t lreg, uint32_t row) {
  k.tensix(tx::SFPLOAD{.dest_reg_addr = row, .instr_mod0 = 3, .lreg_ind = lreg});
}

// --- the sum: eight accumulations into one row, and three ways to add what is left ---

void finish_with_vectors(Kernel& k) {
  k.tensix(tx::STALLWAIT{.wait_res = until::kMath, .stall_res = stall::kSfpu});
  load(k, 0, 0);
  load(k, 1, 2);
  add(k, 1);
  add_lanes(k);
  k.tensix(tx::SFPSTORE{.instr_mod0 = 3, .lreg_ind = 0});
}

void finish_with_matrix(Kernel& k, bool transpose) {
  const tx::GATESRCRST forget_operands{.reset_srca_gate_control = 1, .reset_srcb_gate_control = 1};
  k.tensix(tx::SETRWC{.bit_mask = 0xF});
  k.tensix(tx::MOVD2B{.src = transpose ? 16u : 0u});
  k.tensix(forget_operands);
  if (transpose) {
    k.tensix(tx::TRNSPSRCB{});
    k.tensix(forget_operands);
  }
  for (const uint32_t row : {0, 4, 8, 12}) k.tensix(tx::MOVB2A{.srcb = 16 + row, .instr_mod = 2, .srca = row});
  k.tensix(forget_operands);
  k.tensix(tx::ZEROACC{.use_32_bit_mode = 1, .clear_mode = 3});
  for (int phase = 0; phase < 2; ++phase) k.tensix(kPool);
}

void finish_with_transpose(Kernel& k) { finish_with_matrix(k, true); }
void finish_with_row_dot(Kernel& k) { finish_with_matrix(k, false); }
void record_pools(Kernel& k) { record_replay(k, 8, kPool); }
void play_pools(Kernel& k) { play(k, 8); }
void end_sum(Kernel& k) { wait_for(k, until::kMath | until::kSfpu); }

double sum(const Payload& finish) {
  return marked_cycles(sequence({stand_still, record_pools}), sequence({play_pools, finish, end_sum}));
}

// The same after the accumulations are done.
double finish_alone(const Payload& finish) {
  const Payload done = [](Kernel& k) { wait_for(k, until::kMath); };
  const Payload valid = [](Kernel& k) { k.tensix(tx::SETDVALID{.setvalid = 3}); };
  return marked_cycles(sequence({stand_still, record_pools, valid, play_pools, done}), sequence({finish, end_sum}));
}

// --- the mean ---

// Data in SrcA: eight accumulations, of 16 sums; in SrcB: sixteen, of 8 sums in one column.
double mean(bool data_in_b, bool scale) {
  const uint32_t products = data_in_b ? 16 : 8;
  const Payload prepare = [=](Kernel& k) {
    stand_still(k);
    record_replay(k, products, tx::MVMUL{});
  };
  return marked_cycles(prepare, [=](Kernel& k) {
    play(k, products);
    k.tensix(tx::STALLWAIT{.wait_res = until::kMath, .stall_res = stall::kSfpu});
    load(k, 0, 0);
    load(k, 1, data_in_b ? 4 : 2);
    add(k, 1);
    data_in_b ? add_rows(k) : add_lanes(k);
    if (scale) k.tensix(tx::SFPMULI{.lreg_dest = 0, .imm16_math = 0x3A80});
    k.tensix(tx::SFPSTORE{.instr_mod0 = 3, .lreg_ind = 0});
    wait_for(k, until::kSfpu);
  });
}

double mean_by_vectors() {
  return marked_cycles(stand_still, [](Kernel& k) {
    load(k, 0, 0);
    for (uint32_t row = 2; row < 64; row += 2) {
      load(k, 1, row);
      add(k, 1);
    }
    add_lanes(k);
    add_rows(k);
    k.tensix(tx::SFPMULI{.lreg_dest = 0, .imm16_math = 0x3A80});
    k.tensix(tx::SFPSTORE{.instr_mod0 = 3, .lreg_ind = 0});
    wait_for(k, until::kSfpu);
  });
}

// --- two blocks of Dst in turns, 64 times ---

template <class Instruction>
double two_blocks(Instruction first, uint32_t rounds) {
  constexpr uint32_t kRepeats = 64;
  Instruction second = first;
  second.dst = 8;
  const Payload prepare = [=](Kernel& k) {
    stand_still(k);
    record_replay(k, rounds, first, second);
    stream([=](Stream& a) {
      const uint32_t nop = kernels::tensix_nop(), replay = tx::REPLAY{.len = 2 * rounds}.encode();
      configure_mop(a, kWindows, {1, kRepeats, nop, nop, nop, replay, nop, replay, replay});
    })(k);
  };
  return marked_cycles(prepare,
                       [](Kernel& k) {
                         k.tensix(tx::MOP{.mop_type = 1});
                         wait_for(k, until::kMath);
                       }) /
         kRepeats;
}

// --- scaling 8192 elements by two: load, multiply, NOP, store, all written out ---

double scale() {
  const Payload prepare = sequence({stand_still, fuse_pushes});
  return marked_cycles(prepare, [](Kernel& k) {
    for (uint32_t row = 0; row < 512; row += 2) {
      const uint32_t lreg = row / 2 % 4;
      load(k, lreg, row);
      k.tensix(tx::SFPMUL{.lreg_dest = lreg, .lreg_src_c = 9, .lreg_src_b = lreg, .lreg_src_a = 6});
      k.tensix(tx::SFPNOP{});
      k.tensix(tx::SFPSTORE{.dest_reg_addr = row, .instr_mod0 = 3, .lreg_ind = lreg});
    }
    for (int i = 0; i < 4; ++i) k.tensix(tx::SFPNOP{});
    wait_for(k, until::kMath | until::kSfpu);
  });
}

Micro row(std::string name, double silicon, std::function<double()> measure) {
  return {"Reductions and dependent instructions: raw cycles with the clock reads",
          std::move(name),
          "cycles",
          silicon,
          0.05,
          "4.2",
          std::move(measure)};
}

}  // namespace

std::vector<Micro> reduction_micros() {
  return {
      missed(row("nothing between the clock reads", 12, [] { return marked_cycles(stand_still, nothing); })),
      row("sum of 1024, the vector unit finishes", 104, [] { return sum(finish_with_vectors); }),
      row("sum of 1024, the matrix unit finishes (transpose)", 97, [] { return sum(finish_with_transpose); }),
      row("sum of 1024, the matrix unit finishes (row dot)", 95, [] { return sum(finish_with_row_dot); }),
      row("the vector unit's finish alone", 56, [] { return finish_alone(finish_with_vectors); }),
      missed(row("the transpose's finish alone", 50, [] { return finish_alone(finish_with_transpose); })),
      missed(row("the row dot's finish alone", 48, [] { return finish_alone(finish_with_row_dot); })),
      row("mean of 1024 in SrcA, the vector unit scales", 106, [] { return mean(false, true); }),
      row("mean of 1024 in SrcA, weights scaled before", 104, [] { return mean(false, false); }),
      row("mean of 1024 in SrcB, the vector unit scales", 141, [] { return mean(true, true); }),
      row("mean of 1024 in SrcB, weights scaled before", 139, [] { return mean(true, false); }),
      row("mean of 1024 by the vector unit alone", 128, mean_by_vectors),
      missed(row("2 ELWMULs to each of 2 blocks of Dst, a round", 16.875, [] { return two_blocks(tx::ELWMUL{}, 2); })),
      missed(row("2 MVMULs to each of 2 blocks of Dst, a round", 16.875, [] { return two_blocks(tx::MVMUL{}, 2); })),
      missed(row("an ELWADD to each of 2 blocks of Dst, a round", 10.891,
                 [] { return two_blocks(tx::ELWADD{.dest_accum_en = 1}, 1); })),
      missed(row("a GMPOOL to each of 2 blocks of Dst, a round", 10.891,
                 [] { return two_blocks(tx::GMPOOL{.instr_mod19 = 1}, 1); })),
      row("256 times load, multiply, NOP, store", 1054, scale),
  };
}

}  // namespace kerr::timing_tests
