// Words of the math stream of vector products.   docs/hardware/tensix-math.md 12
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "isa/disassembler.hpp"
#include "isa/tensix/instructions.hpp"
#include "kernels/vector_product/streams.hpp"
#include "tests/kernels/tensix_words.hpp"

namespace kerr::kernels::vector_product {
namespace {

namespace tx = isa::tensix;

template <class I>
bool is(uint32_t word) {
  return word >> 24 == static_cast<uint32_t>(I::kOpcode);
}

std::vector<uint32_t> registers_of(uint32_t word) {
  if (is<tx::SFPMAD>(word) || is<tx::SFPADD>(word)) {
    const auto i = tx::SFPMAD::decode(word);
    return {i.lreg_dest, i.lreg_src_a, i.lreg_src_b, i.lreg_src_c};
  }
  if (is<tx::SFPSHFT2>(word)) {
    const auto i = tx::SFPSHFT2::decode(word);
    return {i.lreg_dest, i.lreg_src_c};
  }
  if (is<tx::SFPLOAD>(word) || is<tx::SFPSTORE>(word)) return {tx::SFPLOAD::decode(word).lreg_ind};
  if (is<tx::SFPTRANSP>(word)) return {0, 1, 2, 3, 4, 5, 6, 7};
  return {};
}

TEST(VectorProductStreams, NoInstructionUsesWhatATwoCycleOneHasJustWritten) {
  const std::vector<uint32_t> words = tensix_words(math());
  size_t checked = 0;
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (!is<tx::SFPMAD>(words[i]) && !is<tx::SFPADD>(words[i])) continue;
    ++checked;
    EXPECT_EQ(std::ranges::count(registers_of(words[i + 1]), tx::SFPMAD::decode(words[i]).lreg_dest), 0)
        << isa::disassemble_tensix(words[i]) << ", then " << isa::disassemble_tensix(words[i + 1]);
  }
  EXPECT_EQ(checked, 4u * 4 + 6);  // four turns, and the sums' sums
}

// So what comes behind a playback, be it another one or what the hart pushes, does not use a result too early.
TEST(VectorProductStreams, ARecordingFillsTheReplayBufferAndEndsWithRotations) {
  const std::vector<uint32_t> words = tensix_words(math());
  const auto recording = std::ranges::find_if(words, [](uint32_t word) { return is<tx::REPLAY>(word); });
  ASSERT_GE(words.end() - recording, 33);
  EXPECT_EQ(tx::REPLAY::decode(*recording).len, 32u);
  EXPECT_EQ(tx::REPLAY::decode(*recording).load_mode, 1u);
  for (int turn = 1; turn <= 4; ++turn) {
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(is<tx::SFPSHFT2>(recording[8 * turn - i])) << turn;
  }
}

}  // namespace
}  // namespace kerr::kernels::vector_product
