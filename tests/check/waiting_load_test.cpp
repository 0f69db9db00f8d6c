#include "check/waiting_load.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <vector>

#include "isa/assembler.hpp"

namespace kerr::check {
namespace {

using namespace isa::reg;
using isa::Assembler;

// Code at 0x100, and the answers for the load behind the label "load".
class Program {
 public:
  explicit Program(const std::function<void(Assembler&)>& emit) {
    Assembler a;
    emit(a);
    code_ = a.finish(0x100);
    l1_.resize(0x1000);
    std::ranges::copy(code_.bytes, l1_.begin() + 0x100);
  }
  LoadUse use() { return Code(l1_).use_of_load(code_.address_of("load")); }
  std::optional<bool> leaves(uint32_t value, std::array<uint32_t, 32> x = {}) {
    return Code(l1_).leaves(code_.address_of("load"), value, x, [](uint32_t, uint32_t) { return std::optional(7u); });
  }

 private:
  isa::Code code_;
  std::vector<uint8_t> l1_;
};

TEST(WaitingLoad, ALoopWithAFenceEmptiesTheCacheInEachTurn) {
  const auto poll = [](bool fence) {
    Program p([fence](Assembler& a) {
      const isa::Label top = a.here();
      if (fence) a.fence();
      a.here("load");
      a.lw(t0, a0, 0);
      a.bne(t0, a1, top);
      a.ret();
    });
    return p.use();
  };
  EXPECT_TRUE(poll(true).waits && poll(true).fences);
  EXPECT_TRUE(poll(false).waits);
  EXPECT_FALSE(poll(false).fences);
}

// An unrolled loop, as of the stock dispatch subordinate.
TEST(WaitingLoad, ASecondLoadOfTheSameWordFindsTheSame) {
  Program p([](Assembler& a) {
    const isa::Label out = a.label();
    const isa::Label top = a.here("load");
    a.lw(t0, a0, 0);
    a.bgeu(t0, a1, out);
    a.lw(t0, a0, 0);
    a.bltu(t0, a1, top);
    a.bind(out);
    a.ret();
  });
  std::array<uint32_t, 32> x{};
  x[11] = 5;
  EXPECT_TRUE(p.use().waits);
  EXPECT_EQ(p.leaves(4, x), false) << "although the word holds 7";
  EXPECT_EQ(p.leaves(5, x), true);
}

TEST(WaitingLoad, ALoopUntilAWordHasAValueWaits) {
  Program p([](Assembler& a) {
    const isa::Label top = a.here("load");
    a.lw(t0, a0, 0);
    a.bne(t0, a1, top);
    a.li(t0, 0);
    a.ret();
  });
  EXPECT_TRUE(p.use().waits);
  EXPECT_FALSE(p.use().lives);
  EXPECT_EQ(p.leaves(4,
                     [] {
                       std::array<uint32_t, 32> x{};
                       x[11] = 4;
                       return x;
                     }()),
            true);
  EXPECT_EQ(p.leaves(3,
                     [] {
                       std::array<uint32_t, 32> x{};
                       x[11] = 4;
                       return x;
                     }()),
            false);
}

TEST(WaitingLoad, ABoundIsMetByLargerValues) {
  Program p([](Assembler& a) {
    const isa::Label top = a.here();
    a.fence();
    a.here("load");
    a.lw(t0, a0, 0);
    a.lw(t1, a0, 8);
    a.sub(t0, t0, t1);
    a.bltu(t0, a1, top);
    a.li(t0, 0);
    a.ret();
  });
  std::array<uint32_t, 32> x{};
  x[11] = 2;
  EXPECT_TRUE(p.use().waits);
  EXPECT_EQ(p.leaves(8, x), false) << "8 - 7 < 2";
  EXPECT_EQ(p.leaves(9, x), true);
  EXPECT_EQ(p.leaves(12, x), true);
}

TEST(WaitingLoad, AValueThatIsUsedBehindTheLoopLives) {
  Program p([](Assembler& a) {
    const isa::Label top = a.here("load");
    a.lw(t0, a0, 0);
    a.beq(t0, a1, top);
    a.sub(a2, t0, a1);
    a.ret();
  });
  EXPECT_TRUE(p.use().lives);
}

TEST(WaitingLoad, AValueThatIsOverwrittenFarBehindItsLoopDoesNotLive) {
  Program p([](Assembler& a) {
    const isa::Label top = a.here("load");
    a.lw(t0, a0, 0);
    a.bltu(t0, t1, top);
    for (int i = 0; i < 100; ++i) a.sw(t2, a1, 4 * i);
    a.li(t0, 0);
    a.ret();
  });
  EXPECT_FALSE(p.use().lives);
}

TEST(WaitingLoad, ACopyLoopDoesNotWait) {
  Program p([](Assembler& a) {
    const isa::Label top = a.here("load");
    a.lw(t0, a0, 0);
    a.sw(t0, a1, 0);
    a.addi(a0, a0, 4);
    a.bne(a0, a2, top);
    a.ret();
  });
  EXPECT_FALSE(p.use().waits);
}

TEST(WaitingLoad, ASearchThroughMemoryDoesNotWait) {
  Program p([](Assembler& a) {
    const isa::Label top = a.here("load");
    a.lw(t0, a0, 0);
    a.addi(a0, a0, 4);
    a.bnez(t0, top);
    a.ret();
  });
  EXPECT_FALSE(p.use().waits);
}

TEST(WaitingLoad, AValueThatOnlyIsStoredDecidesNothing) {
  Program p([](Assembler& a) {
    a.here("load");
    a.lw(t0, a0, 0);
    a.sw(t0, sp, 4);
    a.li(t0, 0);
    a.bnez(t0, a.here());
    a.ret();
  });
  EXPECT_FALSE(p.use().decides);
}

}  // namespace
}  // namespace kerr::check
