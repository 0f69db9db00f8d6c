// What a machine was told can be told again, without the host.
#include "emu/machine/input_log.hpp"
#include "arch/bytes.hpp"

#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "emu/machine/snapshot.hpp"
#include "tests/emu/machine/busy.hpp"

namespace kerr::emu {
namespace {

// A name in the folder of temporary files that no other test uses, which runs at the same time. Taken away at the end.
struct TemporaryFile {
  explicit TemporaryFile(const char* name)
      : path(::testing::TempDir() + "kerr_" + std::to_string(::getpid()) + "_" + name) {}
  ~TemporaryFile() { std::filesystem::remove(path); }
  const std::string path;
};

// Reads 64 bytes of host memory again and again, adds the first word up and writes the sum back.
Kernel host_reader(int rounds) {
  namespace niu = arch::niu;
  using namespace isa::reg;
  const arch::NocCoord pcie{19, 24};
  const uint64_t base = arch::pcie::kNocHostBase | TestMemory::kBase;
  Kernel k;
  for (int buffer : {0, 1, 3}) k.noc_init(0, buffer);
  for (uint32_t round = 1; round <= static_cast<uint32_t>(rounds); ++round) {
    k.noc_read(0, pcie, base, 0x3000, 64);
    k.noc_wait(0, niu::kMstRdRespReceived, round);
    k.load_word(a0, 0x3000);
    k.add(a1, a1, a0);
    k.store_reg(0x2000, a1);
    k.noc_write(0, 0x2000, pcie, base + 0x1000, 64);
    k.noc_wait(0, niu::kMstWrAckReceived, round);
    k.store_word(0x4000, round);
  }
  k.stop();
  return k;
}

// A host that looks at the device's words and answers with new values, which the device reads.
class Session {
 public:
  static constexpr int kRounds = 6;
  TestMemory memory;
  Machine machine{Options{.host_memory = &memory}};
  TestHost host{machine};
  arch::NocCoord tile = arch::tensix_tiles(arch::kP100a.harvesting)[5];

  void begin() { host.start(tile, host_reader(kRounds)); }
  // One look of the host, after some time.
  void turn(int i) {
    machine.advance(static_cast<Cycle>(300 + 100 * (i % 7)));
    const uint32_t seen = host.read32(tile, 0x4000);
    memory.bytes[0] = static_cast<uint8_t>(7 * i + seen);
    host.write32(tile, 0x5000, seen);
    if (i % 5 == 0) machine.read_coordinate(0, tile.x, tile.y, 0x2000, {memory.bytes.data() + 0x2000, 4});
    if (i % 9 == 0) machine.config_write(0, 0x04, static_cast<uint32_t>(i));
  }
};

class InputLog : public ::testing::Test {
 protected:
  TemporaryFile file{"input_log_test.log"};
  Session session;
  std::vector<std::vector<uint8_t>> snapshots;
  uint64_t hash = 0;
  Cycle end = 0;
  uint64_t inputs = 0;

  void SetUp() override {
    InputRecorder recorder(session.machine, file.path);
    session.begin();
    for (int i = 0; i < 40; ++i) {
      session.turn(i);
      if (i % 4 == 1) snapshots.push_back(save_snapshot(session.machine));
    }
    recorder.finish();
    hash = session.machine.state_hash();
    ASSERT_FALSE(session.machine.faulted()) << session.machine.faults().front().text();
    ASSERT_EQ(session.host.read32(session.tile, 0x4000), static_cast<uint32_t>(Session::kRounds));
    ASSERT_NE(session.host.read32(session.tile, 0x2000), 0u);
    // The looks above came after the recording.
    end = session.machine.now();
    inputs = recorder.inputs();
  }
};

TEST_F(InputLog, ReplaysWithoutTheHostToTheSameState) {
  Machine again{Options{}};
  {
    Replay replay(again, file.path);
    EXPECT_FALSE(replay.run());
    EXPECT_EQ(replay.inputs(), inputs);
  }
  EXPECT_EQ(again.now(), end);
  EXPECT_EQ(again.state_hash(), hash);  // before anybody looks: NIUs count reads of the host
  // What the test looked at after the recording went through window 0 only.
  Machine reference{Options{}};
  Replay(reference, file.path).run();
  EXPECT_EQ(save_snapshot(again), save_snapshot(reference));
  EXPECT_EQ(TestHost(again).read32(session.tile, 0x2000), session.host.read32(session.tile, 0x2000));
}

TEST_F(InputLog, ReplaysFromEverySnapshotTakenMeanwhile) {
  Machine whole{Options{}};
  Replay(whole, file.path).run();
  ASSERT_EQ(snapshots.size(), 10u);
  for (const std::vector<uint8_t>& snapshot : snapshots) {
    Machine again{Options{}};
    load_snapshot(again, snapshot);
    Replay replay(again, file.path);
    replay.run();
    EXPECT_LT(replay.inputs(), inputs);
    EXPECT_EQ(again.state_hash(), whole.state_hash());
    EXPECT_EQ(again.run(), whole.run());
  }
}

TEST_F(InputLog, ASnapshotOfAReplayIsTheOneOfTheRecording) {
  Machine again{Options{}};
  Replay replay(again, file.path);
  Machine saved{Options{}};
  load_snapshot(saved, snapshots[6]);
  EXPECT_TRUE(replay.run(saved.now()));
  EXPECT_EQ(again.now(), saved.now());
  EXPECT_LE(again.inputs(), saved.inputs());  // those stamped with this cycle are left
  EXPECT_TRUE(replay.run(saved.now() + 256));
  Machine fork{Options{}};
  load_snapshot(fork, save_snapshot(again));
  Replay rest(fork, file.path);
  rest.run();
  replay.run();
  EXPECT_EQ(fork.state_hash(), again.state_hash());
}

TEST_F(InputLog, ShardsParkingAndSchedulerChangeNothing) {
  Machine whole{Options{}};
  Replay(whole, file.path).run();
  for (const Options& options : {Options{.shards = 4, .always_in_parallel = true}, Options{.parking = false}}) {
    Machine again(options);
    Replay(again, file.path).run();
    EXPECT_EQ(again.state_hash(), whole.state_hash());
  }
}

TEST_F(InputLog, TellsWhereAMachineDiffers) {
  Machine again{Options{}};
  Replay replay(again, file.path);
  replay.run(3'000);
  const uint32_t other = 12345;  // what the device will write to the host is another sum
  again.chip(0).write_coordinate(session.tile.x, session.tile.y, 0x2000, arch::as_uint8(other));
  again.chip(0).write_coordinate(session.tile.x, session.tile.y, 0x4000, arch::as_uint8(other));
  try {
    replay.run();
    FAIL();
  } catch (const SnapshotError& error) {
    EXPECT_NE(std::string(error.what()).find("the replay differs from the log at cycle"), std::string::npos)
        << error.what();
  }
}

TEST_F(InputLog, IsRefusedByAMachineOfAnotherRun) {
  Machine p150(Options{.boards = {arch::kP150}});
  EXPECT_THROW(Replay(p150, file.path), SnapshotError);
  Session other;
  other.begin();
  other.turn(0);
  EXPECT_THROW(Replay(other.machine, file.path), SnapshotError);
  Machine machine{Options{}};
  const std::vector<uint8_t> snapshot = save_snapshot(machine);
  EXPECT_THROW(Replay(machine, std::make_unique<StoredMemory>(snapshot)), SnapshotError);
}

TEST_F(InputLog, CanBeginAtASnapshot) {
  TemporaryFile second{"input_log_test_2.log"};
  const std::vector<uint8_t> begin = save_snapshot(session.machine);
  {
    InputRecorder recorder(session.machine, second.path);
    for (int i = 0; i < 5; ++i) session.turn(i);
    recorder.finish();
  }
  Machine fresh{Options{}};
  EXPECT_THROW(Replay(fresh, second.path), SnapshotError);
  load_snapshot(fresh, begin);
  Replay(fresh, second.path).run();
  EXPECT_EQ(fresh.state_hash(), session.machine.state_hash());
}

TEST_F(InputLog, HostMemoryThatThrowsAndRefusesIsReplayed) {
  struct Fickle final : HostMemory {
    int calls = 0;
    bool read(uint64_t, std::span<uint8_t> out) override {
      if (++calls % 3 == 0) throw std::runtime_error("the host does not want to");
      std::fill(out.begin(), out.end(), static_cast<uint8_t>(calls));
      return true;
    }
    bool write(uint64_t, std::span<const uint8_t>) override { return calls < 12; }
  } memory;
  TemporaryFile log{"input_log_test_3.log"};
  Machine machine{Options{.host_memory = &memory}};
  InputRecorder recorder(machine, log.path);
  TestHost(machine).start(session.tile, host_reader(3));
  int thrown = 0;
  for (int i = 0; i < 40; ++i) {
    try {
      machine.advance(1'000);
    } catch (const std::runtime_error&) {
      ++thrown;
    }
  }
  EXPECT_GT(thrown, 0);
  recorder.finish();
  Machine again{Options{}};
  Replay(again, log.path).run();
  EXPECT_EQ(again.state_hash(), machine.state_hash());
  EXPECT_EQ(again.faulted(), machine.faulted());
}

TEST_F(InputLog, AnUnfinishedRecordingLeavesNoFile) {
  TemporaryFile log{"input_log_test_4.log"};
  {
    InputRecorder recorder(session.machine, log.path);
    session.turn(1);
  }
  EXPECT_FALSE(std::filesystem::exists(log.path));
  EXPECT_FALSE(std::filesystem::exists(log.path + ".part"));
  session.turn(2);
}

}  // namespace
}  // namespace kerr::emu
