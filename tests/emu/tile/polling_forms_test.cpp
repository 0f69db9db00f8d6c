// Waiting loops in C (polling_forms.c), at every level of optimisation: each parks, and parking changes nothing.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/emu/tile/world.hpp"

// The compiler's output, embedded.
#define FORMS(level)                                                                  \
  asm(".pushsection .rodata\n"                                                        \
      "kerr_polling_forms_" #level "_begin: .incbin \"" KERR_POLLING_FORMS "_" #level \
      ".bin\"\n"                                                                      \
      "kerr_polling_forms_" #level                                                    \
      "_end:\n"                                                                       \
      ".popsection\n");                                                               \
  extern "C" const uint8_t kerr_polling_forms_##level##_begin[], kerr_polling_forms_##level##_end[]
FORMS(O0);
FORMS(O1);
FORMS(O2);
FORMS(O3);
FORMS(Os);

namespace kerr::emu {
namespace {

constexpr uint32_t kCode = 0x8000;
constexpr uint32_t kFormBytes = 0x400;
constexpr uint32_t kResult = 0x1000;
constexpr uint32_t kFlag = 0x2000;

struct Level {
  const char* name;
  std::span<const uint8_t> code;
};
#define LEVEL(level)                                                                     \
  Level {                                                                                \
    "-" #level, { kerr_polling_forms_##level##_begin, kerr_polling_forms_##level##_end } \
  }
const Level kLevels[] = {LEVEL(O0), LEVEL(O1), LEVEL(O2), LEVEL(O3), LEVEL(Os)};

void release_by_time(Tile&) {}

struct Form {
  const char* name;
  uint32_t index;
  arch::Hart hart;
  bool timed;                   // its clock ends it
  void (*release)(Tile& tile);  // what it waits for happens
};
void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }

const Form kForms[] = {
    {"Word", 0, arch::Hart::Brisc, false, [](Tile& tile) { set(tile, kFlag, 1); }},
    {"ByteBehindAFence", 1, arch::Hart::Ncrisc, false, [](Tile& tile) { set(tile, kFlag, 0x80000000); }},
    {"OneOfFourWords", 2, arch::Hart::Trisc1, false, [](Tile& tile) { set(tile, kFlag + 12, 1); }},
    {"CircularBuffer", 3, arch::Hart::Trisc0, false, [](Tile& tile) { set(tile, 0xFFB48028, 2); }},
    {"NiuCounter", 4, arch::Hart::Brisc, false,
     [](Tile& tile) {
       issue(tile, {.ctrl = arch::niu::kCtrlWordRead,
                    .targ = 0x3000,
                    .targ_hi = at(1, 2),
                    .ret = 0x4000,
                    .ret_hi = at(1, 2),
                    .length = 64});
     }},
    {"MailboxStatus", 5, arch::Hart::Brisc, false, nullptr},
    {"ThroughAFunction", 6, arch::Hart::Trisc2, false, [](Tile& tile) { set(tile, kFlag, 7); }},
    {"Semaphore", 7, arch::Hart::Trisc0, false, nullptr},
    {"Delay", 8, arch::Hart::Brisc, true, release_by_time},
    {"Deadline", 9, arch::Hart::Ncrisc, true, release_by_time},
    {"DelayIn64Bits", 10, arch::Hart::Trisc0, true, release_by_time},
    {"TimeOut", 11, arch::Hart::Brisc, true, release_by_time},
    {"CycleCounter", 12, arch::Hart::Trisc2, true, release_by_time},
    {"TimeOutThatIsNotNeeded", 13, arch::Hart::Brisc, true, [](Tile& tile) { set(tile, kFlag, 7); }},
};

void start_at(Tile& tile, arch::Hart hart, uint32_t pc) {
  start(tile, hart, [&](isa::Assembler& a) {
    a.li(isa::reg::t0, static_cast<int32_t>(pc));
    a.jr(isa::reg::t0);
  });
}

class PollingForms : public testing::TestWithParam<std::tuple<Timing, Form>> {};

TEST_P(PollingForms, ParkAtEveryLevelOfOptimisationAndChangeNothing) {
  const Timing timing = std::get<Timing>(GetParam());
  const Form& form = std::get<Form>(GetParam());  // no structured binding: lambdas of clang 14 cannot capture one
  for (const Level& level : kLevels) {
    SCOPED_TRACE(level.name);
    World parking(Mode::Fast, timing), spinning(Mode::NoParking, timing);
    for (World* world : {&parking, &spinning}) {
      Tile& tile = world->tile();
      ASSERT_TRUE(tile.host_write(kCode, level.code));
      start_at(tile, form.hart, kCode + kFormBytes * form.index);
      world->run(form.timed ? 8192 : 32'768);  // unoptimised and in exact timing, a turn takes long to repeat
      ASSERT_EQ(word(tile, kResult), 0u);
    }
    const Hart& hart = parking.tile().hart(form.hart);
    EXPECT_TRUE(hart.state().parked()) << hart.describe();
    EXPECT_EQ(hart.alarm() != kNever, form.timed) << hart.describe();
    EXPECT_GE(parking.tile().next_event(), hart.alarm());

    const auto expect_equal = [&] {
      EXPECT_EQ(parking.state_hash(), spinning.state_hash());
      EXPECT_EQ(parking.tile().counters().hart_instructions, spinning.tile().counters().hart_instructions);
      EXPECT_EQ(hart.state().pc, spinning.tile().hart(form.hart).state().pc);
    };
    expect_equal();
    for (World* world : {&parking, &spinning}) {
      if (form.release) form.release(world->tile());
      world->run(256);
    }
    expect_equal();
    for (World* world : {&parking, &spinning}) world->run(60'000);
    expect_equal();
    EXPECT_EQ(word(parking.tile(), kResult), form.release ? 1u : 0u);
    EXPECT_EQ(parking.tile().next_event(), kNever);
    EXPECT_FALSE(parking.tile().faults().any());
  }
}

INSTANTIATE_TEST_SUITE_P(InC, PollingForms,
                         testing::Combine(testing::Values(Timing::Relaxed, Timing::Exact), testing::ValuesIn(kForms)),
                         [](const auto& p) {
                           const bool exact = std::get<Timing>(p.param) == Timing::Exact;
                           return std::string(std::get<Form>(p.param).name) + (exact ? "InExactTiming" : "");
                         });

// The state of a parked hart, seen from outside in the middle of its turn.
TEST(ParkedHart, ShowsTheHostWhatSpinningWouldHaveLeft) {
  World parking, spinning(Mode::NoParking);
  for (World* world : {&parking, &spinning}) {
    Tile& tile = world->tile();
    ASSERT_TRUE(tile.host_write(kCode, kLevels[0].code));  // -O0: the time is on the stack
    start_at(tile, arch::Hart::Ncrisc, kCode + kFormBytes * 10);
  }
  for (int i = 0; i < 40; ++i) {
    for (World* world : {&parking, &spinning}) world->run(256);
    for (uint32_t offset = 0xE00; offset < 0xF00; offset += 4) {
      const uint32_t address = arch::kLdmSlowBase[1] + offset;
      ASSERT_EQ(word(parking.tile(), address), word(spinning.tile(), address)) << std::hex << address;
    }
    ASSERT_EQ(word(parking.tile(), arch::kPcSnapshotBase + 4), word(spinning.tile(), arch::kPcSnapshotBase + 4));
  }
  EXPECT_TRUE(parking.tile().hart(arch::Hart::Ncrisc).state().parked());
}

// Another hart writes where the parked one keeps its variables.
TEST(ParkedHart, SeesAWriteToItsStack) {
  for (const Mode mode : kModes) {
    World world(mode);
    Tile& tile = world.tile();
    start(tile, arch::Hart::Brisc, [](isa::Assembler& a) {
      using namespace isa::reg;
      a.li(s0, static_cast<int32_t>(arch::kLdmBase));
      const isa::Label loop = a.here();
      a.lw(t0, s0, 0x40);
      a.sw(t1, s0, 0x44);
      a.beqz(t0, loop);
      a.li(t1, 0x1000);
      a.sw(t0, t1);
    });
    world.run(4096);
    set(tile, arch::kLdmSlowBase[0] + 0x40, 5);
    world.run(4096);
    EXPECT_EQ(word(tile, kResult), 5u);
  }
}

// Code that somebody else changes while a hart runs it, or has been through it, is what runs next.
TEST(FreshCode, IsSeenWhoeverWritesIt) {
  using namespace isa::reg;
  // addi a0, zero, n; the hart stores a0 at kResult again and again.
  const auto word_of = [](int n) { return isa::riscv::encode({.op = isa::riscv::Op::Addi, .rd = 10, .imm = n}); };
  constexpr uint32_t kPatched = 0x9000;
  for (const Mode mode : kModes) {
    World world(mode);
    Tile& tile = world.tile();
    isa::Assembler code;
    const isa::Label loop = code.here();
    code.addi(a0, zero, 1);
    code.sw(a0, s0);
    code.j(loop);
    ASSERT_TRUE(tile.host_write(kPatched, code.finish(kPatched).bytes));
    start(tile, arch::Hart::Ncrisc, [](isa::Assembler& a) {
      a.li(s0, static_cast<int32_t>(kResult));
      a.li(t0, static_cast<int32_t>(kPatched));
      a.jr(t0);
    });
    world.run(1024);
    EXPECT_EQ(word(tile, kResult), 1u);

    set(tile, kPatched, word_of(2));  // the host
    world.run(1024);
    EXPECT_EQ(word(tile, kResult), 2u);

    issue(tile, {.ctrl = arch::niu::kCtrlWordAtomic,
                 .targ = kPatched,
                 .targ_hi = at(1, 2),
                 .ret = 0x3800,
                 .ret_hi = at(1, 2),
                 .length = 0x107C,
                 .data = 1 << 20});
    world.run(1024);
    EXPECT_EQ(word(tile, kResult), 3u) << "an atomic increment by the NoC";

    set(tile, 0x3000, word_of(4));
    issue(tile, {.targ = 0x3000, .targ_hi = at(1, 2), .ret = kPatched, .ret_hi = at(1, 2), .length = 4});
    world.run(1024);
    EXPECT_EQ(word(tile, kResult), 4u) << "a packet";

    start(tile, arch::Hart::Brisc, [&](isa::Assembler& a) {  // another hart
      a.li(t0, static_cast<int32_t>(kPatched));
      a.li(t1, static_cast<int32_t>(word_of(5)));
      a.sw(t1, t0);
    });
    world.run(1024);
    EXPECT_EQ(word(tile, kResult), 5u);
  }
}

}  // namespace
}  // namespace kerr::emu
