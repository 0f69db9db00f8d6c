// Harts that run for ever: what is proved of them is so, and what ends is never called a livelock.
#include "hang/livelock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <random>

#include "arch/boards.hpp"
#include "arch/stream_registers.hpp"
#include "arch/tile_registers.hpp"
#include "tests/emu/machine/host.hpp"

namespace kerr::hang {
namespace {

using namespace isa::reg;
using arch::Hart;
using emu::Kernel;
using isa::Label;

constexpr arch::NocCoord kCore{1, 2};
constexpr uint32_t kWord = 0x8000, kOther = 0x8100, kDone = 0x8200;

// A machine on whose core (1,2) some harts run kernels.
class Running {
 public:
  explicit Running(bool exact = false) : machine_(options(exact)), host_(machine_) {}
  void put(uint32_t address, uint32_t value) { host_.write32(kCore, address, value); }
  uint32_t get(uint32_t address) { return host_.read32(kCore, address); }
  void add(Hart hart, const isa::Assembler& kernel) {
    const auto h = static_cast<size_t>(hart);
    host_.write(kCore, arch::kDefaultResetPc[h], kernel.finish(arch::kDefaultResetPc[h]).bytes);
    held_ &= ~(1u << arch::kSoftResetBit[h]);
  }
  void start() { host_.write32(kCore, arch::kSoftReset0, held_); }
  emu::Machine& machine() { return machine_; }
  emu::Tile& tile() { return machine_.chip(0).tiles.at_present(emu::TileId::at(0, 1, 2).node); }
  emu::TestHost& host() { return host_; }
  const Spin* brisc(const Livelock& livelock) { return livelock.find(tile().id(), Hart::Brisc); }

 private:
  static emu::Options options(bool exact) {
    emu::Options options;
    options.boards = {arch::kP100a};
    if (exact) options.timing = emu::Timing::Exact;
    return options;
  }
  emu::Machine machine_;
  emu::TestHost host_;
  uint32_t held_ = arch::kSoftResetAllHarts;
};

using Emit = std::function<void(Kernel&)>;

// BRISC alone, for a while.
struct Alone : Running {
  explicit Alone(const Emit& emit, bool exact = false) : Running(exact) {
    Kernel k;
    emit(k);
    k.store_word(kDone, 1);
    k.stop();
    add(Hart::Brisc, k);
    start();
    machine().advance(20'000);
  }
};

// A loop of `body`, which leaves while t2, loaded from kWord, is not 0.
Emit poll(const Emit& body) {
  return [body](Kernel& k) {
    k.li(t0, kWord);
    k.li(a0, 0);
    const Label top = k.here();
    body(k);
    k.fence();
    k.lw(t2, t0);
    k.beqz(t2, top);
  };
}

TEST(Livelock, APollThatCounts) {
  for (const bool exact : {false, true}) {
    Alone run(poll([](Kernel& k) { k.addi(a0, a0, 3); }), exact);
    const Livelock livelock(run.machine());
    EXPECT_TRUE(livelock.proved());
    const Spin* const spin = run.brisc(livelock);
    ASSERT_NE(spin, nullptr);
    EXPECT_EQ(spin->steps, 4u);
    EXPECT_EQ(spin->counters, std::vector<std::string>{"a0 (+3)"});
    EXPECT_EQ(spin->not_parked, "it counts in a0 (+3)");
  }
}

TEST(Livelock, APollThatStoresAHeartbeat) {
  Alone run(poll([](Kernel& k) {
    k.li(t1, kOther);
    k.lw(t3, t1);
    k.addi(t3, t3, 1);
    k.sw(t3, t1);
  }));
  const Livelock livelock(run.machine());
  EXPECT_TRUE(livelock.proved());
  EXPECT_EQ(run.brisc(livelock)->counters, std::vector<std::string>{"L1 0x8100 (+1)"});
  EXPECT_EQ(run.brisc(livelock)->not_parked, "it stores to L1 0x8100");
}

TEST(Livelock, APollWithAHeartbeatThatAnAtomicCounts) {
  Alone run(poll([](Kernel& k) {
    k.li(t1, kOther);
    k.li(t3, 2);
    k.amoadd_w(zero, t3, t1);
  }));
  EXPECT_TRUE(Livelock(run.machine()).proved());
}

TEST(Livelock, APollOfTwoWordsWithANestedLoop) {
  Alone run(poll([](Kernel& k) {
    k.li(t1, 100);
    const Label delay = k.here();
    k.addi(t1, t1, -1);
    k.bnez(t1, delay);
    k.addi(a0, a0, 1);
    const Label on = k.label();
    k.lw(t3, t0, 64);
    k.beqz(t3, on);
    k.li(a0, 0);
    k.bind(on);
  }));
  const Livelock livelock(run.machine());
  EXPECT_TRUE(livelock.proved());
  EXPECT_GT(run.brisc(livelock)->steps, 200u);
}

TEST(Livelock, ATurnThatDoesSomethingElseEverySecondTime) {
  Alone run(poll([](Kernel& k) {
    const Label even = k.label();
    k.xori(a0, a0, 1);
    k.beqz(a0, even);
    k.addi(a1, a1, 1);
    k.bind(even);
  }));
  EXPECT_TRUE(Livelock(run.machine()).proved());
}

TEST(Livelock, ACountdownIsNoneAndSaysHowOftenItTurns) {
  Alone run([](Kernel& k) {
    k.li(a0, 1 << 24);
    const Label top = k.here();
    k.addi(a0, a0, -1);
    k.bnez(a0, top);
  });
  const Livelock livelock(run.machine());
  EXPECT_FALSE(livelock.proved());
  const Spin* const spin = run.brisc(livelock);
  EXPECT_EQ(spin->kind, Recurrence::Kind::Ends);
  const uint32_t left = run.tile().hart(Hart::Brisc).state().x[10];
  EXPECT_LE(left - spin->rounds, 1u);
  EXPECT_NE(spin->deciding.find("a0 ("), std::string::npos) << spin->deciding;
  EXPECT_NE(spin->deciding.find(") = 0"), std::string::npos) << spin->deciding;
  // Two instructions a turn.
  run.machine().advance(2 * (spin->rounds - 1000));
  EXPECT_EQ(run.get(kDone), 0u);
  run.machine().advance(2 * 2000);
  EXPECT_EQ(run.get(kDone), 1u);
}

// It counts in the immediate of an instruction that it executes, and leaves when that is large enough.
TEST(Livelock, ALoopThatChangesItsOwnCodeIsNone) {
  Alone run([](Kernel& k) {
    const Label instruction = k.label(), out = k.label();
    k.la(t1, instruction);
    k.li(t4, 1 << 20);
    k.li(a5, 1000);
    const Label top = k.here();
    k.lw(t3, t1);
    k.add(t3, t3, t4);
    k.sw(t3, t1);
    k.fence();
    for (int i = 0; i < 246; ++i) k.nop();  // 253 in all: the first 256 steps hold a round, and one store
    k.bind(instruction);
    k.addi(a0, zero, 1);
    k.blt(a5, a0, out);
    k.j(top);
    k.bind(out);
  });
  for (int stop = 0; stop < 300; ++stop) {
    EXPECT_FALSE(Livelock(run.machine()).proved()) << stop;
    run.machine().advance(256);  // a window: where it stands moves on by three
  }
  EXPECT_EQ(run.get(kDone), 0u);
  run.machine().advance(1000 * 300);
  EXPECT_EQ(run.get(kDone), 1u) << "it leaves";
}

TEST(Livelock, APollWithATimeOutByTheClockIsNone) {
  Alone run([](Kernel& k) {
    k.li(t0, kWord);
    k.li(t3, 30'000);
    const Label top = k.here(), out = k.label();
    k.csrr(t1, 0xB00);  // mcycle
    k.slli(t1, t1, 1);  // which no parking follows
    k.srli(t1, t1, 1);
    k.bgeu(t1, t3, out);
    k.lw(t2, t0);
    k.beqz(t2, top);
    k.bind(out);
  });
  const Livelock livelock(run.machine());
  EXPECT_FALSE(livelock.proved());
  run.machine().advance(20'000);
  EXPECT_EQ(run.get(kDone), 1u);
}

TEST(Livelock, WhileAParkedHartWaitsForATimeThereIsNone) {
  Running run;
  Kernel counts, waits;
  poll([](Kernel& k) { k.addi(a0, a0, 3); })(counts);
  waits.li(t3, 1'000'000);
  const Label top = waits.here();
  waits.csrr(t1, 0xB00);
  waits.bltu(t1, t3, top);
  waits.store_word(kWord, 1);
  waits.stop();
  counts.store_word(kDone, 1);
  counts.stop();
  run.add(Hart::Brisc, counts);
  run.add(Hart::Trisc0, waits);
  run.start();
  run.machine().advance(20'000);
  const Livelock livelock(run.machine());
  EXPECT_FALSE(livelock.proved());
  run.machine().advance(2'000'000);
  EXPECT_EQ(run.get(kDone), 1u);
}

TEST(Livelock, APollOfAnotherTileIsNotProved) {
  Alone run(poll([](Kernel& k) { k.noc_read(0, {2, 2}, kOther, kWord, 4); }));
  const Livelock livelock(run.machine());
  EXPECT_FALSE(livelock.proved());
}

// BRISC and another hart.
struct TwoHarts : Running {
  TwoHarts(const Emit& brisc, const Emit& other, Hart hart = Hart::Ncrisc, bool exact = false) : Running(exact) {
    Kernel first, second;
    brisc(first);
    first.store_word(kDone, 1);
    first.stop();
    other(second);
    second.store_word(kDone + 4, 1);
    second.stop();
    add(Hart::Brisc, first);
    add(hart, second);
    start();
    machine().advance(20'000);
  }
};

// Waits until the word is `from`, makes it `to`, and counts how often.
Emit hands_over(uint32_t from, uint32_t to, int times = 0) {
  return [=](Kernel& k) {
    k.li(t0, kWord);
    k.li(t1, from);
    k.li(t3, to);
    k.li(a0, times);
    const Label top = k.here();
    k.lw(t2, t0);
    k.bne(t2, t1, top);
    k.sw(t3, t0);
    k.addi(a0, a0, -1);
    if (times == 0)
      k.j(top);
    else
      k.bnez(a0, top);
  };
}

TEST(Livelock, TwoHartsThatHandAFlagBackAndForthForEver) {
  for (const Hart other : {Hart::Ncrisc, Hart::Trisc1}) {
    TwoHarts run(hands_over(0, 1), hands_over(1, 0), other);
    const Livelock livelock(run.machine());
    EXPECT_TRUE(livelock.proved());
    ASSERT_EQ(livelock.spins().size(), 2u);
    EXPECT_EQ(livelock.spins()[0].with, std::vector{other});
  }
}

TEST(Livelock, TwoHartsThatHandAFlagBackAndForthSomeTimes) {
  TwoHarts run(hands_over(0, 1, 5000), hands_over(1, 0, 5000));
  EXPECT_FALSE(Livelock(run.machine()).proved());
  run.machine().advance(5000 * 128);
  EXPECT_EQ(run.get(kDone), 1u);
  EXPECT_EQ(run.get(kDone + 4), 1u);
}

TEST(Livelock, InExactTimingTwoThatDependOnEachOtherAreNotProved) {
  TwoHarts run(hands_over(0, 1), hands_over(1, 0), Hart::Ncrisc, true);
  EXPECT_FALSE(Livelock(run.machine()).proved());
}

TEST(Livelock, TwoThatCountRoundEachOtherWithinARange) {
  const auto counts = [](uint32_t own, uint32_t other) {
    return [=](Kernel& k) {
      k.li(t0, own);
      k.li(t1, other);
      const Label top = k.here(), out = k.label();
      k.lw(t2, t1);
      k.bltz(t2, out);
      k.addi(t2, t2, 1);
      k.slli(t2, t2, 16);
      k.srli(t2, t2, 16);
      k.sw(t2, t0);
      k.j(top);
      k.bind(out);
    };
  };
  TwoHarts run(counts(kWord, kOther), counts(kOther, kWord));
  EXPECT_TRUE(Livelock(run.machine()).proved());
}

// One ends, and then lets the other go.
TEST(Livelock, WhoeverMayStillBeSetFreeIsInNone) {
  TwoHarts run(poll([](Kernel& k) { k.addi(a0, a0, 1); }), [](Kernel& k) {
    k.li(a0, 1'000'000);
    const Label top = k.here();
    k.addi(a0, a0, -1);
    k.bnez(a0, top);
    k.store_word(kWord, 1);
  });
  const Livelock livelock(run.machine());
  EXPECT_FALSE(livelock.proved());
  EXPECT_EQ(run.brisc(livelock)->kind, Recurrence::Kind::ForEver) << "by itself";
  run.machine().advance(2'100'000);
  EXPECT_EQ(run.get(kDone), 1u);
}

TEST(Livelock, AParkedHartThatSeesAShortFlagSoonerOrLaterIsInNone) {
  TwoHarts run(
      [](Kernel& k) {  // 0 for a long time, 1 for a short one
        k.li(t0, kWord);
        k.li(t3, 1);
        const Label top = k.here();
        k.li(t1, 600);
        const Label delay = k.here();
        k.addi(t1, t1, -1);
        k.bnez(t1, delay);
        k.sw(t3, t0);
        k.sw(zero, t0);
        k.j(top);
      },
      poll([](Kernel&) {}));
  // BRISC's turn of 1,205 instructions ends a quantum between the two stores sooner or later, and NCRISC is gone.
  EXPECT_FALSE(Livelock(run.machine()).proved() && run.get(kDone + 4) == 0);
  run.machine().advance(100'000);
  EXPECT_EQ(run.get(kDone + 4), 1u);
}

// A hart that is about to leave its loop is not in the one yet to which it comes then.
TEST(Livelock, WhoIsOnTheWayToALoopIsInNone) {
  Alone run([](Kernel& k) {
    k.li(a0, 10'200);  // two instructions a turn
    const Label top = k.here();
    k.addi(a0, a0, -1);
    k.bnez(a0, top);
    k.store_word(kDone, 1);
    const Label for_ever = k.here();
    k.addi(a0, a0, 1);
    k.j(for_ever);
  });
  EXPECT_EQ(run.get(kDone), 0u);
  EXPECT_FALSE(Livelock(run.machine()).proved());
  run.machine().advance(20'000);
  EXPECT_EQ(run.get(kDone), 1u);
  EXPECT_TRUE(Livelock(run.machine()).proved());
}

TEST(Livelock, NothingIsFoundWhereNothingRuns) {
  Alone run([](Kernel&) {});
  EXPECT_FALSE(Livelock(run.machine()).proved());
  EXPECT_TRUE(Livelock(run.machine()).spins().empty());
}

TEST(Livelock, LookingChangesNothing) {
  TwoHarts looked(hands_over(0, 1), hands_over(1, 0)), other(hands_over(0, 1), hands_over(1, 0));
  EXPECT_TRUE(Livelock(looked.machine()).proved());
  looked.machine().advance(10'000);
  other.machine().advance(10'000);
  EXPECT_EQ(looked.machine().state_hash(), other.machine().state_hash());
}

// --- random loops ---------------------------------------------------------------------------------------------------

// A loop with inner loops and branches that computes, loads and stores few words, and leaves when two values happen to
// be in some relation.
class RandomLoop {
 public:
  /// `second` of two; `busy`: it accesses memory often, and leaves seldom.
  RandomLoop(std::mt19937& random, bool second, bool busy) : random_(random), second_(second), busy_(busy) {}
  Kernel kernel() {
    Kernel k;
    for (const isa::Reg reg : kRegs) k.li(reg, number());
    k.li(s0, kWord);
    k.li(s1, static_cast<int32_t>(arch::kLdmBase + 0x400));
    for (uint32_t i = 0; i < 4; ++i) k.sw(kRegs[below(kRegs.size())], s1, static_cast<int32_t>(4 * i));
    const Label top = k.here(), out = k.label();
    for (uint32_t i = 2 + below(7); i > 0; --i) piece(k, top, out);
    if (below(4) == 0)
      branch(k, top);
    else
      k.j(top);
    k.bind(out);
    k.store_word(kDone + (second_ ? 4 : 0), 1);
    k.stop();
    return k;
  }

 private:
  static constexpr std::array kRegs{a0, a1, a2, a3, a4, a5};
  uint32_t below(size_t n) { return static_cast<uint32_t>(random_() % n); }
  isa::Reg reg() { return kRegs[below(kRegs.size())]; }
  isa::Reg reg_or_zero() { return below(4) == 0 ? zero : reg(); }
  int32_t number() {
    switch (below(6)) {
      case 0: return 0;
      case 1: return static_cast<int32_t>(below(64));
      case 2: return -static_cast<int32_t>(below(64));
      case 3: return static_cast<int32_t>(1u << below(32));
      case 4: return static_cast<int32_t>(random_());
      default: return 1;
    }
  }
  void branch(Kernel& k, const Label& to) {
    const isa::Reg a = reg(), b = reg_or_zero();
    switch (below(6)) {
      case 0: return k.beq(a, b, to);
      case 1: return k.bne(a, b, to);
      case 2: return k.blt(a, b, to);
      case 3: return k.bge(a, b, to);
      case 4: return k.bltu(a, b, to);
      default: return k.bgeu(a, b, to);
    }
  }
  // Seldom true.
  void leave(Kernel& k, const Label& out) {
    const isa::Reg a = reg(), b = reg_or_zero();
    switch (below(4)) {
      case 0: return k.blt(a, b, out);
      case 1: return k.bltu(a, b, out);
      default: return k.beq(a, b, out);
    }
  }
  void arithmetic(Kernel& k) {
    const isa::Reg d = reg(), a = reg(), b = reg();
    const auto shift = static_cast<int32_t>(1 + below(31));
    switch (below(18)) {
      case 0:
      case 1: return k.addi(d, d, static_cast<int32_t>(below(16)) - 8);
      case 2:
      case 3: return k.addi(d, a, static_cast<int32_t>(below(2048)) - 1024);
      case 4: return k.add(d, a, b);
      case 5: return k.sub(d, a, b);
      case 6: return k.slli(d, a, shift);
      case 7: return k.srli(d, a, shift);
      case 8: return k.andi(d, a, static_cast<int32_t>(below(2048)) - 256);
      case 9: return k.and_(d, a, b);
      case 10: return k.xor_(d, a, b);
      case 11: return k.xori(d, a, below(2) == 0 ? -1 : 1);
      case 12: return k.mul(d, a, b);
      case 13: return k.sltu(d, a, b);
      case 14: return k.slti(d, a, static_cast<int32_t>(below(64)) - 32);
      case 15: return k.remu(d, a, b);
      case 16: return k.lui(d, static_cast<int32_t>(below(1 << 12)));
      default: return k.mv(d, a);
    }
  }
  void memory(Kernel& k) {
    const bool local = below(3) == 0;
    const isa::Reg base = local ? s1 : s0;
    // A lone hart shares with nobody; of two each may write what the other reads.
    const auto at = static_cast<int32_t>(4 * below(local ? 4 : 6));
    switch (below(8)) {
      case 0: return k.lbu(reg(), base, at + 1);
      case 1: return k.lhu(reg(), base, at + 2);
      case 2: return k.sb(reg(), base, at + 3);
      case 3:
      case 4: return k.sw(reg(), base, at);
      case 5:
        if (local) return k.sw(reg(), base, at);
        k.addi(t0, s0, at);
        return k.amoadd_w(reg(), reg(), t0);
      default: return k.lw(reg(), base, at);
    }
  }
  void piece(Kernel& k, const Label& top, const Label& out) {
    if (busy_ && below(3) == 0) return memory(k);
    switch (below(10)) {
      case 0:
      case 1:
      case 2:
      case 3: return arithmetic(k);
      case 4:
      case 5: return memory(k);
      case 6: return busy_ && below(2) == 0 ? memory(k) : leave(k, out);
      case 7: {
        const Label on = k.label();
        branch(k, on);
        for (uint32_t i = 1 + below(3); i > 0; --i) below(3) == 0 ? memory(k) : arithmetic(k);
        return k.bind(on);
      }
      case 8: {
        k.li(t1, static_cast<int32_t>(1 + below(12)));
        const Label again = k.here();
        if (below(2) == 0) arithmetic(k);
        k.addi(t1, t1, -1);
        return k.bnez(t1, again);
      }
      default: return below(3) == 0 ? branch(k, top) : arithmetic(k);
    }
  }

  std::mt19937& random_;
  const bool second_, busy_;
};

struct Tally {
  int proved = 0, together = 0, ends = 0, unknown = 0, still = 0;
};

// What is proved of random loops goes on, and what is said to end does so then.
Tally try_loops(int harts, unsigned from, int count, bool exact = false) {
  Tally tally;
  for (int i = 0; i < count; ++i) {
    std::mt19937 random(from + static_cast<unsigned>(i));
    Running run(exact);
    for (uint32_t word = 0; word < 6; ++word) run.put(kWord + 4 * word, word % 2 == 0 ? 0 : random() % 100);
    run.add(Hart::Brisc, RandomLoop(random, false, harts == 2).kernel());
    if (harts == 2) run.add(random() % 2 == 0 ? Hart::Ncrisc : Hart::Trisc2, RandomLoop(random, true, true).kernel());
    run.start();
    run.machine().advance(16'384);
    if (run.machine().quiescent()) {
      ++tally.still;
      continue;
    }
    const Livelock livelock(run.machine());
    if (!livelock.proved()) {
      const bool ends =
          std::ranges::any_of(livelock.spins(), [](const Spin& s) { return s.kind == Recurrence::Kind::Ends; });
      (ends ? tally.ends : tally.unknown) += 1;
      if (harts != 1 || exact || !ends) continue;
      // It goes round as it does up to there, and then at least once otherwise.
      const Spin& spin = livelock.spins().front();
      const uint64_t cycles = spin.rounds * spin.steps;
      if (cycles > 20'000'000) continue;
      const auto done = [&] { return run.get(kDone) != 0; };
      if (cycles > 4 * spin.steps + 2048) {
        run.machine().advance(cycles - 2 * spin.steps - 1024);
        EXPECT_FALSE(done()) << "seed " << from << " + " << i << " has ended before its last turn";
        const uint32_t pc = run.tile().hart(Hart::Brisc).state().pc;
        EXPECT_TRUE(std::ranges::binary_search(spin.pcs, pc)) << "seed " << from << " + " << i;
      }
      continue;
    }
    ++tally.proved;
    tally.together += livelock.spins().front().with.empty() ? 0 : 1;
    const uint32_t done[] = {run.get(kDone), run.get(kDone + 4)};  // the other of two may have ended before
    for (int look = 0; look < 12; ++look) {
      run.machine().advance(64 * (1 + random() % 3000));
      run.tile().counters();
      for (const Spin& spin : livelock.spins()) {
        const uint32_t pc = run.tile().hart(spin.hart).state().pc;
        EXPECT_TRUE(std::ranges::binary_search(spin.pcs, pc))
            << "seed " << from << " + " << i << ": pc " << std::hex << pc << " is in no round";
      }
    }
    EXPECT_EQ(run.get(kDone), done[0]) << "seed " << from << " + " << i;
    EXPECT_EQ(run.get(kDone + 4), done[1]) << "seed " << from << " + " << i;
    if (testing::Test::HasFailure()) break;
  }
  return tally;
}

int loops_asked(int usual) {
  const char* const asked = std::getenv("KERR_RANDOM_LOOPS");
  return asked == nullptr ? usual : std::atoi(asked);
}

void say(const char* what, const Tally& tally) {
  std::printf("%s: %d proved (%d of two together), %d said to end, %d not known, %d stood still or had ended\n", what,
              tally.proved, tally.together, tally.ends, tally.unknown, tally.still);
}

TEST(Livelock, WhatIsProvedOfRandomLoopsOfOneHartGoesOn) {
  const Tally tally = try_loops(1, 1000, loops_asked(300));
  say("one hart", tally);
  EXPECT_GT(tally.proved, 20);
  EXPECT_GT(tally.ends, 10);
}

TEST(Livelock, WhatIsProvedOfRandomLoopsOfTwoHartsGoesOn) {
  const Tally tally = try_loops(2, 1'000'000, loops_asked(300));
  say("two harts", tally);
  EXPECT_GT(tally.proved, 20);
  EXPECT_GT(tally.together, 2);
}

TEST(Livelock, WhatIsProvedOfRandomLoopsInExactTimingGoesOn) {
  const Tally tally = try_loops(2, 2'000'000, loops_asked(150) / 2, true);
  say("two harts in exact timing", tally);
  EXPECT_GT(tally.proved, 10);
}

}  // namespace
}  // namespace kerr::hang
