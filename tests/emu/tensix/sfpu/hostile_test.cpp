// Any vector words in any order, with any configuration: an effect or a refusal, nothing else. Run under ASan and
// UBSan.
#include <algorithm>
#include <random>
#include <vector>

#include "isa/tensix/table.hpp"
#include "tests/emu/tensix/sfpu/vector_unit.hpp"

namespace kerr::emu::tensix {
namespace {

class Hostile : public VectorUnit, public ::testing::WithParamInterface<int> {};

TEST_P(Hostile, WordsDoNoHarm) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  std::vector<isa::tensix::Row> rows;
  for (const isa::tensix::Row& row : isa::tensix::rows()) {
    if (row.unit == isa::tensix::Unit::Sfpu) rows.push_back(row);
  }
  ASSERT_EQ(rows.size(), 42u);
  const auto macro = std::find_if(rows.begin(), rows.end(),
                                  [](const auto& row) { return row.opcode == isa::tensix::Opcode::SFPLOADMACRO; });
  ASSERT_NE(macro, rows.end());
  unsigned done = 0, refused = 0;
  for (int program = 0; program < 40; ++program) {
    sfpu.reset();
    for (unsigned w = 0; w < 8; ++w) state.config.write(0, w == 4 ? 0 : w, random() & random());
    for (unsigned w = 0; w < arch::kThreadConfigWords; ++w) {
      const bool modelled = w < 20 || (w >= 28 && w < 37);
      if (modelled && random() % 4 == 0)
        state.config.write_thread(kThread, w, static_cast<uint16_t>(random() & random()));
    }
    state.dst.set_valid(random() % 1000, 24, false);
    for (int n = 0; n < 300; ++n) {
      const isa::tensix::Row& row = random() % 8 == 0 ? *macro : rows[random() % rows.size()];
      const u32 bits = random() % 2 ? random() : random() & random();
      cycle += random() % 3 == 0 ? random() % 5 : 0;
      const Issue i = issue(static_cast<u32>(row.opcode) << 24 | (bits & row.named_bits), random() % 3);
      ASSERT_NE(i.kind(), Issue::Kind::Wait);
      (i.is_done() ? done : refused) += 1;
      if (!i.is_done() && i.kind() != Issue::Kind::Odd) {
        EXPECT_FALSE(i.problem()->what.empty());
      }
      if (random() % 20 == 0) static_cast<void>(sfpu.drain(static_cast<int>(random() % 3)).is_done());
    }
  }
  EXPECT_GT(done, refused / 2);
}
INSTANTIATE_TEST_SUITE_P(Seeds, Hostile, ::testing::Range(0, 6));

}  // namespace
}  // namespace kerr::emu::tensix
