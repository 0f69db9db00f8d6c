#include "host/runtime/chip.hpp"

#include <gtest/gtest.h>

#include "tests/host/fake_chip.hpp"

namespace kerr::host {
namespace {

const ChipOptions kQuickBoot{.boot_deadline = {10'000, {}}};

image::Image kernel(std::string name = "kernel") {
  image::Image image;
  image.name = std::move(name);
  image.entry = 0x1000;
  image::Segment segment{.address = 0x1000, .load_address = 0x1000, .bytes = {0x67, 0x80, 0, 0}};
  segment.memory_bytes = 4;
  image.segments.push_back(segment);
  return image;
}

TEST(Chip, BootWritesTheJumpOnEveryTileTheDispatchPairIncluded) {
  FakeChip device;
  for (uint8_t y = 2; y < 12; ++y) {  // garbage everywhere: stale L1 must not help
    for (uint32_t address = 0; address < 0x4000; address += 4) device.set_word({14, y}, address, 0xFFFF'FFFF);
  }
  Chip chip(device, kQuickBoot);
  ASSERT_EQ(chip.tiles().size(), 120u);
  ASSERT_EQ(chip.workers().size(), 118u);
  EXPECT_EQ(chip.board_name(), "p100a");
  for (arch::NocCoord tile : chip.tiles()) {
    EXPECT_EQ(device.word(tile, 0), 0x0410306Fu);
    EXPECT_EQ(device.word(tile, arch::kTriscResetPcOverride), 7u);
    EXPECT_EQ(device.word(tile, arch::kNcriscResetPcOverride), 1u);
    EXPECT_EQ(device.word(tile, arch::kNcriscResetPc), 0x5440u);
    EXPECT_EQ(device.word(tile, 0x70 + 92), 0u) << "no stale preload bit";
    EXPECT_EQ(device.word(tile, 0x3A0), 0u);
    EXPECT_EQ(device.word(tile, 0x116B0) & 0xFFFF, arch::dram_bank_tile_for_noc(chip.harvesting(), 0, 0).packed());
  }
  EXPECT_EQ(device.word({14, 5}, 0x8B8 + 232) & 0xFFFF, 0x030Bu) << "logical (11, 3)";
}

TEST(Chip, NoTileIsReleasedBeforeEverythingIsWritten) {
  FakeChip device;
  const Chip chip(device, kQuickBoot);
  size_t last_memory_write = 0, first_release = device.writes.size();
  for (size_t i = 0; i < device.writes.size(); ++i) {
    const auto& write = device.writes[i];
    const bool release = write.address == arch::kSoftReset0 && write.bytes[1] == std::byte{0x70};
    if (release) first_release = std::min(first_release, i);
    if (write.address < arch::kL1Bytes) last_memory_write = i;
  }
  EXPECT_LT(last_memory_write, first_release);
}

TEST(Chip, ASecondOneOnTheSameDeviceIsRefusedUntilTheFirstIsGone) {
  FakeChip device;
  {
    Chip first(device, kQuickBoot);
    try {
      Chip second(device, kQuickBoot);
      FAIL();
    } catch (const DeviceError& error) {
      EXPECT_EQ(error.category(), Category::HostError);
      EXPECT_NE(error.summary().find("has a host::Chip already"), std::string::npos) << error.summary();
    }
    const arch::NocCoord cores[] = {{3, 4}};
    Program program("works");
    program.add_kernel(arch::Hart::Brisc, kernel(), cores);
    first.run(program);
  }
  EXPECT_NO_THROW(Chip(device, kQuickBoot));
}

TEST(Chip, OneThatCouldNotBeMadeIsNotInTheWayOfTheNext) {
  FakeChip device;
  device.dead = {{5, 7}};
  EXPECT_THROW(Chip(device, kQuickBoot), DeviceError);
  device.dead.clear();
  EXPECT_NO_THROW(Chip(device, kQuickBoot));
}

TEST(Chip, ADeadTileIsNamed) {
  FakeChip device;
  device.dead = {{5, 7}};
  try {
    Chip chip(device, kQuickBoot);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.category(), Category::Deadlock);
    EXPECT_NE(std::string(error.what()).find("tile (5,7)"), std::string::npos) << error.what();
  }
}

TEST(Chip, SlowDispatchStartsEveryCoreInHostModeAndWaitsForAll) {
  FakeChip device;
  Chip chip(device, kQuickBoot);
  Program program;
  const auto k = program.add_kernel(arch::Hart::Brisc, kernel(), chip.workers());
  for (arch::NocCoord tile : chip.workers()) program.set_args(k, tile, {tile.packed()});
  for (int run = 0; run < 3; ++run) chip.run(program);
  for (arch::NocCoord tile : chip.workers()) {
    EXPECT_EQ(device.word(tile, 0x86B0), tile.packed());
    EXPECT_EQ(device.word(tile, 0x70 + 76), 1u) << "always slot 0: in host mode the ring stays";
    EXPECT_EQ(device.word(tile, 0x70 + 40) >> 16 & 0xFF, 1u) << "mode";
  }
}

TEST(Chip, AProgramInWhichNothingMovesIsADeadlockThatNamesACore) {
  FakeChip device;
  Chip chip(device, kQuickBoot);
  device.workers_finish = false;
  device.next_status = {DeviceStatus::State::Quiescent, {}, "(3,4) BRISC waits for circular buffer 0"};
  Program program("stuck");
  const arch::NocCoord cores[] = {{3, 4}};
  program.add_kernel(arch::Hart::Brisc, kernel(), cores);
  try {
    chip.run(program);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.category(), Category::Deadlock);
    EXPECT_NE(std::string(error.what()).find("'stuck': core (3,4)"), std::string::npos) << error.what();
    EXPECT_EQ(error.report(), "(3,4) BRISC waits for circular buffer 0");
  }
}

TEST(Chip, ProgramsThatDoNotFitTheChipAreRefused) {
  FakeChip device;
  Chip chip(device, kQuickBoot);
  Program elsewhere;
  const arch::NocCoord harvested[] = {{15, 2}};
  elsewhere.add_kernel(arch::Hart::Brisc, kernel(), harvested);
  EXPECT_THROW(chip.run(elsewhere), DeviceError);
  Program large;
  const arch::NocCoord cores[] = {{1, 2}};
  large.add_kernel(arch::Hart::Brisc, kernel(), cores);
  large.add_l1(0x160000);
  chip.check(large);
  const Buffer buffer = chip.allocate(Memory::L1, 120 * 64 * 1024, 1024);
  EXPECT_THROW(chip.check(large), DeviceError) << "the buffer lies at the top of L1";
}

TEST(Buffers, OnesLargerThanAllMemoryAreRefusedAndDoNotWrap) {
  FakeChip device;
  Chip chip(device, kQuickBoot);
  const arch::NocCoord cores[] = {{1, 2}, {2, 2}};
  for (const uint64_t bytes : {~0ull, ~0ull - 2047, 1ull << 63, 1ull << 40}) {
    for (const Memory memory : {Memory::Dram, Memory::L1}) {
      try {
        chip.allocate(memory, bytes, 2048);
        FAIL() << bytes;
      } catch (const DeviceError& error) {
        EXPECT_EQ(error.category(), Category::HostError);
        EXPECT_EQ(error.summary().find("of 0 bytes"), std::string::npos) << error.summary();
      }
    }
    EXPECT_THROW(chip.allocate_sharded(Memory::L1, bytes, 2048, cores), DeviceError);
    EXPECT_THROW(chip.allocate_sharded(Memory::Dram, bytes, 2048), DeviceError);
  }
}

TEST(Programs, MoreArgumentsAndSemaphoresThanL1HoldsAreRefused) {
  Program program;
  const arch::NocCoord cores[] = {{1, 2}};
  const auto id = program.add_kernel(arch::Hart::Brisc, kernel(), cores);
  EXPECT_THROW(program.set_args(id, cores[0], std::vector<uint32_t>(arch::kL1Bytes / 4 + 1)), DeviceError);
  EXPECT_THROW(program.set_common_args(id, std::vector<uint32_t>(arch::kL1Bytes / 4 + 1)), DeviceError);
  for (int i = 0; i < 4096; ++i) program.add_semaphore();
  EXPECT_THROW(program.add_semaphore(), DeviceError);
}

TEST(Programs, AKernelWithDataOfItsOwnIsRefusedWithTheReason) {
  const arch::NocCoord cores[] = {{1, 2}};
  const auto refusal = [&](const image::Image& image) -> std::string {
    try {
      Program().add_kernel(arch::Hart::Brisc, image, cores);
    } catch (const DeviceError& error) {
      return error.summary();
    }
    return "accepted";
  };
  image::Image data = kernel();
  data.segments.push_back({.address = 0xFFB00400, .bytes = {1, 2, 3, 4}, .memory_bytes = 4, .writable = true});
  EXPECT_NE(refusal(data).find("has a second segment of 4 bytes at 0xffb00400 (.data or .bss)"), std::string::npos)
      << refusal(data);
  image::Image zeros = kernel();
  zeros.segments[0].memory_bytes += 12;
  EXPECT_NE(refusal(zeros).find("has 12 bytes that begin as zeros (.bss)"), std::string::npos) << refusal(zeros);
  image::Image elsewhere = kernel();
  elsewhere.entry = 0x2000;
  EXPECT_NE(refusal(elsewhere).find("its entry 0x2000 lies outside its code"), std::string::npos) << refusal(elsewhere);
  EXPECT_NE(refusal({}).find("has no code"), std::string::npos) << refusal({});
}

TEST(Buffers, PagesGoRoundTheBanks) {
  FakeChip device;
  Chip chip(device, kQuickBoot);
  const Buffer buffer = chip.allocate(Memory::Dram, 20 * 2048, 2048);
  EXPECT_EQ(buffer.address() % 64, 0u);
  EXPECT_EQ(buffer.page(0).tile, buffer.page(7).tile) << "seven banks";
  EXPECT_EQ(buffer.page(7).address, buffer.page(0).address + 2048);
  EXPECT_EQ(buffer.page(0).tile, arch::dram_bank_tile_for_noc(chip.harvesting(), 0, 0));
  const auto data = pattern(20 * 2048);
  chip.write(buffer, data);
  std::vector<std::byte> back(3000);
  chip.read(buffer, back, 5000);
  EXPECT_TRUE(std::equal(back.begin(), back.end(), data.begin() + 5000));
  EXPECT_EQ(device.at(buffer.page(9).tile, buffer.page(9).address + 5), data[9 * 2048 + 5]);
  EXPECT_THROW(chip.read(buffer, back, 20 * 2048 - 10), DeviceError);
}

TEST(Buffers, OddPagesArePaddedInDramAndGivenBackAtTheEnd) {
  FakeChip device;
  Chip chip(device, kQuickBoot);
  uint32_t address;
  {
    const Buffer buffer = chip.allocate(Memory::Dram, 10 * 1040, 1040);
    address = buffer.address();
    EXPECT_EQ(buffer.page(7).address, address + 1088u);
  }
  EXPECT_EQ(chip.allocate(Memory::Dram, 64, 64).address(), address);
  EXPECT_THROW(chip.allocate(Memory::Dram, 64, 20), DeviceError);
  EXPECT_THROW(chip.allocate(Memory::Dram, 0, 64), DeviceError);
  EXPECT_THROW(chip.allocate(Memory::Dram, 1ull << 40, 64), DeviceError);
  EXPECT_THROW(chip.allocate(Memory::L1, 1ull << 30, 1024), DeviceError);
}

}  // namespace
}  // namespace kerr::host
