#include "host/device/emulated_device.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "arch/tile_registers.hpp"
#include "host/device/pinned_memory.hpp"
#include "host/runtime/chip.hpp"
#include "host/runtime/cq/command_queue.hpp"

namespace kerr::host {
namespace {

constexpr arch::NocCoord kTile{1, 2};

// One segment of RV32 words.
image::Image code(const std::string& name, std::initializer_list<uint32_t> words) {
  image::Image image;
  image.name = name;
  image.entry = 0x1000;
  image::Segment segment{.address = 0x1000, .load_address = 0x1000};
  for (uint32_t word : words) {
    for (int shift = 0; shift < 32; shift += 8) segment.bytes.push_back(static_cast<uint8_t>(word >> shift));
  }
  segment.memory_bytes = static_cast<uint32_t>(segment.bytes.size());
  image.segments.push_back(segment);
  return image;
}

constexpr std::initializer_list<uint32_t> kAddToWord = {
    0x0005'2283,  // lw   t0, 0(a0)      address
    0x0045'2303,  // lw   t1, 4(a0)      what to add
    0x0002'A383,  // lw   t2, 0(t0)
    0x0063'83B3,  // add  t2, t2, t1
    0x0072'A023,  // sw   t2, 0(t0)
    0x0000'8067,  // ret
};
constexpr std::initializer_list<uint32_t> kSpin = {
    0x0012'8293,  // addi t0, t0, 1      a loop that counts is never parked
    0xFFDF'F06F,  // j    -4
};
constexpr std::initializer_list<uint32_t> kPollForEver = {
    0x0000'2283,  // lw   t0, 0(zero)    the boot jump, which nobody changes
    0xFE02'9EE3,  // bnez t0, -4
};
constexpr std::initializer_list<uint32_t> kStoreToNowhere = {
    0xFF00'02B7,  // lui  t0, 0xFF000    nothing is there
    0x0002'A023,  // sw   zero, 0(t0)
    0x0000'8067,  // ret
};

Program on(std::span<const arch::NocCoord> cores, image::Image image) {
  Program program(image.name);
  program.add_kernel(arch::Hart::Ncrisc, std::move(image), cores);
  return program;
}

TEST(EmulatedDevice, IdleFirmwareIsQuiescentAndNoError) {
  EmulatedDevice device;
  Chip chip(device);
  EXPECT_EQ(device.wait([] { return false; }, Deadline::milliseconds(1000)), WaitResult::Quiescent);
  const DeviceStatus status = device.status();
  EXPECT_EQ(status.state, DeviceStatus::State::Quiescent);
  EXPECT_NE(status.report.find("BRISC"), std::string::npos);
  EXPECT_EQ(status.waiting.size(), 120u * arch::kHarts);
  EXPECT_EQ(status.waiting[0].tile, kTile);
  EXPECT_EQ(status.waiting[0].hart, 0);
}

constexpr std::initializer_list<uint32_t> kStrayBits = {
    0x3C00'0006,  // SFPNOP ; stray 0x1
    0x3C00'0006,
    0x0000'8067,  // ret
};

Program with_stray_bits(std::span<const arch::NocCoord> cores) {
  Program program("odd");
  program.add_kernel(arch::Hart::Trisc1, code("odd", kStrayBits), cores);
  return program;
}

TEST(EmulatedDevice, TellsOnceWhatSiliconTakesNoNoticeOfAndOnHowManyTiles) {
  EmulatedDevice device;
  Chip chip(device);
  const arch::NocCoord cores[] = {kTile, {2, 2}, {3, 4}};
  chip.run(with_stray_bits(cores));
  const DeviceStatus status = device.status();
  ASSERT_EQ(status.remarks.size(), 1u);
  EXPECT_NE(status.remarks[0].find("SFPNOP ; stray 0x1 (0x8f000001): operand bits 0x000001 of SFPNOP have no meaning"),
            std::string::npos)
      << status.remarks[0];
  EXPECT_NE(status.remarks[0].find("6 times on 3 tiles"), std::string::npos) << status.remarks[0];
  EXPECT_NE(status.report.find(status.remarks[0]), std::string::npos);
}

TEST(EmulatedDevice, IsStrictIfAsked) {
  EmulatedDevice device({.chip = {.strict = true}});
  Chip chip(device);
  const arch::NocCoord cores[] = {kTile};
  try {
    chip.run(with_stray_bits(cores));
    ADD_FAILURE() << "no fault";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.category(), Category::UndefinedBehavior);
    EXPECT_NE(error.report().find("have no meaning"), std::string::npos) << error.report();
  }
}

TEST(EmulatedDevice, ASpinnerEndsByTheDeadlineInCycles) {
  EmulatedDevice device;
  Chip chip(device);
  const arch::NocCoord core[] = {kTile};
  const uint64_t before = device.cycles();
  try {
    chip.run(on(core, code("spin", kSpin)), {100'000, {}});
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.category(), Category::Timeout);
    EXPECT_NE(error.report().find("NCRISC  kernel 'spin' goes round for ever, pc 0x"), std::string::npos)
        << error.report();
  }
  EXPECT_GE(device.cycles() - before, 100'000u);
  EXPECT_LT(device.cycles() - before, 110'000u);
}

TEST(EmulatedDevice, AFaultOfAKernelIsAnErrorAndMemoryStaysReadable) {
  EmulatedDevice device;
  Chip chip(device);
  const arch::NocCoord core[] = {kTile};
  try {
    chip.run(on(core, code("wild", kStoreToNowhere)));
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_NE(error.category(), Category::Timeout);
    EXPECT_NE(error.report().find("NCRISC"), std::string::npos) << error.report();
  }
  EXPECT_EQ(device.status().state, DeviceStatus::State::Faulted);
  EXPECT_EQ(chip.io().read32(kTile, 0), 0x0410306Fu);
  EXPECT_THROW(chip.run(on(core, code("again", kAddToWord))), DeviceError);
}

TEST(EmulatedDevice, ANewChipOnAFaultedDeviceIsRefusedNotHung) {
  EmulatedDevice device;
  const arch::NocCoord core[] = {kTile};
  {
    Chip chip(device);
    EXPECT_THROW(chip.run(on(core, code("wild", kStoreToNowhere))), DeviceError);
  }
  EXPECT_THROW(Chip{device}, DeviceError);
}

TEST(EmulatedDevice, AfterADeadlockANewChipWorksOnTheSameDevice) {
  EmulatedDevice device;
  const arch::NocCoord core[] = {kTile};
  for (int round = 0; round < 2; ++round) {
    Chip chip(device);
    CommandQueue queue(chip);
    queue.enqueue(on(chip.workers(), code("fine", {0x0000'8067})));
    queue.finish();
    queue.enqueue(on(core, code("stuck", kPollForEver)));
    EXPECT_THROW(queue.finish(), DeviceError);
    EXPECT_THROW(chip.run(on(core, code("more", {0x0000'8067}))), DeviceError) << "the core is busy";
  }
}

TEST(EmulatedDevice, AccessesThatCannotBeDoneAreErrorsOfTheCaller) {
  EmulatedDevice device;
  NocIo io(device);
  std::byte bytes[3];
  EXPECT_THROW(io.read(kTile, arch::kSoftReset0, bytes), DeviceError) << "registers are four bytes";
  EXPECT_THROW(io.read32({8, 6}, 0), DeviceError) << "a router";
  EXPECT_THROW(device.read(Bar::k2, 1 << 20, bytes), DeviceError);
  PinnedMemory memory(device, 4096);
  EXPECT_THROW(io.read32({19, 24}, memory.noc_address() + 4096), DeviceError) << "not pinned";
  memory.store(12, 0x1234);
  EXPECT_EQ(io.read32({19, 24}, memory.noc_address() + 12), 0x1234u);
}

TEST(EmulatedDevice, TwoThreadsShareOneQueue) {
  EmulatedDevice device;
  Chip chip(device);
  const auto workers = chip.workers();
  constexpr uint32_t kWord = 0x150000;
  for (arch::NocCoord core : workers) chip.io().write32(core, kWord, 0);
  CommandQueue queue(chip);
  auto work = [&](uint32_t amount) {
    Program program("add");
    const auto kernel = program.add_kernel(arch::Hart::Ncrisc, code("add", kAddToWord), workers);
    for (arch::NocCoord core : workers) program.set_args(kernel, core, {kWord, amount});
    for (int i = 0; i < 10; ++i) {
      queue.enqueue(program);
      queue.wait(queue.record_event());
    }
  };
  std::thread other([&] { work(1); });
  work(1000);
  other.join();
  for (arch::NocCoord core : workers) EXPECT_EQ(chip.io().read32(core, kWord), 10'010u);
}

TEST(EmulatedDevice, DispatchSSendsTheGoWordsWhenItIsAskedTo) {
  EmulatedDevice device;
  Chip chip(device);
  for (int round = 0; round < 2; ++round) {
    CommandQueue queue(chip, {.subordinate = true});
    Program program("add");
    const auto kernel = program.add_kernel(arch::Hart::Ncrisc, code("add", kAddToWord), chip.workers());
    for (arch::NocCoord core : chip.workers()) {
      chip.io().write32(core, 0x150000, 0);
      program.set_args(kernel, core, {0x150000, core.packed()});
    }
    for (int i = 0; i < 5; ++i) queue.enqueue(program);
    EXPECT_EQ(queue.finish().size(), 5u);
    for (arch::NocCoord core : chip.workers()) EXPECT_EQ(chip.io().read32(core, 0x150000), 5 * core.packed());
  }
}

TEST(EmulatedDevice, TheSameRunHasTheSameCyclesAndState) {
  auto run = [](EmulatedOptions options) {
    EmulatedDevice device(options);
    Chip chip(device);
    CommandQueue queue(chip);
    for (arch::NocCoord core : chip.workers()) chip.io().write32(core, 0x150000, 3);
    Program program("add");
    const auto kernel = program.add_kernel(arch::Hart::Ncrisc, code("add", kAddToWord), chip.workers());
    for (arch::NocCoord core : chip.workers()) program.set_args(kernel, core, {0x150000, core.packed()});
    for (int i = 0; i < 3; ++i) queue.enqueue(program);
    queue.finish();
    return std::pair(device.cycles(), device.state_hash());
  };
  const auto reference = run({});
  EXPECT_EQ(run({}), reference);
  EXPECT_EQ(run({.chip = {.shards = 2}}), reference);
}

uint64_t resident_bytes() {
  uint64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

TEST(EmulatedDevice, ADevicesDestructionReturnsItsMemory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer keeps what was freed for a while";
#endif
  const auto boot = [] {
    EmulatedDevice device;
    Chip chip(device);
    const Buffer buffer = chip.allocate(Memory::Dram, 32 << 20, 4096);
    chip.write(buffer, std::vector<std::byte>(buffer.bytes(), std::byte{1}));
  };
  for (int i = 0; i < 3; ++i) boot();
  const uint64_t before = resident_bytes();
  for (int i = 0; i < 8; ++i) boot();
  EXPECT_LT(resident_bytes(), before + (8 << 20));  // of eight times 50 MiB
}

TEST(EmulatedDevice, SeveralInOneProcessDoNotSeeEachOther) {
  const auto value = [](Chip& chip, const Buffer& buffer) {
    std::vector<std::byte> bytes(buffer.bytes());
    chip.read(buffer, bytes);
    return bytes;
  };
  EmulatedDevice alone;
  const Chip booted(alone);
  std::vector<std::unique_ptr<EmulatedDevice>> devices;
  std::vector<std::unique_ptr<Chip>> chips;
  std::vector<Buffer> buffers;
  for (uint8_t i = 0; i < 3; ++i) {
    devices.push_back(std::make_unique<EmulatedDevice>());
    chips.push_back(std::make_unique<Chip>(*devices.back()));
    EXPECT_EQ(devices.back()->cycles(), alone.cycles());
    EXPECT_EQ(devices.back()->state_hash(), alone.state_hash());
    buffers.push_back(chips.back()->allocate(Memory::Dram, 4096, 1024));
    chips.back()->write(buffers.back(), std::vector<std::byte>(4096, std::byte{i}));
  }
  for (uint8_t i = 0; i < 3; ++i) EXPECT_EQ(value(*chips[i], buffers[i]), std::vector<std::byte>(4096, std::byte{i}));
}

// A program adds to a word of each chip; both hosts number what they note from 1 on.
TEST(EmulatedDevice, ChipsOfOneMachineAreDevicesBesideEachOther) {
  EmulatedDevice first({.chip = {.boards = {arch::kP100a, arch::kP150}}, .late_writes = 7});
  EmulatedDevice second(first, 1);
  EXPECT_EQ(first.name(), "emulated p100a");
  EXPECT_EQ(second.name(), "emulated p150");
  std::vector<std::pair<int, std::string>> launches;
  first.hear_notes([&](const arch::note::Note& note) {
    if (const auto* launch = std::get_if<arch::note::Launched>(&note))
      launches.emplace_back(launch->chip, launch->program);
  });
  Chip a(first), b(second);
  const arch::NocCoord core[] = {kTile};
  const auto add = [&](Chip& chip, uint32_t much) {
    Program program("add " + std::to_string(much));
    const uint32_t word = program.add_l1(16);
    const auto kernel = program.add_kernel(arch::Hart::Ncrisc, code("add", kAddToWord), core);
    program.set_args(kernel, kTile, {word, much});
    chip.io().write32(kTile, word, 40);
    chip.run(program);
    return chip.io().read32(kTile, word);
  };
  const uint64_t before = first.cycles();
  EXPECT_EQ(add(a, 1), 41u);
  EXPECT_EQ(add(b, 2), 42u);
  EXPECT_EQ(launches, (std::vector<std::pair<int, std::string>>{{0, "add 1"}, {1, "add 2"}}));
  EXPECT_GT(first.cycles(), before);
  EXPECT_EQ(first.cycles(), second.cycles());
  CommandQueue queue(b);  // with what the device and the host tell each other in pinned memory
  queue.enqueue(on(core, code("nothing", {0x0000'8067})));
  queue.finish();
}

TEST(EmulatedDevice, AFaultOfAChipStopsAllAndIsItsOwn) {
  EmulatedDevice first({.chip = {.boards = {arch::kP100a, arch::kP100a}}});
  EmulatedDevice second(first, 1);
  Chip a(first), b(second);
  const arch::NocCoord core[] = {kTile};
  EXPECT_THROW(b.run(on(core, code("wild", kStoreToNowhere))), DeviceError);
  EXPECT_EQ(second.status().faults.size(), 1u);
  EXPECT_EQ(first.status().state, DeviceStatus::State::Faulted);
  EXPECT_TRUE(first.status().faults.empty());
  EXPECT_NE(first.status().report.find("chip 1 tile raw (1,2) NCRISC"), std::string::npos) << first.status().report;
}

TEST(EmulatedDevice, AChipThatTheMachineHasNotIsRefused) {
  const EmulatedDevice one;
  for (const int chip : {-1, 1}) {
    try {
      const EmulatedDevice other(one, chip);
      FAIL();
    } catch (const DeviceError& error) {
      EXPECT_NE(error.summary().find("the machine has 1 chip"), std::string::npos) << error.summary();
    }
  }
}

TEST(EmulatedDevice, AnImpossibleBoardIsRefused) {
  arch::Board board = arch::kP100a;
  board.harvesting.dram_banks = 0x0F;
  EXPECT_THROW(EmulatedDevice({.chip = {.boards = {board}}}), DeviceError);
}

}  // namespace
}  // namespace kerr::host
