// Each program hangs for one reason. The first line of its report names who is to blame and the thing that it waits
// for.
#include "tests/hang/hangs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "hang/report.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "image/elf/reader.hpp"
#include "isa/assembler.hpp"

namespace kerr::hangs {
namespace {

using arch::NocCoord;
using host::DeviceError;

// The arguments of a core's kernels behind the first, which says which program it is.
using Arguments = std::function<std::vector<uint32_t>(NocCoord)>;

host::Program program(Hang hang, const std::vector<NocCoord>& cores, const Arguments& arguments = {},
                      bool with_compute = false) {
  host::Program program("hangs");
  program.add_circular_buffer({.id = kBuffer, .pages = kPages, .page_bytes = kPageBytes});
  program.add_semaphore();
  program.add_semaphore();
  static const image::Image brisc = image::read_elf(KERR_KERNEL_hang_brisc);
  static const image::Image ncrisc = image::read_elf(KERR_KERNEL_hang_ncrisc);
  const auto set = [&](auto kernel) {
    for (const NocCoord core : cores) {
      std::vector<uint32_t> words{static_cast<uint32_t>(hang)};
      if (arguments) std::ranges::copy(arguments(core), std::back_inserter(words));
      words.resize(8);
      program.set_args(kernel, core, words);
    }
  };
  set(program.add_kernel(brisc, cores));
  const bool has_two = hang == Hang::TooManyPages || hang == Hang::TooFewPages || hang == Hang::Livelock ||
                       hang == Hang::Overwritten || hang == Hang::FewerThanTwins;
  if (has_two) set(program.add_kernel(ncrisc, cores));
  if (with_compute) set(program.add_compute_kernel(image::read_compute(KERR_KERNEL_hang_compute), cores));
  return program;
}

struct Said {
  std::string summary, report;
  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    size_t at = 0;
    for (size_t end; (end = report.find('\n', at)) != std::string::npos; at = end + 1)
      out.push_back(report.substr(at, end - at));
    return out;
  }
  // Before what the device says of each tile.
  size_t lines_of_hang() const {
    const auto all = lines();
    const auto device = std::ranges::find_if(all, [](const std::string& line) { return line.starts_with("  Tensix"); });
    return static_cast<size_t>(device - all.begin());
  }
  std::string root() const {
    const auto all = lines();
    const auto root = std::ranges::find_if(all, [](const std::string& line) { return line.starts_with("root: "); });
    return root == all.end() ? "there is no root" : *root;
  }
};

Said said_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const DeviceError& error) {
    if (std::getenv("KERR_SHOW_REPORTS"))
      std::fprintf(stderr, "%s\n%s\n", error.summary().c_str(), error.report().c_str());
    return {error.summary(), error.report()};
  }
  return {"it has ended", ""};
}

Said hang(const host::Program& program, int shards = 1, bool history = false) {
  emu::Options options;
  options.shards = shards;
  host::EmulatedDevice device({.chip = options, .hang_history = history});
  host::Chip chip(device);
  return said_of([&] { chip.run(program); });
}

testing::AssertionResult says(const std::string& text, const std::vector<std::string>& parts) {
  size_t at = 0;
  for (const std::string& part : parts) {
    at = text.find(part, at);
    if (at == std::string::npos) return testing::AssertionFailure() << "no '" << part << "' in\n" << text;
  }
  return testing::AssertionSuccess();
}

const std::vector<NocCoord> kOne{{1, 2}}, kFour{{1, 2}, {2, 2}, {3, 2}, {4, 2}};

TEST(Hangs, Row75ARingOfFourIsShownAsOne) {
  const Said said = hang(program(Hang::Ring, kFour, [](NocCoord c) {
    return std::vector<uint32_t>{c.x % 4 + 1u, c.y};
  }));
  EXPECT_TRUE(says(said.root(), {"(1,2) BRISC", "wait_for_flag()", "waits until semaphore 0", "= 1; it is 0: never"}));
  EXPECT_TRUE(says(said.report, {"4 wait for one another in a ring", "(1,2) BRISC", "<- (4,2) BRISC", "(4,2) BRISC",
                                 "<- (3,2) BRISC", "(3,2) BRISC", "<- (2,2) BRISC", "(2,2) BRISC", "<- (1,2) BRISC"}));
  EXPECT_TRUE(says(said.report, {"4 cores: (1..4,2)"}));
}

TEST(Hangs, Row76ARectangleThatMissesATileIsShownWithWhomItReached) {
  const Said said = hang(program(Hang::RectangleTooSmall, kFour, [](NocCoord c) {
    return std::vector<uint32_t>{c.x == 1, 2, 2, 3, 2};
  }));
  EXPECT_TRUE(says(said.root(), {"(4,2) BRISC", "wait_for_flag()", "semaphore 0", "= 1; it is 0: never"}));
  EXPECT_TRUE(says(said.report,
                   {"semaphore 0", "has that value on", "(1..3,2)",
                    "a last request of (1,2) on NoC 0 went elsewhere: multicast write of 4 bytes to (2,2)-(3,2)"}));
  EXPECT_TRUE(says(said.report, {"is stuck on 1 of 4 cores"}));
}

TEST(Hangs, Row77AnIncrementOfAnotherTilesSemaphoreIsFoundThere) {
  const Said said = hang(program(Hang::OtherTile, {{1, 2}, {2, 2}, {3, 2}}, [](NocCoord c) {
    return c.x == 3 ? std::vector<uint32_t>{1, 3, 2, 0} : std::vector<uint32_t>{c.x == 1, 3, 2, 1};
  }));
  EXPECT_TRUE(says(said.root(), {"(2,2) BRISC", "semaphore 0", "= 1; it is 0: never"}));
  EXPECT_TRUE(says(said.report, {"has that value on (3,2)"}));
}

TEST(Hangs, Row78AnEqualityThatWasOvershotCannotComeTrue) {
  const Said said = hang(program(Hang::Overshot, {{1, 2}, {2, 2}}, [](NocCoord c) {
    return std::vector<uint32_t>{c.x == 1, 2, 2, 2};
  }));
  EXPECT_TRUE(says(said.root(), {"(2,2) BRISC", "semaphore 0", "= 1; it is 2: never"}));
  EXPECT_TRUE(says(said.report, {"it has passed that value"}));
}

TEST(Hangs, Row79AWaitForMorePagesThanTheBufferHas) {
  const Said said = hang(program(Hang::TooManyPages, kOne));
  EXPECT_TRUE(says(said.root(), {"(1,2) BRISC", "waits for 9 pages of circular buffer 0, which has 8: never"}));
  EXPECT_TRUE(says(said.report, {"the buffer has 8 pages in all"}));
}

TEST(Hangs, Row80AProducerThatReturnedEarlyIsNamed) {
  const Said said = hang(program(Hang::TooFewPages, kOne));
  EXPECT_TRUE(says(said.root(), {"(1,2) BRISC", "waits for 8 pages of circular buffer 0, which has 7: never"}));
  EXPECT_TRUE(says(said.report, {"(1,2) NCRISC, which has returned"}));
}

TEST(Hangs, Row81AMutexThatAFinishedKernelHolds) {
  const Said said = hang(program(Hang::LockedMutex, kOne, {}, true));
  EXPECT_TRUE(says(said.root(), {"(1,2) T0", "waits for mutex 2: never"}));
  EXPECT_TRUE(says(said.report, {"(1,2) TRISC1, which has returned"}));
}

TEST(Hangs, Row82AMailboxThatNobodyWrites) {
  const Said said = hang(program(Hang::Mailbox, kOne, {}, true));
  EXPECT_TRUE(says(said.root(), {"(1,2) TRISC0", "read_mailbox()", "the mailbox from BRISC: never"}));
  EXPECT_TRUE(says(said.report, {"(1,2) BRISC, which has returned"}));
}

TEST(Hangs, Row83OneCoreOfAllHoldsUpTheQueue) {
  host::EmulatedDevice device;
  host::Chip chip(device);
  const std::vector<NocCoord> cores(chip.workers().begin(), chip.workers().end());
  const NocCoord late = cores[cores.size() / 2];
  const Said said = said_of([&] {
    host::CommandQueue queue(chip);
    queue.enqueue(program(Hang::OneOfMany, cores, [&](NocCoord c) { return std::vector<uint32_t>{c == late}; }));
    queue.finish();
  });
  const std::string place = "(" + std::to_string(late.x) + "," + std::to_string(late.y) + ")";
  EXPECT_TRUE(says(said.summary, {"program 'hangs' has not finished"}));
  EXPECT_TRUE(says(said.root(), {place + " BRISC", "wait_for_flag()", "semaphore 0", "= 1; it is 0: never"}));
  EXPECT_TRUE(says(said.report, {"is stuck on 1 of " + std::to_string(cores.size()) + " cores", "core " + place}));
}

TEST(Hangs, Row84ALivelockIsOne) {
  host::EmulatedDevice device;
  host::Chip chip(device);
  const Said said = said_of([&] {
    chip.run(program(Hang::Livelock, kOne), {2'000'000, std::chrono::milliseconds(0)});
  });
  EXPECT_TRUE(says(said.summary, {"Timeout"}));
  EXPECT_TRUE(says(said.root(), {"(1,2) BRISC", "count_round_each_other()", "waits until semaphore 1", ": livelock"}));
  EXPECT_TRUE(
      says(said.report, {"for ever the same ", " instructions, together with NCRISC: ", "count_round_each_other()",
                         "and decide nothing", "it runs for real, as it stores to L1",
                         "2 wait for one another in a ring", "<- (1,2) NCRISC", "<- (1,2) BRISC"}));
}

// What is said of a kernel in assembler that still runs at the deadline. a0: its arguments, a word's address first.
Said still_runs(const std::function<void(isa::Assembler&)>& emit, uint64_t cycles = 2'000'000) {
  host::EmulatedDevice device;
  host::Chip chip(device);
  host::Program program("runs");
  isa::Assembler a;
  a.lw(isa::reg::s0, isa::reg::a0);
  emit(a);
  a.ret();
  const uint32_t word = program.add_l1(16);
  const auto kernel = program.add_kernel(arch::Hart::Brisc, image::Image::from(a.finish(), "runs"), kOne);
  program.set_args(kernel, kOne.front(), {word});
  return said_of([&] { chip.run(program, {cycles, std::chrono::milliseconds(0)}); });
}

TEST(Hangs, ALivelockOfAllCoresFitsOnAPage) {
  using namespace isa::reg;
  host::EmulatedDevice device;
  host::Chip chip(device);
  const std::vector<NocCoord> cores(chip.workers().begin(), chip.workers().end());
  host::Program program("runs");
  isa::Assembler a;
  a.lw(s0, a0);
  const isa::Label top = a.here();
  a.addi(a1, a1, 1);
  a.sw(a1, s0, 4);
  a.lw(t0, s0);
  a.beqz(t0, top);
  a.ret();
  const uint32_t word = program.add_l1(16);
  const auto image = image::Image::from(a.finish(), "runs");
  for (const arch::Hart hart : {arch::Hart::Brisc, arch::Hart::Ncrisc}) {
    const auto kernel = program.add_kernel(hart, image, cores);
    for (const NocCoord core : cores) program.set_args(kernel, core, {word});
  }
  const Said said = said_of([&] { chip.run(program, {300'000, std::chrono::milliseconds(0)}); });
  EXPECT_TRUE(says(said.root(), {"BRISC", "waits until L1", "is not 0; it is 0: livelock"}));
  EXPECT_TRUE(says(said.report, {"for ever the same 4 instructions", "stuck on " + std::to_string(cores.size())}));
  EXPECT_LE(said.lines_of_hang(), hang::kMostLines);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(device.why_nothing_moves({}).empty());
  const auto took = std::chrono::steady_clock::now() - start;
  RecordProperty("microseconds", static_cast<int>(std::chrono::duration_cast<std::chrono::microseconds>(took).count()));
}

TEST(Hangs, APollThatCountsIsALivelockByProof) {
  using namespace isa::reg;
  const Said said = still_runs([](isa::Assembler& a) {
    const isa::Label top = a.here();
    a.addi(a1, a1, 1);
    a.lw(t0, s0);
    a.addi(t0, t0, -3);
    a.bnez(t0, top);
  });
  EXPECT_TRUE(says(said.summary, {"Timeout"}));
  EXPECT_TRUE(says(said.root(), {"(1,2) BRISC", "waits until L1", "= 3; it is 0: livelock"}));
  EXPECT_TRUE(says(said.report, {"for ever the same 4 instructions", "only a1 (+1) changes, and decides nothing",
                                 "it runs for real, as it counts in a1 (+1)",
                                 "no other kernel of this program can write it; a host could", "<- nobody"}));
}

TEST(Hangs, ACountdownIsNoneAndItIsSaidHowLongItTakes) {
  using namespace isa::reg;
  const Said said = still_runs([](isa::Assembler& a) {
    a.li(a1, 1 << 24);
    const isa::Label top = a.here();
    a.addi(a1, a1, -1);
    a.bnez(a1, top);
  });
  EXPECT_EQ(said.report.find(": livelock"), std::string::npos) << said.report;
  EXPECT_TRUE(says(said.root(), {"(1,2) BRISC", "ran through", "its loop ends after 15,7",
                                 " more rounds of 2 instructions, when a1 (0xf0b", ") = 0"}));
}

TEST(Hangs, APollByTheClockIsNoneAndItIsSaidWhy) {
  using namespace isa::reg;
  const Said said = still_runs([](isa::Assembler& a) {
    a.li(a1, 100'000'000);
    const isa::Label top = a.here(), out = a.label();
    a.csrr(t1, 0xB00);
    a.slli(t1, t1, 1);  // which no parking follows
    a.srli(t1, t1, 1);
    a.bgeu(t1, a1, out);
    a.lw(t0, s0);
    a.beqz(t0, top);
    a.bind(out);
  });
  EXPECT_TRUE(says(said.root(), {"(1,2) BRISC", "ran through"}));
  EXPECT_TRUE(says(said.report, {"livelock, or a long computation",
                                 "no proof that it goes on for ever: (1,2) BRISC: it executes csrr"}));
}

// It polls for the next program, and is parked only after some turns.
TEST(Hangs, FirmwareThatIsBackInItsIdleLoopIsInNoLivelock) {
  host::EmulatedDevice device;
  host::Chip chip(device);
  chip.run(program(Hang::None, kOne));
  for (int window = 0; window < 8; ++window) {
    const std::string text = device.why_nothing_moves({});
    EXPECT_EQ(text.find("livelock"), std::string::npos) << text;
    const uint64_t cycles = 256;
    device.wait([] { return false; }, {cycles, std::chrono::milliseconds(0)});
  }
}

TEST(Hangs, MorePagesThanTheBufferHasAreReserved) {
  const Said said = hang(program(Hang::TooManyReserved, kOne));
  EXPECT_TRUE(says(said.root(), {"(1,2) BRISC", "circular buffer 0", "never"}));
  EXPECT_TRUE(says(said.report, {"more pages are reserved than the buffer has"}));
}

TEST(Hangs, ABreakpointIsNobodysWait) {
  const Said said = hang(program(Hang::Breakpoint, kOne));
  EXPECT_TRUE(says(said.root(), {"(1,2) BRISC", "paused at ebreak"}));
}

TEST(Hangs, AnAcknowledgementTooManyIsNeverComing) {
  const Said said = hang(program(Hang::Acknowledgements, {{1, 2}, {2, 2}}, [](NocCoord c) {
    return std::vector<uint32_t>{3u - c.x, 2};
  }));
  EXPECT_TRUE(says(said.root(), {"(1,2) BRISC", "MST_WR_ACK_RECEIVED of NoC 0", "never"}));
  EXPECT_TRUE(says(said.report, {"nothing of this core is under way on NoC 0", "last requests of (1,2)", "to (2,2)"}));
}

TEST(Hangs, EqualCoresAreTakenTogether) {
  host::EmulatedDevice device;
  host::Chip chip(device);
  const std::vector<NocCoord> cores(chip.workers().begin(), chip.workers().end());
  const Said said = said_of([&] { chip.run(program(Hang::Equal, cores)); });
  EXPECT_TRUE(says(said.root(), {"BRISC", "waits for 1 page of circular buffer 0, which has 0: never"}));
  EXPECT_TRUE(says(said.report, {"no other kernel of this core pushes to circular buffer 0",
                                 "the same on " + std::to_string(cores.size() - 1) + " more cores",
                                 "stuck on " + std::to_string(cores.size()) + " of"}));
  EXPECT_LE(said.lines_of_hang(), 8u);
}

// 118 cores, of which each could bring what any other waits for.
TEST(Hangs, ManyPossibleProvidersFitOnAPage) {
  host::EmulatedDevice device;
  host::Chip chip(device);
  const std::vector<NocCoord> cores(chip.workers().begin(), chip.workers().end());
  const Said said = said_of([&] { chip.run(program(Hang::Ring, cores)); });
  EXPECT_TRUE(says(said.root(), {"BRISC", "wait_for_flag()", "semaphore 0", "= 1; it is 0: never"}));
  EXPECT_TRUE(says(said.report, {"2 wait for one another in a ring", "<- perhaps", "116 others wait for them"}));
  EXPECT_LE(said.lines_of_hang(), hang::kMostLines);

  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(device.why_nothing_moves({}).empty());
  const auto took = std::chrono::steady_clock::now() - start;
  RecordProperty("microseconds", static_cast<int>(std::chrono::duration_cast<std::chrono::microseconds>(took).count()));
}

TEST(Hangs, ARingOfAllCoresFitsOnAPage) {
  host::EmulatedDevice device;
  host::Chip chip(device);
  const std::vector<NocCoord> cores(chip.workers().begin(), chip.workers().end());
  const Said said = said_of([&] {
    chip.run(program(Hang::Ring, cores, [&](NocCoord core) {
      const auto at = static_cast<size_t>(std::ranges::find(cores, core) - cores.begin());
      const NocCoord next = cores[(at + 1) % cores.size()];
      return std::vector<uint32_t>{next.x, next.y};
    }));
  });
  EXPECT_TRUE(says(said.report, {std::to_string(cores.size()) + " wait for one another in a ring", "and 112 more"}));
  EXPECT_LE(said.lines_of_hang(), hang::kMostLines);
}

TEST(Hangs, AreToldTheSameWithThreadsAndWithout) {
  const host::Program ring = program(Hang::Ring, kFour, [](NocCoord c) {
    return std::vector<uint32_t>{c.x % 4 + 1u, c.y};
  });
  EXPECT_EQ(hang(ring, 1).report, hang(ring, 4).report);
}

// With a history: what was there, and what came near.
Said hang_with_history(const host::Program& program, int shards = 1) { return hang(program, shards, true); }

// Core (2,2) waits for what (1,2) sends.
Arguments sender_and_receiver() {
  return [](NocCoord c) { return std::vector<uint32_t>{c.x == 1, 2, 2}; };
}
const std::vector<NocCoord> kTwo{{1, 2}, {2, 2}};

TEST(HangHistory, ASignalThatTheReceiverClearedBeforeItLooked) {
  const Said said = hang_with_history(program(Hang::ResetTooLate, kTwo, sender_and_receiver()));
  EXPECT_TRUE(says(said.root(), {"(2,2) BRISC", "semaphore 0", "= 1; it is 0: never"}));
  EXPECT_TRUE(says(said.report, {"it was 1, by (1,2) BRISC  send_increment()", "dataflow.cpp:", "at cycle ",
                                 "it itself  reset_too_late()", "stored 0 over it before a hart had read it"}));
}

TEST(HangHistory, AnIncrementThatAPlainStoreHasOverwritten) {
  const Said said = hang_with_history(program(Hang::Overwritten, kTwo, sender_and_receiver()));
  EXPECT_TRUE(says(said.root(), {"(2,2) BRISC", "semaphore 0", "= 2; it is 1: never"}));
  EXPECT_TRUE(says(said.report, {"1 increment had come, the last by (1,2) BRISC  send_increment()", "at cycle ",
                                 "(2,2) NCRISC  overwrite()", "stored 0 over that"}));
  EXPECT_TRUE(says(said.report, {"1 increment came since cycle ", "stored 0, from (1,2)"}));
}

TEST(HangHistory, AFlagThatALongerTransferHasCovered) {
  const Said said = hang_with_history(program(Hang::Covered, kTwo, sender_and_receiver()));
  EXPECT_TRUE(says(said.root(), {"(2,2) BRISC", "semaphore 0", "= 1; it is 0: never"}));
  EXPECT_TRUE(says(said.report, {"it was 1, by (1,2) BRISC  send_increment()", "(1,2) BRISC  cover()",
                                 "stored 32 bytes from L1 ", "on over it"}));
}

TEST(HangHistory, WhoOfSeveralHasSentNothing) {
  const Said said = hang_with_history(program(Hang::TooFewIncrements, kFour, [](NocCoord c) {
    return std::vector<uint32_t>{c.x == 4 ? 0u : c.x == 3 ? 2u : 1u, 4, 2, 3};
  }));
  EXPECT_TRUE(says(said.root(), {"(4,2) BRISC", "semaphore 0", "= 3; it is 2: never"}));
  EXPECT_TRUE(says(said.report, {"2 increments came", "from (1..2,2); none from (3,2), which runs the same kernels"}));
}

TEST(HangHistory, AnIncrementOfAnotherTileIsToldWithItsSender) {
  const Said said = hang_with_history(program(Hang::OtherTile, {{1, 2}, {2, 2}, {3, 2}}, [](NocCoord c) {
    return c.x == 3 ? std::vector<uint32_t>{1, 3, 2, 0} : std::vector<uint32_t>{c.x == 1, 3, 2, 1};
  }));
  EXPECT_TRUE(says(said.root(), {"(2,2) BRISC", "semaphore 0", "= 1; it is 0: never"}));
  EXPECT_TRUE(says(said.report, {"(1,2) BRISC  add_or_wait()",
                                 "dataflow.cpp:", "made it 1 on (3,2), where nobody waits for it, at cycle "}));
}

TEST(HangHistory, AnIncrementOfTheNextWordIsToldWithItsSender) {
  const Said said = hang_with_history(program(Hang::WrongOffset, kTwo, sender_and_receiver()));
  EXPECT_TRUE(says(said.root(), {"(2,2) BRISC", "semaphore 0", "= 1; it is 0: never"}));
  EXPECT_TRUE(says(said.report, {"(1,2) BRISC  send_increment()", "made 1 of the word 4 bytes behind it, L1 ",
                                 "for which nobody waits, at cycle "}));
}

TEST(HangHistory, AProducerThatDidLessThanItsTwins) {
  const Said said = hang_with_history(
      program(Hang::FewerThanTwins, kFour, [](NocCoord c) { return std::vector<uint32_t>{c.x == 3 ? 7u : 8u}; }));
  EXPECT_TRUE(says(said.root(), {"(3,2) BRISC", "waits for 8 pages of circular buffer 0, which has 7: never"}));
  EXPECT_TRUE(
      says(said.report, {"(3,2) NCRISC, which has returned", "pushed 7 pages here, and up to 8 on (1..2,2) (4,2)"}));
}

TEST(HangHistory, TheLastEventsOfTheRootAreTold) {
  const Said said = hang_with_history(program(Hang::Acknowledgements, {{1, 2}, {2, 2}}, [](NocCoord c) {
    return std::vector<uint32_t>{3u - c.x, 2};
  }));
  EXPECT_TRUE(says(said.report, {"last events of (1,2) BRISC, newest last:", "cycle ", "write of 4 bytes to (2,2)",
                                 "wait_for_acknowledgements()", "looked at MST_WR_ACK_RECEIVED of NoC 0"}));
}

TEST(HangHistory, NothingOfItIsToldWithoutIt) {
  const Said said = hang(program(Hang::ResetTooLate, kTwo, sender_and_receiver()));
  EXPECT_EQ(said.report.find("over it"), std::string::npos);
  EXPECT_EQ(said.report.find("last events"), std::string::npos);
}

// The launch before has sent as many increments to the same word.
TEST(HangHistory, SaysNothingOfAnotherLaunch) {
  const auto senders = [](uint32_t third) {
    return program(Hang::TooFewIncrements, kFour, [third](NocCoord c) {
      return std::vector<uint32_t>{c.x == 4 ? 0u : c.x == 3 ? third : 1u, 4, 2, 3};
    });
  };
  host::EmulatedDevice device({.hang_history = true});
  host::Chip chip(device);
  chip.run(senders(1));
  const Said said = said_of([&] { chip.run(senders(2)); });
  EXPECT_TRUE(says(said.root(), {"(4,2) BRISC", "semaphore 0", "= 3; it is 2: never"}));
  EXPECT_TRUE(says(said.report, {"2 increments came since cycle ", "none from (3,2)"}));
  EXPECT_EQ(said.report.find("5 increments"), std::string::npos) << said.report;
  const Said waiting = said_of([&] {
    host::EmulatedDevice fresh({.hang_history = true});
    host::Chip again(fresh);
    again.run(senders(1));
    again.run(program(Hang::TooFewIncrements, kFour, [](NocCoord c) {
      return std::vector<uint32_t>{c.x == 4 ? 0u : 2u, 4, 2, 3};
    }));
  });
  EXPECT_TRUE(says(waiting.root(), {"(4,2) BRISC", "semaphore 0", "= 3; it is 0: never"}));
  EXPECT_EQ(waiting.report.find("over it"), std::string::npos) << waiting.report;
}

TEST(HangHistory, IsTheSameWithThreadsAndWithout) {
  const host::Program lost = program(Hang::TooFewIncrements, kFour, [](NocCoord c) {
    return std::vector<uint32_t>{c.x == 4 ? 0u : c.x == 3 ? 2u : 1u, 4, 2, 3};
  });
  EXPECT_EQ(hang_with_history(lost, 1).report, hang_with_history(lost, 4).report);
}

TEST(HangHistory, FitsOnAPageForManyCores) {
  host::EmulatedDevice device({.hang_history = true});
  host::Chip chip(device);
  const std::vector<NocCoord> cores(chip.workers().begin(), chip.workers().end());
  const NocCoord root = cores.front();
  const Said said = said_of([&] {
    chip.run(program(Hang::TooFewIncrements, cores, [&](NocCoord c) {
      const uint32_t part = c == root ? 0u : c == cores.back() ? 2u : 1u;
      return std::vector<uint32_t>{part, root.x, root.y, static_cast<uint32_t>(cores.size() - 1)};
    }));
  });
  const NocCoord late = cores.back();
  EXPECT_TRUE(says(said.report, {std::to_string(cores.size() - 2) + " increments came",
                                 "none from (" + std::to_string(late.x) + "," + std::to_string(late.y) + ")"}));
  EXPECT_LE(said.lines_of_hang(), hang::kMostLines);
}

}  // namespace
}  // namespace kerr::hangs
