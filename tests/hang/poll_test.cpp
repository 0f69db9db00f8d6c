#include "hang/poll.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>

#include "isa/assembler.hpp"

namespace kerr::hang {
namespace {

using namespace isa::reg;
using isa::Assembler;
using Kind = Wanted::Kind;

constexpr uint32_t kLocal = 0xFFB0'0000;

// A loop that begins at its first instruction, and what it finds in memory.
class Loop {
 public:
  explicit Loop(const std::function<void(Assembler&)>& emit) {
    Assembler a;
    emit(a);
    code_ = a.finish(0x100);
  }
  Loop& with(isa::Reg reg, uint32_t value) {
    x_[reg.number] = value;
    return *this;
  }
  Loop& word(uint32_t address, uint32_t value) {
    memory_[address] = value;
    return *this;
  }
  Poll poll() const {
    return Poll({.pc = 0x100,
                 .x = x_,
                 .code = [this](uint32_t pc) -> std::optional<uint32_t> {
                   if (pc < 0x100 || pc - 0x100 + 4 > code_.bytes.size()) return std::nullopt;
                   uint32_t word;
                   std::memcpy(&word, code_.bytes.data() + (pc - 0x100), 4);
                   return word;
                 },
                 .load = [this](uint32_t address, uint32_t bytes) -> std::optional<uint32_t> {
                   const auto found = memory_.find(address & ~3u);
                   if (found == memory_.end()) return std::nullopt;
                   const uint32_t value = found->second >> 8 * (address % 4);
                   return bytes == 4 ? value : value & ((1u << 8 * bytes) - 1);
                 },
                 .is_local = [](uint32_t address) { return address - kLocal < 0x2000; }});
  }
  // The only word that the loop polls.
  Wanted wanted() const {
    const Poll p = poll();
    EXPECT_TRUE(p.known());
    EXPECT_EQ(p.words().size(), 1u);
    return p.words().empty() ? Wanted{} : p.words().front().wanted;
  }

 private:
  isa::Code code_;
  std::array<uint32_t, 32> x_{};
  std::map<uint32_t, uint32_t> memory_;
};

TEST(Poll, SaysTheValueThatALoopComparesWith) {
  const Loop equal = Loop([](Assembler& a) {
                       const isa::Label top = a.here();
                       a.fence();
                       a.lw(t0, a0, 0);
                       a.bne(t0, a1, top);
                     })
                         .with(a0, 0x1000)
                         .with(a1, 63);
  EXPECT_EQ(Loop(equal).word(0x1000, 0).wanted(), (Wanted{Kind::Equal, 63}));
  EXPECT_EQ(Loop(equal).word(0x1000, 64).wanted(), (Wanted{Kind::Equal, 63})) << "which has passed";
  EXPECT_EQ(Loop(equal).word(0x1000, 0x8000'0000).wanted(), (Wanted{Kind::Equal, 63}));
}

TEST(Poll, SaysThatAnyOtherValueWillDo) {
  const auto emit = [](Assembler& a) {
    const isa::Label top = a.here();
    a.lw(t0, a0, 0);
    a.beqz(t0, top);
  };
  EXPECT_EQ(Loop(emit).with(a0, 0x1000).word(0x1000, 0).wanted(), (Wanted{Kind::NotEqual, 0}));
}

// As circular buffers count: 16 bits, from what this side has counted.
TEST(Poll, SaysFromWhichValueOnACounterIsFarEnough) {
  const auto emit = [](Assembler& a) {
    const isa::Label top = a.here();
    a.fence();
    a.lw(t0, a0, 0);
    a.sub(t0, t0, s0);
    a.slli(t0, t0, 16);
    a.srli(t0, t0, 16);
    a.bltu(t0, a1, top);
  };
  const auto wanted = [&](uint32_t popped, uint32_t pushed, uint32_t pages) {
    return Loop(emit).with(a0, 0x1000).with(s0, popped).with(a1, pages).word(0x1000, pushed).wanted();
  };
  EXPECT_EQ(wanted(0, 0, 1), (Wanted{Kind::AtLeast, 1}));
  EXPECT_EQ(wanted(100, 107, 8), (Wanted{Kind::AtLeast, 108}));
  EXPECT_EQ(wanted(0xFFFE, 0xFFFE, 9), (Wanted{Kind::AtLeast, 0x1'0007}));
}

TEST(Poll, SaysWhichBitIsTested) {
  const auto emit = [](Assembler& a) {
    const isa::Label top = a.here();
    a.lw(t0, a0, 0);
    a.andi(t0, t0, 8);
    a.beqz(t0, top);
  };
  EXPECT_EQ(Loop(emit).with(a0, 0x1000).word(0x1000, 0x70).wanted(), (Wanted{Kind::BitSet, 3}));
}

// The upper byte of a word, as firmware looks at its GO message.
TEST(Poll, SeesThroughShifts) {
  const auto emit = [](Assembler& a) {
    const isa::Label top = a.here();
    a.lw(t0, a0, 0);
    a.srli(t0, t0, 24);
    a.bne(t0, a1, top);
  };
  const Wanted wanted = Loop(emit).with(a0, 0x1000).with(a1, 0x80).word(0x1000, 0).wanted();
  EXPECT_NE(wanted.kind, Kind::Nothing);
}

TEST(Poll, SaysThatNoValueEndsALoop) {
  // More is free than there is: (pushed - popped) & 0xFFFF <= -1.
  const auto emit = [](Assembler& a) {
    const isa::Label top = a.here();
    a.lw(t0, a0, 0);
    a.sub(t0, s0, t0);
    a.slli(t0, t0, 16);
    a.srli(t0, t0, 16);
    a.blt(a1, t0, top);
  };
  EXPECT_EQ(Loop(emit).with(a0, 0x1000).with(s0, 0).with(a1, ~0u).word(0x1000, 0).wanted().kind, Kind::Nothing);
  EXPECT_EQ(Loop(emit).with(a0, 0x1000).with(s0, 9).with(a1, 7).word(0x1000, 1).wanted(), (Wanted{Kind::AtLeast, 2}));
}

TEST(Poll, FollowsCallsAndVariablesOnTheStack) {
  const auto emit = [](Assembler& a) {
    const isa::Label top = a.here();
    const isa::Label look = a.label();
    a.sw(a1, sp, 4);
    a.jal(ra, look);
    a.lw(t1, sp, 4);
    a.bne(t0, t1, top);
    a.ret();
    a.bind(look);
    a.lbu(t0, a0, 1);
    a.ret();
  };
  const Poll poll =
      Loop(emit).with(a0, 0x1000).with(a1, 5).with(sp, kLocal + 0x100).word(0x1000, 0).word(kLocal + 0x104, 0).poll();
  ASSERT_TRUE(poll.known());
  ASSERT_EQ(poll.words().size(), 1u);
  EXPECT_EQ(poll.words()[0].address, 0x1001u);
  EXPECT_EQ(poll.words()[0].wanted, (Wanted{Kind::Equal, 5}));
}

// Where a parked hart is left, which depends on when it began.
TEST(Poll, MayBeginBehindTheLoad) {
  const auto emit = [](Assembler& a) {
    const isa::Label test = a.label(), top = a.here();
    a.bne(t0, a1, test);
    a.ret();
    a.bind(test);
    a.lw(t0, a0, 0);
    a.j(top);
  };
  const Loop loop = Loop(emit).with(a0, 0x1000).with(a1, 63).word(0x1000, 7);
  EXPECT_EQ(Loop(loop).with(t0, 7).wanted(), (Wanted{Kind::Equal, 63}));
  ASSERT_EQ(loop.poll().words().size(), 1u);
  EXPECT_EQ(loop.poll().words()[0].pc, 0x108u);
}

TEST(Poll, LeavesOutNothingThatItCannotFollow) {
  const auto stores = [](Assembler& a) {
    const isa::Label top = a.here();
    a.lw(t0, a0, 0);
    a.sw(t0, a0, 0);
    a.beqz(t0, top);
  };
  EXPECT_FALSE(Loop(stores).with(a0, 0x1000).word(0x1000, 0).poll().known());
  const auto unknown = [](Assembler& a) {
    const isa::Label top = a.here();
    a.lw(t0, a0, 0);
    a.beqz(t0, top);
  };
  EXPECT_FALSE(Loop(unknown).with(a0, 0x1000).poll().known()) << "the word cannot be looked at";
}

}  // namespace
}  // namespace kerr::hang
