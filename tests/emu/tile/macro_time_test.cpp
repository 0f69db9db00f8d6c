// What an SFPLOADMACRO has scheduled happens in time, also while its thread issues nothing.   docs/architecture.md
// "Time"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "emu/math/formats.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "isa/text/assemble.hpp"
#include "tests/emu/tile/world.hpp"

namespace kerr::emu {
namespace {

using namespace isa::reg;
using isa::Assembler;

constexpr uint32_t kOld = 0x11112222, kNew = 0x7777;
constexpr unsigned kDelay = 3;  // of the store: it reads the register in the fourth cycle after the macro
constexpr std::array kGaps{0u, 1u, 2u, 3u, 4u, 5u, 10u, 40u, 63u, 64u, 65u, 100u, 200u};
constexpr std::array kTimings{Timing::Relaxed, Timing::Exact};

uint32_t tensix(std::string_view line) { return isa::assemble_tensix(line); }

constexpr unsigned kStoresLreg0 = 0x80;

// Macro 0 stores what it has loaded (or LReg 0), after `delay` cycles (or vector instructions).
std::vector<uint32_t> configuration(unsigned delay, bool counts_instructions = false, unsigned flags = 0) {
  const unsigned store = 3 | delay << 3 | flags;
  return {
      tensix("SFPENCC instr_mod1=10, imm12=3"),
      tensix("SFPLOADI lreg_ind=0, instr_mod0=10, imm16=0"),
      tensix("SFPLOADI lreg_ind=0, instr_mod0=8, imm16=" + std::to_string(store << 8)),
      tensix("SFPCONFIG config_dest=4"),
      tensix("SFPCONFIG config_dest=8, instr_mod1=1, imm16_math=" + std::to_string(0x010 | counts_instructions << 11)),
      tensix("SFPNOP"),
      tensix("SFPNOP")};
}
const uint32_t kLoadMacro = tensix("SFPLOADMACRO lreg_ind=1, instr_mod0=4, sfpu_addr_mode=7");
const uint32_t kOverwrite = tensix("SFPLOADI lreg_ind=1, instr_mod0=2, imm16=0x7777");

void nops(Assembler& a, unsigned count) {
  for (unsigned n = 0; n < count; ++n) a.addi(zero, zero, 0);
}
void push(Assembler& a, const std::vector<uint32_t>& words) {
  for (const uint32_t word : words) a.ttinsn(word);
}

class MacroTime : public ::testing::Test {
 protected:
  /// Runs it on TRISC1 and returns what Dst row 0 holds, where kOld was.
  static uint32_t stored(const Program& program, Timing timing, Mode mode = Mode::Fast,
                         arch::Hart hart = arch::Hart::Trisc1) {
    World world(mode, timing);
    Tile& tile = world.tile();
    tensix::Dst& dst = tile.coprocessor().state.dst;
    const unsigned row = math::dst_row_32(0);
    const uint32_t raw = math::encode_32(kOld);
    dst.row(row)[0] = static_cast<uint16_t>(raw >> 16);
    dst.row(row + tensix::Dst::kLowHalf)[0] = static_cast<uint16_t>(raw);
    start(tile, hart, program);
    world.run(4096);
    EXPECT_EQ(the_fault(tile), "");
    if (mode == Mode::Fast) {
      EXPECT_EQ(tile.next_event(), kNever) << "it comes to rest";
    }
    return math::decode_32(uint32_t{dst.row(row)[0]} << 16 | dst.row(row + tensix::Dst::kLowHalf)[0]);
  }
  /// `before` words without a gap, the macro, a gap, the overwriting instruction.
  static Program pair(unsigned phase, unsigned gap, unsigned before = 0, bool fused = true) {
    return [=](Assembler& a) {
      push(a, configuration(kDelay));
      if (!fused) {
        a.li(t0, 1 << 18);
        a.csrs(0x7C0, t0);
      }
      nops(a, 128 + phase);
      for (unsigned n = 0; n < before; ++n) a.ttinsn(tensix("NOP"));
      a.ttinsn(kLoadMacro);
      nops(a, gap);
      a.ttinsn(kOverwrite);
      push(a, std::vector(8, tensix("SFPNOP")));
    };
  }
};

TEST_F(MacroTime, ScalarInstructionsBetweenTwoPushesAreCyclesOfTheMacro) {
  for (const Timing timing : kTimings) {
    for (const unsigned gap : kGaps) {
      for (const unsigned phase : {0u, 1u, 31u, 57u, 58u, 59u, 60u, 61u, 62u, 63u}) {
        EXPECT_EQ(stored(pair(phase, gap), timing), gap < kDelay ? kNew : kOld)
            << "gap " << gap << ", phase " << phase << (timing == Timing::Exact ? ", exact" : ", relaxed");
      }
    }
  }
}

TEST_F(MacroTime, AFullFifoIsNoGap) {
  for (const Timing timing : kTimings) {
    for (const unsigned before : {10u, 44u, 45u, 46u, 100u, 200u}) {
      for (const unsigned gap : {0u, 2u, 3u, 10u, 40u}) {
        EXPECT_EQ(stored(pair(7, gap, before, false), timing), gap < kDelay ? kNew : kOld)
            << gap << " behind " << before << (timing == Timing::Exact ? ", exact" : ", relaxed");
      }
    }
  }
}

// Fused pushes, four a cycle, come faster than they issue: what is pushed a little later finds others before it.
TEST_F(MacroTime, AGapBehindABacklogIsShorterByIt) {
  for (const unsigned before : {3u, 7u, 12u, 20u}) {
    for (const unsigned gap : {0u, 2u, 5u, 8u, 12u, 16u, 24u, 40u}) {
      EXPECT_EQ(stored(pair(0, gap, before), Timing::Relaxed), stored(pair(0, gap, before), Timing::Exact))
          << gap << " behind " << before;
    }
  }
}

TEST_F(MacroTime, DelaysInInstructionsDoNotGoDownInAGap) {
  for (const Timing timing : kTimings) {
    for (const unsigned gap : kGaps) {
      const Program program = [gap](Assembler& a) {
        push(a, configuration(kDelay, true));
        nops(a, 130);
        a.ttinsn(kLoadMacro);
        nops(a, gap);
        a.ttinsn(kOverwrite);
        push(a, std::vector(8, tensix("SFPNOP")));
      };
      EXPECT_EQ(stored(program, timing), kNew) << gap;
    }
  }
}

TEST_F(MacroTime, AllSchedulersAgree) {
  for (const Mode mode : kModes) {
    for (const Timing timing : kTimings) {
      for (const unsigned gap : {0u, 2u, 3u, 40u, 65u}) {
        EXPECT_EQ(stored(pair(59, gap), timing, mode), gap < kDelay ? kNew : kOld) << gap;
        EXPECT_EQ(stored(pair(59, gap, 100, false), timing, mode), gap < kDelay ? kNew : kOld) << gap;
      }
    }
  }
}

TEST_F(MacroTime, WordsOfBriscKeepTheirDistanceToo) {
  for (const Timing timing : kTimings) {
    for (const unsigned gap : {0u, 2u, 3u, 4u, 10u, 63u, 100u}) {
      const Program program = [gap](Assembler& a) {
        a.li(t0, arch::kInstructionPushBase + 0x10000);  // thread 1
        for (const uint32_t word : configuration(kDelay)) {
          a.li(t1, word);
          a.sw(t1, t0);
        }
        a.li(t1, kLoadMacro);
        a.li(t2, kOverwrite);
        nops(a, 130);
        a.sw(t1, t0);
        nops(a, gap);
        a.sw(t2, t0);
      };
      EXPECT_EQ(stored(program, timing, Mode::Fast, arch::Hart::Brisc), gap < kDelay ? kNew : kOld) << gap;
    }
  }
}

TEST_F(MacroTime, TheStoreComesWithoutAnyFurtherInstruction) {
  for (const Timing timing : kTimings) {
    for (const Mode mode : kModes) {
      for (const unsigned phase : {0u, 40u, 55u, 58u, 60u, 62u, 63u}) {
        const Program program = [phase](Assembler& a) {
          push(a, configuration(7, false, kStoresLreg0));
          nops(a, 128 + phase);
          a.ttinsn(kLoadMacro);
        };
        EXPECT_EQ(stored(program, timing, mode), (3 | 7 << 3 | kStoresLreg0) << 24) << phase;
      }
    }
  }
}

// TTSync lets the hart go on when the store has happened: what it overwrites then comes too late.
TEST_F(MacroTime, AThreadIsBusyUntilItsMacrosAreDone) {
  for (const Timing timing : kTimings) {
    const Program program = [](Assembler& a) {
      push(a, configuration(7));
      nops(a, 130);
      a.li(t0, arch::kTtSyncThreadIdle);
      a.ttinsn(kLoadMacro);
      a.sw(zero, t0);
      a.lw(t1, t0);
      a.add(t1, t1, t1);
      a.ttinsn(kOverwrite);
    };
    EXPECT_EQ(stored(program, timing), kOld);
  }
}

TEST_F(MacroTime, AWaitForTheVectorUnitIsAWaitForItsMacros) {
  for (const Timing timing : kTimings) {
    const auto program = [](std::string_view wait) {
      return [wait](Assembler& a) {
        push(a, configuration(7));
        nops(a, 130);
        push(a, {kLoadMacro, tensix(wait), kOverwrite});
        push(a, std::vector(8, tensix("SFPNOP")));
      };
    };
    EXPECT_EQ(stored(program("STALLWAIT wait_res=0x800, stall_res=0x100"), timing), kOld);
    EXPECT_EQ(stored(program("STALLWAIT wait_res=0x800, stall_res=0x4"), timing), kNew) << "it holds packs only";
    EXPECT_EQ(stored(program("SEMPOST sem_sel=1"), timing), kNew) << "no wait";
  }
}

// The clocks of both timings count the same for what lies between: cycles of the hart, of the thread, and second cycles
// of the vector unit.
TEST_F(MacroTime, BothTimingsTakeTheSameValueWhateverLiesBetween) {
  const std::array fillers{tensix("NOP"),
                           tensix("SFPNOP"),
                           tensix("SFPSWAP lreg_dest=5, lreg_src_c=6, instr_mod1=1"),
                           tensix("DMANOP"),
                           tensix("SFPMAD lreg_dest=3, lreg_src_a=3, lreg_src_b=10, lreg_src_c=9"),
                           tensix("SFPSHFT2 lreg_dest=4, lreg_src_c=5, instr_mod1=3")};
  std::mt19937 random(8);
  unsigned old = 0;
  constexpr unsigned kPrograms = 150;
  for (unsigned n = 0; n < kPrograms; ++n) {
    std::vector<uint32_t> between;  // 0: an instruction of the hart
    for (unsigned length = random() % 5; length != 0; --length) {
      between.push_back(random() % 3 == 0 ? 0 : fillers[random() % fillers.size()]);
    }
    const unsigned phase = random() % 64;
    const Program program = [&](Assembler& a) {
      push(a, configuration(kDelay));
      nops(a, 128 + phase);
      a.ttinsn(kLoadMacro);
      for (const uint32_t word : between) word == 0 ? a.addi(zero, zero, 0) : a.ttinsn(word);
      a.ttinsn(kOverwrite);
      push(a, std::vector(8, tensix("SFPNOP")));
    };
    const uint32_t relaxed = stored(program, Timing::Relaxed);
    old += relaxed == kOld;
    std::string text;
    for (const uint32_t word : between) text += word == 0 ? "addi; " : fmt::format("{:08x}; ", word);
    ASSERT_EQ(relaxed, stored(program, Timing::Exact)) << text << "phase " << phase;
  }
  EXPECT_GT(old, kPrograms / 10);
  EXPECT_LT(old, kPrograms * 9 / 10);
}

}  // namespace
}  // namespace kerr::emu
