// TRISC1: multiply-adds of the vector unit.   docs/hardware/kernels.md 6.8
//
// A block is two rows of A and two groups of eight columns of B. Lane (r, c), of four rows of eight, works on column c
// of a group and on the eight k from 8 r on. Its sum takes A's element of lane (r, c) times B's of the same k, then all
// lanes of A go on by one, and so does B's next vector.
#include <array>
#include <initializer_list>

#include "isa/tensix/instructions.hpp"
#include "kernels/blocks/compute.hpp"
#include "kernels/blocks/config.hpp"
#include "kernels/blocks/dst_section.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/blocks/vector_unit.hpp"
#include "kernels/vector/dst_access.hpp"
#include "kernels/vector_product/streams.hpp"

namespace kerr::kernels::vector_product {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr Windows kWindows{zero, a6, a7};
constexpr DstSection kDst{kWindows, s0};
constexpr isa::Reg kTiles = a2, kSteps = a3, kDoubleSteps = a4, kOdd = a5, kPairs = s1;
constexpr isa::Reg kFirst = s2;    // not zero in the first step of a tile of C
constexpr isa::Reg kLoadRow = s3;  // words: the load of the pair's first row of A,
constexpr isa::Reg kLoadSum = s4;  // and of its first sum
// From word to word.
constexpr isa::Reg kNext = s5, kNextToSecond = s6, kNextToFirst = s7, kNextAndRewind = s8;  // register and vector
constexpr isa::Reg kNextRow = s9;          // from the sums of a row to those of the next
constexpr isa::Reg kFirstTileAgain = s10;  // from kLoadRow
constexpr isa::Reg kToStore = s11;

// Registers of the vector unit.
// 0 to 3: sums of row 0 with both groups, and of row 1
constexpr uint32_t kRow0 = 4, kRow1 = 5, kGroup0 = 6, kGroup1 = 7, kOne = 10;
constexpr auto kFp32 = static_cast<uint32_t>(vector::DstMode::Fp32);

// Rows of Dst.
constexpr uint32_t kVectorRows = 4;  // two vectors, of the even and of the odd columns
constexpr uint32_t kSecond = 2;      // from an even vector's address to the odd one's
constexpr uint32_t kSumsAt = 512;    // the upper half
constexpr uint32_t kTurns = 8;       // steps of a block
constexpr uint32_t kHalfOfB = kTurns * kVectorRows;
constexpr uint32_t kBlocks = 16;                       // pairs of rows
constexpr uint32_t kNextK = kTilesOfSlot * kTileRows;  // from a tile of A or B to the other slot's
constexpr uint32_t kDstAddresses = 1024;

// Modifiers of the address counter, which says where B's next vector is.
constexpr uint32_t kStay = 7, kAdvance = 6, kRewind = 5, kToSecond = 4, kToFirst = 2;
constexpr std::array<Modifier, 4> kModifiers{{{.index = kAdvance, .dst = {.by = kVectorRows}},
                                              {.index = kRewind, .dst = {.clear = true}},
                                              {.index = kToSecond, .dst = {.by = kNextK - kHalfOfB}},
                                              {.index = kToFirst, .dst = {.by = kHalfOfB}}}};

constexpr uint32_t kReplayedTurns = 4;

// The first pair's sums. `half` of the columns, `row` of the pair, `group` of the half.
constexpr uint32_t sum_at(uint32_t half, uint32_t row, uint32_t group) {
  return kSumsAt + kTileRows * (2 * half + row) + kSecond * group;
}

constexpr tx::SFPLOAD load(uint32_t reg, uint32_t at, uint32_t modifier = kStay) {
  return {.dest_reg_addr = at, .sfpu_addr_mode = modifier, .instr_mod0 = kFp32, .lreg_ind = reg};
}
constexpr tx::SFPSTORE store(uint32_t reg, uint32_t at, uint32_t modifier = kStay) {
  return {.dest_reg_addr = at, .sfpu_addr_mode = modifier, .instr_mod0 = kFp32, .lreg_ind = reg};
}

// Four turns; a MOP is a block's eight.
void record_turns(Stream& a) {
  constexpr uint32_t kWords = 8 * kReplayedTurns;
  a.tensix(tx::REPLAY{.load_mode = 1, .len = kWords, .start_idx = 0});
  const auto multiply_add = [&](uint32_t sum, uint32_t row, uint32_t group) {
    a.tensix(tx::SFPMAD{.lreg_dest = sum, .lreg_src_c = sum, .lreg_src_b = group, .lreg_src_a = row});
  };
  for (uint32_t turn = 0; turn < kReplayedTurns; ++turn) {
    a.tensix(load(kGroup0, kTileRows));
    a.tensix(load(kGroup1, kTileRows + kSecond, kAdvance));
    multiply_add(0, kRow0, kGroup0);
    multiply_add(1, kRow0, kGroup1);
    multiply_add(2, kRow1, kGroup0);
    multiply_add(3, kRow1, kGroup1);
    // Two cycles each, for which the unit waits by itself.
    for (const uint32_t row : {kRow0, kRow1})
      a.tensix(tx::SFPSHFT2{.instr_mod1 = 3, .lreg_dest = row, .lreg_src_c = row});
  }
  const uint32_t nop = tensix_nop(), turns = tx::REPLAY{.len = kWords, .start_idx = 0}.encode();
  configure_mop(a, kWindows, {1, kTurns / kReplayedTurns, nop, nop, nop, turns, nop, turns, turns});
}

void configure(Stream& a) {
  kDst.configure(a, true);
  a.tensix(tx::SEMINIT{.sem_sel = 1u << kSemMathPack, .init_value = 0, .max_value = 1});
  a.tensix(tx::SEMINIT{.sem_sel = 1u << kSemUnpackToDst, .init_value = 0, .max_value = 1});
  a.tensix(tx::SEMINIT{.sem_sel = 1u << kSemMathDone, .init_value = 0, .max_value = 1});
  configure_vector_unit(a);
  set_modifiers(a, kModifiers);
  record_turns(a);
  post_semaphore(a, kSemMathDone);
  const auto step = [](uint32_t modifier) { return load(1, kSecond, modifier).encode() - load(0, 0).encode(); };
  a.li(kNext, step(kStay));
  a.li(kNextToSecond, step(kToSecond));
  a.li(kNextToFirst, step(kToFirst));
  a.li(kNextAndRewind, step(kRewind));
  a.li(kNextRow, load(1, kTileRows).encode() - load(0, kSecond).encode());
  a.li(kFirstTileAgain, load(0, kDstAddresses - kNextK - kHalfOfB, kRewind).encode() - load(0, 0).encode());
  a.li(kToStore, store(0, 0).encode() - load(0, 0).encode());
}

// Pushes the word in t0, then the words that follow at these distances.
void push(Stream& a, std::initializer_list<isa::Reg> distances) {
  a.sw(t0, kWindows.push);
  for (const isa::Reg distance : distances) {
    a.add(t0, t0, distance);
    a.sw(t0, kWindows.push);
  }
}

void multiply(Stream& a) { a.tensix(tx::MOP{.mop_type = 1}); }

// The second tile's rows; the counter is `passed` rows past the first one's begin.
void multiply_second(Stream& a, uint32_t passed) {
  a.addi(t0, kLoadRow, static_cast<int32_t>(kNextK - passed));
  push(a, {kNextToSecond});
  multiply(a);
}

// How far the counter is past the operands' begin when a block's sums are loaded and when they are stored.
struct Counter {
  uint32_t loading, storing;
};

// Sums of half the columns; `body` multiplies. The counter adds to their addresses too.
template <class Body>
void block(Stream& a, uint32_t half, Counter counter, Body&& body) {
  const uint32_t at = sum_at(half, 0, 0) - sum_at(0, 0, 0);
  a.closed([&] {
    const isa::Label begin = a.label(), loaded = a.label();
    a.bnez(kFirst, begin);
    a.addi(t0, kLoadSum, static_cast<int32_t>(at - counter.loading));
    push(a, {kNext, kNextRow, kNext});
    a.j(loaded);
    a.bind(begin);
    for (uint32_t sum = 0; sum < 4; ++sum) a.tensix(tx::SFPLOADI{.lreg_ind = sum});
    a.bind(loaded);
  });
  body();
  a.add(t0, kLoadSum, kToStore);
  a.addi(t0, t0, static_cast<int32_t>(at - counter.storing));
  push(a, {kNext, kNextRow, half == 1 ? kNextAndRewind : kNext});
}

// A pair of rows times a tile of B.
void multiply_single(Stream& a) {
  a.mv(t0, kLoadRow);
  push(a, {kNext});
  block(a, 0, {0, kHalfOfB}, [&] { multiply(a); });
  block(a, 1, {kHalfOfB, 2 * kHalfOfB}, [&] { multiply(a); });
}

// Pairs of rows of two tiles of A, each times its tile of B.
void multiply_double(Stream& a) {
  a.mv(t0, kLoadRow);
  push(a, {kNext});
  block(a, 0, {0, kNextK + kHalfOfB}, [&] {
    multiply(a);
    multiply_second(a, kHalfOfB);
  });
  block(a, 1, {kNextK + kHalfOfB, kNextK + 2 * kHalfOfB}, [&] {
    a.add(t0, kLoadRow, kFirstTileAgain);
    a.sw(t0, kWindows.push);
    a.add(t0, kLoadRow, kNextToFirst);
    a.sw(t0, kWindows.push);
    multiply(a);
    multiply_second(a, 2 * kHalfOfB);
  });
}

// Takes what the unpacker has brought: one or two tiles of A, and of B.
template <class Body>
void take_step(Stream& a, Body&& multiply_pair) {
  a.comment("operands in Dst");
  a.tensix(tx::SEMWAIT{
      .wait_sem_cond = 1, .sem_sel = 1u << kSemUnpackToDst, .stall_res = stall::kMath | stall::kSfpu | stall::kSync});
  a.li(kLoadRow, load(kRow0, 0).encode());
  a.li(kLoadSum, load(0, sum_at(0, 0, 0)).encode());
  a.repeat(kPairs, kBlocks, [&] {
    multiply_pair();
    a.addi(kLoadRow, kLoadRow, kVectorRows);
    a.addi(kLoadSum, kLoadSum, kVectorRows);
  });
  a.tensix(tx::STALLWAIT{.wait_res = until::kSfpu, .stall_res = stall::kSync});
  get_semaphore(a, kSemUnpackToDst);
  a.li(kFirst, 0);
}

// Four sums of an element to one, which takes the place of the first.
void add_up(Stream& a) {
  a.comment("the four sums of each element");
  a.repeat(kPairs, kBlocks, [&] {
    for (uint32_t row = 0; row < 2; ++row) {
      for (uint32_t group = 0; group < 4; ++group) a.tensix(load(4 * row + group, sum_at(group / 2, row, group % 2)));
    }
    a.tensix(tx::SFPTRANSP{});
    const auto add = [&](uint32_t to, uint32_t from) {
      a.tensix(tx::SFPADD{.lreg_dest = to, .lreg_src_c = from, .lreg_src_b = to, .lreg_src_a = kOne});
    };
    for (const uint32_t reg : {0u, 2u, 4u, 6u}) add(reg, reg + 1);
    for (const uint32_t reg : {0u, 4u}) add(reg, reg + 2);
    a.tensix(store(0, sum_at(0, 0, 0)));
    a.tensix(store(4, sum_at(0, 0, 1), kAdvance));
  });
  a.tensix(tx::SETRWC{.bit_mask = kDstCounter});
}

}  // namespace

Kernel math() {
  Stream a = begin_kernel("vector_product_math");
  a.lw(kTiles, a0, kArgTiles);
  a.lw(kDoubleSteps, a0, kArgDoubleSteps);
  a.lw(kOdd, a0, kArgOdd);
  kWindows.open(a);
  configure(a);
  a.repeat_argument(kTiles, kArgTiles, [&] {
    a.comment("the packer has taken the last tile");
    kDst.acquire(a);
    a.li(kFirst, 1);
    for_each_step(a, kSteps, kDoubleSteps, kOdd,
                  [&](uint32_t slots) { take_step(a, [&] { slots == 2 ? multiply_double(a) : multiply_single(a); }); });
    add_up(a);
    a.tensix(tx::STALLWAIT{.wait_res = until::kSfpu, .stall_res = stall::kSync});
    post_semaphore(a, kSemMathPack);
  });
  return end_kernel(a);
}

}  // namespace kerr::kernels::vector_product
