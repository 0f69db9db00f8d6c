// Errors of earlier hosts of this protocol that ours must not make: each test fails on the old behaviour.
// docs/hardware/fast-dispatch.md 18, the first six. Number 4, core selection, is harvested_boards_test.cpp.
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "arch/tile_registers.hpp"
#include "emu/observe/observer.hpp"
#include "firmware/firmware.hpp"
#include "host/device/emulated_device.hpp"
#include "host/driver/tile_reset.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "host/runtime/cq/queue_config.hpp"
#include "tests/host/fake_chip.hpp"

namespace kerr::host {
namespace {

Program nothing_on(std::span<const arch::NocCoord> cores) {
  image::Image image;
  image.name = "nothing";
  image.entry = 0x1000;
  image::Segment segment{.address = 0x1000, .load_address = 0x1000};
  segment.bytes = {0x67, 0x80, 0, 0};
  segment.memory_bytes = 4;
  image.segments.push_back(segment);
  Program program("nothing");
  program.add_kernel(arch::Hart::Brisc, image, cores);
  return program;
}

// 1: BRISC starts at address 0, on the dispatch tiles too.
TEST(EarlierHosts, EveryTileGetsItsJumpWhateverLayInL1Before) {
  EmulatedDevice device;
  {
    NocIo io(device);
    const std::vector<std::byte> garbage(0x20000, std::byte{0xFF});
    const auto tiles = arch::tensix_tiles(arch::kP100a.harvesting);
    hold_in_reset(io, {tiles.begin(), tiles.size()});
    for (arch::NocCoord tile : tiles) io.write(tile, 0, garbage);
  }
  Chip chip(device);
  CommandQueue queue(chip);
  queue.enqueue(nothing_on(chip.workers()));
  EXPECT_EQ(queue.finish().size(), 1u);
}

// 2: the queue's kernels are ordinary programs on base firmware, which has its tiles back when they end.
TEST(EarlierHosts, TheDispatchTilesRunBaseFirmware) {
  EmulatedDevice device;
  Chip chip(device);
  const arch::DispatchPair pair = chip.dispatch_pair();
  const arch::NocCoord tiles[] = {pair.prefetch, pair.dispatch};
  for (int i = 0; i < 2; ++i) {
    chip.run(nothing_on(tiles));
    CommandQueue queue(chip);
    queue.enqueue(nothing_on(chip.workers()));
    queue.finish();
  }
  chip.run(nothing_on(tiles));
}

// When BRISC of a tile took the reset off, and when another hart of it first did something.
struct Starts : emu::Observer {
  std::map<emu::TileId, emu::Cycle> released, first_of_others;

  void accessed(const emu::Actor& who, emu::AccessKind kind, uint32_t address, uint32_t, uint32_t) override {
    if (kind != emu::AccessKind::Store || address != arch::kSoftReset0 || who.agent != emu::Agent::Brisc) return;
    released.try_emplace(who.tile, who.cycle);
  }
  void retired(const emu::Actor& who, uint32_t, uint32_t) override {
    if (who.agent <= emu::Agent::Brisc || who.agent == emu::Agent::Host) return;
    first_of_others.try_emplace(who.tile, who.cycle);
  }
};

// 3: NCRISC and TRISCs start when BRISC has initialised the tile, and nobody else starts them.
TEST(EarlierHosts, NoOtherHartRunsBeforeBriscReleasesIt) {
  Starts starts;
  EmulatedDevice device({.chip = {.observer = &starts}});
  Chip chip(device);
  CommandQueue queue(chip, {.subordinate = true});
  queue.enqueue(nothing_on(chip.workers()));
  queue.finish();
  ASSERT_EQ(starts.released.size(), chip.tiles().size());
  ASSERT_EQ(starts.first_of_others.size(), chip.tiles().size());
  for (const auto& [tile, cycle] : starts.first_of_others) EXPECT_GE(cycle, starts.released.at(tile));
}

// 5: readiness is a word that each kernel writes, waited for within a bound; no sleep, no hope.
TEST(EarlierHosts, AKernelThatNeverBecomesReadyIsAnErrorThatNamesIt) {
  FakeChip device;
  Chip chip(device, {.boot_deadline = {10'000, {}}});
  device.dead.insert(device.pair.dispatch);
  device.next_status = {DeviceStatus::State::Quiescent, {}, "dispatch tile asleep"};
  try {
    CommandQueue queue(chip);
    FAIL() << "nobody was ready";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.category(), Category::Deadlock);
    EXPECT_NE(std::string(error.what()).find("start of the command queue's kernels"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(device.records, 0u) << "no record before the handshake";
}

// 6: firmware is built from the sources beside it, and both sides know of which build they are.
TEST(EarlierHosts, EveryImageAndTheHostAreOfOneBuild) {
  EXPECT_NE(firmware::build_id(), firmware::BuildId{});
  const firmware::QueueFirmware& q = firmware::queue_firmware();
  for (const firmware::Image& image :
       {q.prefetch, q.dispatch, q.dispatch_s, q.prefetch_h, q.prefetch_d, q.dispatch_h, q.dispatch_d}) {
    EXPECT_EQ(firmware::stamp(image), firmware::build_id()) << image.name;
  }
  const auto workers = arch::worker_tiles(arch::kP100a.harvesting);
  const auto config = cq::queue_config({.pair = arch::dispatch_pair(arch::kP100a.harvesting),
                                        .harvesting = arch::kP100a.harvesting,
                                        .workers = {workers.begin(), workers.size()}});
  EXPECT_EQ(std::memcmp(config.expected_build_id, firmware::build_id().data(), 16), 0)
      << "kernels refuse another one: Queue.AnotherBuildIsRefusedBeforeTheFirstRecord";
}

}  // namespace
}  // namespace kerr::host
