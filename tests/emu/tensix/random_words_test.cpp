// Whatever a program pushes, in whatever order, the coprocessor answers with an effect, a wait or a fault.
#include <random>

#include "isa/tensix/table.hpp"
#include "tests/emu/tensix/tensix_fixture.hpp"

namespace kerr::emu {
namespace {

// A machine that a fault has stopped is of no use: each program gets a new one, and many of them are short.
class RandomWords : public ::testing::TestWithParam<int> {
 protected:
  std::mt19937 random{static_cast<uint32_t>(GetParam())};

  uint32_t any(uint32_t below) { return static_cast<uint32_t>(random() % below); }

  // Mostly instructions that exist with operands that exist, so that units see them; some with bits of no operand.
  uint32_t word() {
    if (any(64) == 0) return static_cast<uint32_t>(random());
    const auto rows = isa::tensix::rows();
    const isa::tensix::Row& row = rows[any(static_cast<uint32_t>(rows.size()))];
    uint32_t bits = static_cast<uint32_t>(random());
    if (any(2) == 0) bits &= static_cast<uint32_t>(random());  // and sparse ones
    return static_cast<uint32_t>(row.opcode) << 24 | (bits & (any(8) == 0 ? 0xFFFFFF : row.named_bits));
  }

  void touch_windows(CardboardTile& tile) {
    Coprocessor& cop = tile.coprocessor;
    const int thread = static_cast<int>(any(3));
    uint32_t value = static_cast<uint32_t>(random());
    switch (any(8)) {
      case 0: tile.windows.store_config(any(0x10000) & ~3u, value); break;
      case 1: tile.windows.load_config(any(0x10000) & ~3u, value); break;
      case 2: cop.threads[thread].front.write_mop_config(any(9), any(2) ? word() : any(8)); break;
      case 3: cop.state.gpr.write(thread, any(64), any(2) ? value : any(0x18000)); break;
      case 4: cop.state.semaphores.store(any(8), value); break;
      case 5: tile.windows.store_dst(thread, any(0x8000) & ~3u, 1u << any(3), value); break;
      case 6: tile.windows.load_dst(thread, any(0x8000) & ~3u, 1u << any(3), value); break;
      default: cop.threads[thread].front.push_after_mop(word()); break;
    }
  }

  void program() {
    CardboardTile tile;
    Coprocessor& cop = tile.coprocessor;
    Cycle cycle = 0;
    for (int i = 0; i < 200; ++i) {
      if (any(3) == 0) touch_windows(tile);
      cop.threads[any(3)].front.push_before_mop(word());
      if (any(4) != 0) continue;
      for (int t = 0; t < kThreads; ++t) {
        cop.run(t, cycle, cycle + 64);
        EXPECT_FALSE(cop.describe(t).empty());
      }
      cycle += 64;
      if (any(50) == 0) cop.reset(0, static_cast<uint32_t>(random()));
    }
    for (const Fault& f : tile.faults.take()) EXPECT_FALSE(f.text().empty());
  }
};

TEST_P(RandomWords, NeverCrashHangOrReachOutOfBounds) {
  for (int i = 0; i < 150; ++i) program();
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomWords, ::testing::Range(0, 20));

// Each instruction with many operands, alone in front of each thread of a fresh coprocessor.
TEST(EveryInstruction, HasAnEffectWaitsOrFaults) {
  std::mt19937 random(7);
  for (const isa::tensix::Row& row : isa::tensix::rows()) {
    for (int k = 0; k < 40; ++k) {
      CardboardTile tile;
      for (unsigned r = 0; r < 64; ++r) tile.coprocessor.state.gpr.write(1, r, random() % 0x20000);
      if (k % 2) {
        for (unsigned w = 0; w < 224; ++w) tile.windows.store_config(4 * w, random());
      }
      const uint32_t set_both_valid = isa::tensix::SETDVALID{.setvalid = 3}.encode();
      tile.coprocessor.threads[1].front.push_before_mop(set_both_valid);
      const auto word = static_cast<uint32_t>(row.opcode) << 24 | (random() & row.named_bits);
      tile.coprocessor.threads[1].front.push_before_mop(static_cast<uint32_t>(word));
      tile.coprocessor.run(1, 0, 5000);
      EXPECT_FALSE(tile.coprocessor.describe(1).empty());
    }
  }
}

}  // namespace
}  // namespace kerr::emu
