// A machine that was saved and restored goes on like one that never stopped.
#include "emu/machine/snapshot.hpp"
#include "arch/bytes.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "emu/chip/coordinates.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "isa/tensix/instructions.hpp"
#include "tests/emu/machine/busy.hpp"

namespace kerr::emu {
namespace {

constexpr Cycle kEnd = 24'576;
constexpr Cycle kStops[] = {0, 256, 1'024, 2'560, 5'120, 9'984, 16'384};
constexpr int kTiles = 12;

// A machine of kTiles busy tiles at the first window's end from `stop` on.
std::vector<uint8_t> at(Cycle stop, Options options = {}) {
  BusyMachine busy(std::move(options), kTiles);
  busy.machine.advance(stop);
  return save_snapshot(busy.machine);
}

class Snapshot : public ::testing::TestWithParam<Timing> {
 protected:
  static Options options(Options others = {}) {
    others.timing = GetParam();
    others.always_in_parallel = true;
    return others;
  }
  BusyMachine whole{options(), kTiles};
  void SetUp() override { whole.machine.advance(kEnd); }
};
INSTANTIATE_TEST_SUITE_P(Timings, Snapshot, ::testing::Values(Timing::Relaxed, Timing::Exact),
                         [](const auto& p) { return p.param == Timing::Exact ? "Exact" : "Relaxed"; });

TEST_P(Snapshot, ARestoredMachineEndsWithTheSameStateAndTheSameSnapshot) {
  const std::vector<uint8_t> end = save_snapshot(whole.machine);
  for (const Cycle stop : kStops) {
    for (const int shards : {1, 3}) {
      Machine restored(options({.shards = shards}));
      load_snapshot(restored, at(stop, options({.shards = shards})));
      EXPECT_GE(restored.now(), stop);
      EXPECT_LT(restored.now(), stop + restored.options().window());
      restored.advance(kEnd - stop);
      EXPECT_EQ(restored.now(), whole.machine.now());
      EXPECT_EQ(restored.state_hash(), whole.machine.state_hash()) << stop;
      EXPECT_EQ(save_snapshot(restored), end) << stop;
    }
  }
}

TEST_P(Snapshot, SavingChangesNothing) {
  BusyMachine busy(options(), kTiles);
  for (Cycle now = 0; now < kEnd; now += 1'024) {
    busy.machine.advance(1'024);
    const uint64_t hash = busy.machine.state_hash();
    const Cycle next = busy.machine.next_event();
    const std::vector<uint8_t> first = save_snapshot(busy.machine);
    EXPECT_EQ(busy.machine.state_hash(), hash);
    EXPECT_EQ(busy.machine.next_event(), next);
    EXPECT_EQ(save_snapshot(busy.machine), first);
  }
  EXPECT_EQ(busy.machine.state_hash(), whole.machine.state_hash());
}

TEST_P(Snapshot, ARestoredMachineHasTheStateAndTheSnapshotOfTheSavedOne) {
  for (const Cycle stop : kStops) {
    BusyMachine busy(options(), kTiles);
    busy.machine.advance(stop);
    const std::vector<uint8_t> first = save_snapshot(busy.machine);
    Machine restored(options());
    load_snapshot(restored, first);
    EXPECT_EQ(restored.now(), busy.machine.now());
    EXPECT_EQ(restored.state_hash(), busy.machine.state_hash()) << stop;
    EXPECT_EQ(restored.next_event(), busy.machine.next_event()) << stop;
    EXPECT_EQ(text(restored.waits()), text(busy.machine.waits())) << stop;
    EXPECT_EQ(save_snapshot(restored), first) << stop;
  }
}

TEST_P(Snapshot, LoadsIntoMachinesWithOtherShardsParkingAndScheduler) {
  const std::vector<uint8_t> bytes = at(5'120, options());
  for (const Options& others :
       {Options{.shards = 3}, Options{.parking = false}, Options{.scheduler = Scheduler::Reference}}) {
    Machine restored(options(others));
    load_snapshot(restored, bytes);
    restored.advance(kEnd - 5'120);
    EXPECT_EQ(restored.now(), whole.machine.now());
    EXPECT_EQ(restored.state_hash(), whole.machine.state_hash());
  }
}

TEST_P(Snapshot, ASpinningMachineCanBeSavedForAParkingOne) {
  for (const Options& others : {Options{.parking = false}, Options{.scheduler = Scheduler::Reference}}) {
    Machine restored(options());
    load_snapshot(restored, at(5'120, options(others)));
    restored.advance(kEnd - 5'120);
    EXPECT_EQ(restored.state_hash(), whole.machine.state_hash());
    EXPECT_TRUE(restored.quiescent()) << text(restored.waits());
  }
}

// The thread looks again when the line is written: the restored tile has to watch it, too.
TEST_P(Snapshot, AThreadThatRetriesOnAWordOfL1GoesOnWhenItComes) {
  namespace tx = isa::tensix;
  constexpr uint32_t kWord = 0x3000;
  Machine machine(options());
  TestHost host(machine);
  const arch::NocCoord where = arch::tensix_tiles(arch::kP100a.harvesting)[5];
  const auto coprocessor_of = [&](Machine& m) -> Coprocessor& {
    return m.chip(0).tiles.at_present(tile_at(m.chip(0).geometry, 0, 0, where.x, where.y)->node).coprocessor();
  };
  Coprocessor& coprocessor = coprocessor_of(machine);
  coprocessor.state.gpr.write(2, 1, kWord / 16);
  coprocessor.threads[2].front.push_before_mop(tx::ATCAS{.addr_reg = 1, .cmp_val = 4}.encode());
  coprocessor.threads[2].front.push_before_mop(tx::SETDMAREG{.reg_index_16b = 2 * 5, .payload_sig_sel = 77}.encode());
  host.write32(where, 0x100, 1);  // tells the machine that something has changed in the tile
  machine.advance(1'024);
  ASSERT_EQ(coprocessor.threads[2].instructions, 0u) << coprocessor.describe(2);

  Machine restored(options());
  load_snapshot(restored, save_snapshot(machine));
  TestHost(restored).write32(where, kWord, 4);
  restored.advance(1'024);
  EXPECT_EQ(coprocessor_of(restored).state.gpr.read(2, 5), 77u) << coprocessor_of(restored).describe(2);
}

TEST(SnapshotFile, SlicesOfTheClockStillChangeNothing) {
  BusyMachine busy({}, kTiles);
  busy.machine.advance(1'000);  // runs to 1024: the next 24 cycles are prepaid
  Machine restored{Options{}};
  load_snapshot(restored, save_snapshot(busy.machine));
  restored.advance(24);
  EXPECT_EQ(restored.now(), 1'024u);
  restored.advance(1);
  EXPECT_EQ(restored.now(), 1'280u);
}

TEST(SnapshotFile, ThreadsThatCompressWriteTheSame) {
  BusyMachine busy({}, kTiles);
  busy.machine.advance(5'120);
  EXPECT_EQ(save_snapshot(busy.machine, 2), save_snapshot(busy.machine, 1));
  Machine restored{Options{}};
  load_snapshot(restored, save_snapshot(busy.machine), 2);
  EXPECT_EQ(restored.state_hash(), busy.machine.state_hash());
}

// tile.md 1.9
TEST_P(Snapshot, AHartPausedAtEbreakStaysPausedAndStopsNobodyElse) {
  BusyMachine busy(options(), kTiles);
  BusyMachine other(options(), kTiles);
  Kernel pauses;
  pauses.ebreak();
  pauses.store_word(0x5000, 1);
  pauses.stop();
  const arch::NocCoord tile{14, 11};  // not of the busy ones
  for (BusyMachine* one : {&busy, &other}) one->host.start(tile, pauses);
  constexpr Cycle kStop = 9'984;
  busy.machine.advance(kStop);
  EXPECT_FALSE(busy.machine.faulted());
  Machine restored(options());
  load_snapshot(restored, save_snapshot(busy.machine));
  EXPECT_EQ(restored.state_hash(), busy.machine.state_hash());
  for (Machine* machine : {&busy.machine, &restored}) machine->advance(kEnd - kStop);
  other.machine.advance(kEnd);
  EXPECT_EQ(restored.state_hash(), busy.machine.state_hash());
  EXPECT_EQ(other.machine.state_hash(), busy.machine.state_hash());
  for (Machine* machine : {&busy.machine, &restored, &other.machine}) {
    EXPECT_FALSE(machine->faulted());
    EXPECT_EQ(TestHost(*machine).read32(tile, 0x5000), 0u) << "it has not gone on";
    std::string text;
    for (const TileWaits& waits : machine->waits()) {
      for (const AgentWait& agent : waits.agents) text += agent.text + "\n";
    }
    EXPECT_NE(text.find("paused at ebreak, pc 0x0"), std::string::npos) << text;
  }
  EXPECT_GT(busy.host.read32(busy.workers[0], 0x4000), 1u) << "the others have gone on, and the host";
}

TEST(SnapshotFile, FaultsAreSavedToo) {
  BusyMachine busy({}, 1);
  Kernel kernel;
  kernel.word(0x7F);  // no instruction
  busy.host.start(busy.workers[3], kernel);
  busy.machine.advance(1'024);
  ASSERT_TRUE(busy.machine.faulted());
  Machine restored{Options{}};
  load_snapshot(restored, save_snapshot(busy.machine));
  ASSERT_TRUE(restored.faulted());
  EXPECT_EQ(restored.faults().front().text(), busy.machine.faults().front().text());
  restored.advance(1'024);
  EXPECT_EQ(restored.now(), busy.machine.now());
}

TEST(SnapshotFile, MemoryThatWasZeroedAgainComesBackAsZero) {
  Machine machine{Options{}};
  DramBank& bank = *machine.chip(0).dram[0];
  FaultLog faults;
  const std::vector<uint8_t> ones(100'000, 1), zeros(100'000, 0);
  const ServerAccess access{faults, TileId::at(0, 0, 0), 0, 0x10000};
  bank.write(access, ones);
  bank.write(access, zeros);
  Machine restored{Options{}};
  load_snapshot(restored, save_snapshot(machine));
  EXPECT_EQ(restored.state_hash(), machine.state_hash());
  EXPECT_EQ(restored.chip(0).dram[0]->touched_bytes(), bank.touched_bytes());
}

// --- files ---------------------------------------------------------------------------------------------------------

std::string refusal_of(Machine& machine, std::span<const uint8_t> bytes) {
  try {
    load_snapshot(machine, bytes);
  } catch (const SnapshotError& error) {
    return error.what();
  }
  return "";
}

TEST(SnapshotFile, IsRefusedWhenItIsOfAnotherMachine) {
  Machine p150(Options{.boards = {arch::kP150}});
  EXPECT_EQ(refusal_of(p150, at(0)), "the snapshot is of a machine with p100a, this one has p150");
  Machine two(Options{.boards = {arch::kP100a, arch::kP100a}});
  EXPECT_EQ(refusal_of(two, at(0)), "the snapshot is of a machine with p100a, this one has p100a, p100a");
  Machine wide(Options{.window_cycles = 512});
  EXPECT_EQ(refusal_of(wide, at(0)),
            "the snapshot is of a machine with windows of 256 cycles, this one has windows of 512 cycles");
  Machine exact(Options{.timing = Timing::Exact});
  EXPECT_EQ(refusal_of(exact, at(0)), "the snapshot is of a machine with relaxed timing, this one has exact timing");
  Machine mended(Options{.fp16_accumulation_fault = false});
  EXPECT_NE(refusal_of(mended, at(0)), "");
}

TEST(SnapshotFile, IsRefusedWhenItIsNoSnapshotOrOfAnotherVersion) {
  std::vector<uint8_t> bytes = at(0);
  Machine machine{Options{}};
  EXPECT_EQ(refusal_of(machine, {}), "this is no Kerr snapshot: it is too short for one");
  const std::string elf =
      "\x7f"
      "ELF and then some more bytes";
  EXPECT_EQ(refusal_of(machine, arch::as_uint8(elf)), "this is no Kerr snapshot: it does not begin like one");
  bytes[8] = 99;
  EXPECT_EQ(refusal_of(machine, bytes), "the snapshot has version 99 of its format, this Kerr reads version 2");
}

TEST(SnapshotFile, ADamagedFileChangesNothing) {
  const std::vector<uint8_t> bytes = at(5'120);
  BusyMachine busy({}, 2);
  busy.machine.advance(2'560);
  const uint64_t hash = busy.machine.state_hash();
  std::vector<uint8_t> damaged = bytes;
  damaged[bytes.size() / 2] ^= 1;
  EXPECT_NE(refusal_of(busy.machine, damaged).find("the snapshot is damaged"), std::string::npos);
  EXPECT_NE(refusal_of(busy.machine, std::span(bytes).first(bytes.size() - 1)).find("was cut off"), std::string::npos);
  damaged = bytes;
  damaged.push_back(0);
  EXPECT_EQ(refusal_of(busy.machine, damaged), "the snapshot is damaged: something follows its end");
  EXPECT_EQ(busy.machine.state_hash(), hash);
  EXPECT_EQ(busy.machine.now(), 2'560u);
}

TEST(SnapshotFile, GoesThroughAFile) {
  const std::string path = ::testing::TempDir() + "kerr_snapshot_test_" + std::to_string(::getpid()) + ".snap";
  BusyMachine busy({}, kTiles);
  busy.machine.advance(5'120);
  save_snapshot(busy.machine, path);
  const SnapshotInfo info = read_snapshot_info(path);
  EXPECT_EQ(info.cycle, 5'120u);
  EXPECT_EQ(info.machine.boards.front().name, "p100a");
  EXPECT_EQ(info.tiles, static_cast<uint32_t>(kTiles));
  EXPECT_EQ(&info.machine.boards.front().board(), &arch::kBoards[0]);
  Machine restored{Options{}};
  load_snapshot(restored, path);
  EXPECT_EQ(restored.state_hash(), busy.machine.state_hash());
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  std::filesystem::remove(path);
}

TEST(SnapshotFile, SaysThatAFileCannotBeOpenedOrWritten) {
  const std::string path = ::testing::TempDir() + "no/such/folder/file";
  EXPECT_THROW(read_snapshot_info(path), SnapshotError);
  Machine machine{Options{}};
  try {
    save_snapshot(machine, path);
    FAIL();
  } catch (const SnapshotError& error) {
    EXPECT_EQ(std::string(error.what()), "'" + path + "' cannot be created: No such file or directory");
  }
}

}  // namespace
}  // namespace kerr::emu
