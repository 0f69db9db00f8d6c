#include "emu/riscv/code_cache.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace kerr::emu {
namespace {

constexpr uint32_t kNop = 0x00000013, kEbreak = 0x00100073;
// At both ends, and on both sides of the first 64 KiB, which have a table of their own.
constexpr uint32_t kLines[] = {0, 1023, 1024, L1::kLines - 1};

// What Agents does.
struct Drops final : L1::Listener {
  explicit Drops(CodeCache& code_) : code(code_) {}
  void before_write(uint32_t line, uint8_t, L1::LineBytes) override { code.drop(line); }
  CodeCache& code;
};

struct View {
  explicit View(const std::shared_ptr<DecodedLines>& lines) : code(l1, lines) { l1.listen(&drops); }
  L1 l1;
  CodeCache code;
  Drops drops{code};
};

TEST(CodeCache, EqualLinesOfAllTilesAreOne) {
  const auto lines = std::make_shared<DecodedLines>();
  View one(lines), other(lines);
  for (View* view : {&one, &other}) {
    for (const uint32_t line : kLines) view->l1.store(line * L1::kLineBytes, kNop);
  }
  const DecodedLine* const first = one.code.line(0);
  EXPECT_EQ(first->instructions[0].op, isa::riscv::Op::Addi);
  for (const uint32_t line : kLines) {
    EXPECT_EQ(one.code.line(line), first);
    EXPECT_EQ(other.code.line(line), first);
  }
  EXPECT_NE(one.code.line(2), first);
}

TEST(CodeCache, ALineThatIsWrittenIsDecodedAnewThereAndNowhereElse) {
  const auto lines = std::make_shared<DecodedLines>();
  View one(lines), other(lines);
  for (const uint32_t line : kLines) {
    const DecodedLine* const before = one.code.line(line);
    EXPECT_EQ(other.code.line(line), before);
    const uint64_t changes = one.code.changes();
    one.l1.store(line * L1::kLineBytes, kEbreak);
    EXPECT_GT(one.code.changes(), changes);
    EXPECT_EQ(one.code.line(line)->instructions[0].op, isa::riscv::Op::Ebreak);
    EXPECT_EQ(other.code.line(line), before);
  }
}

// More different lines than are kept: those that a cache holds stay, whoever else is gone.
TEST(CodeCache, LinesInUseOutliveAProgramThatRewritesItself) {
  const auto lines = std::make_shared<DecodedLines>();
  View keeper(lines);
  keeper.l1.store(0, kEbreak);
  const DecodedLine* const kept = keeper.code.line(0);
  for (int round = 0; round < 3; ++round) {
    View writer(lines);
    for (uint32_t value = 0; value < 3000; ++value) {
      writer.l1.store(2000 * L1::kLineBytes, kNop | (value + 3000u * static_cast<uint32_t>(round)) << 7);
      writer.code.line(2000);
    }
  }
  EXPECT_EQ(keeper.code.line(0), kept);
  EXPECT_EQ(kept->instructions[0].op, isa::riscv::Op::Ebreak);
  View again(lines);
  again.l1.store(0, kEbreak);
  EXPECT_EQ(again.code.line(0), kept);
}

}  // namespace
}  // namespace kerr::emu
