// The host stack tells an observer of the emulator of names, regions and launches.
#include "host/runtime/notes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "emu/machine/machine.hpp"
#include "emu/observe/observer.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "isa/assembler.hpp"

namespace kerr::host {
namespace {

namespace note = arch::note;

struct Notes final : emu::Observer {
  std::vector<note::Note> all;
  std::vector<emu::Cycle> cycles;

  void noted(const note::Note& n, emu::Cycle cycle) override {
    all.push_back(n);
    cycles.push_back(cycle);
  }
  template <class Kind>
  std::vector<Kind> of() const {
    std::vector<Kind> some;
    for (const note::Note& n : all)
      if (const auto* one = std::get_if<Kind>(&n)) some.push_back(*one);
    return some;
  }
};

// Returns at once.
image::Image kernel(const std::string& name) {
  isa::Assembler a;
  a.ret();
  return image::Image::from(a.finish(0x1000), name);
}

const arch::NocCoord kCores[] = {{1, 2}, {2, 2}};

Program program() {
  Program p("sum");
  const auto reader = p.add_kernel(arch::Hart::Ncrisc, kernel("reader"), kCores);
  p.add_kernel(arch::Hart::Brisc, kernel("writer"), std::span(kCores, 1));
  p.set_args(reader, kCores[0], {1, 2, 3});
  p.set_common_args(reader, {7});
  p.add_circular_buffer({.id = 3, .pages = 4, .page_bytes = 2048});
  p.add_semaphore(5);
  return p;
}

struct SaidByTheHost : ::testing::Test {
  Notes notes;
  EmulatedDevice device{{.chip = {.observer = &notes}}};
  Chip chip{device};
};

TEST_F(SaidByTheHost, ABootNamesTheFirmwareAndWhereItLies) {
  const auto boots = notes.of<note::Booted>();
  ASSERT_EQ(boots.size(), 1u);
  EXPECT_EQ(boots[0].tiles.size(), chip.tiles().size());
  EXPECT_EQ(boots[0].firmware[0].address, chip.layout().firmware_base[0]);
  for (const note::Code& code : boots[0].firmware) EXPECT_NE(code.image, nullptr);
}

TEST_F(SaidByTheHost, ABufferIsToldFromItsAllocationToItsEnd) {
  {
    const Buffer buffer = chip.allocate(Memory::Dram, 10 * 2048, 2048);
    chip.name(buffer, "A");
    const Buffer copy = buffer;
    const Buffer shards = chip.allocate_sharded(Memory::L1, 4 * 64, 64, kCores);
    const auto made = notes.of<note::Allocated>();
    ASSERT_EQ(made.size(), 2u);
    EXPECT_EQ(made[0].id, buffer.id());
    EXPECT_EQ(made[0].space, note::Allocated::Space::Dram);
    EXPECT_EQ(made[0].address, buffer.address());
    EXPECT_EQ(made[0].banks.size(), chip.dram_banks());
    EXPECT_EQ(made[0].bytes, 10u * 2048);
    EXPECT_EQ(made[0].per_bank, (10 + chip.dram_banks() - 1) / chip.dram_banks() * 2048);
    EXPECT_EQ(made[1].space, note::Allocated::Space::L1);
    EXPECT_EQ(made[1].per_bank, 2u * 64);
    EXPECT_EQ(made[1].pages_per_shard, 2u);
    ASSERT_EQ(notes.of<note::Named>().size(), 1u);
    EXPECT_EQ(notes.of<note::Named>()[0].id, buffer.id());
    EXPECT_TRUE(notes.of<note::Freed>().empty());
  }
  EXPECT_EQ(notes.of<note::Freed>().size(), 2u);
}

void expect_launch_of_program(const note::Launched& launch) {
  EXPECT_EQ(launch.program, "sum");
  ASSERT_EQ(launch.groups.size(), 2u);
  ASSERT_EQ(launch.circular_buffers.size(), 1u);
  EXPECT_EQ(launch.circular_buffers[0].id, 3);
  EXPECT_EQ(launch.circular_buffers[0].bytes, 4u * 2048);
  EXPECT_GE(launch.circular_buffers[0].address, launch.l1_begin);
  EXPECT_LE(launch.circular_buffers[0].address + launch.circular_buffers[0].bytes, launch.l1_end);
  ASSERT_EQ(launch.semaphores.size(), 1u);
  EXPECT_EQ(launch.semaphores[0].initial, 5u);
  EXPECT_GE(launch.semaphores[0].address, launch.config_begin);
  EXPECT_LT(launch.semaphores[0].address, launch.config_end);
  size_t kernels = 0;
  for (const note::Launched::Group& group : launch.groups) {
    ASSERT_EQ(group.cores.size(), 1u);
    EXPECT_EQ(group.slots.size(), 1u);
    kernels += group.kernels.size();
    for (const note::Launched::Kernel& k : group.kernels) {
      EXPECT_EQ(k.code.name, k.hart == arch::Hart::Brisc ? "writer" : "reader");
      EXPECT_GE(k.code.address, launch.config_begin);
      EXPECT_LE(k.code.address + k.code.bytes, launch.config_end);
      EXPECT_EQ(k.code.image_address, 0x1000u);
      if (k.hart != arch::Hart::Ncrisc) continue;
      EXPECT_EQ(k.common_args_words, 1u);
      EXPECT_EQ(k.args_words, std::vector<uint32_t>{group.cores[0] == kCores[0] ? 3u : 0u});
    }
  }
  EXPECT_EQ(kernels, 3u);
}

TEST_F(SaidByTheHost, ARunIsALaunchAndItsEnd) {
  chip.run(program());
  const auto launches = notes.of<note::Launched>();
  const auto ends = notes.of<note::Ended>();
  ASSERT_EQ(launches.size(), 1u);
  expect_launch_of_program(launches[0]);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].id, launches[0].id);
  EXPECT_TRUE(std::holds_alternative<note::Ended>(notes.all.back()));
  EXPECT_LT(*(notes.cycles.end() - 2), notes.cycles.back());
  // Arguments, semaphores and code are where it says.
  const note::Launched::Kernel& reader =
      *std::ranges::find(launches[0].groups[0].kernels, arch::Hart::Ncrisc, &note::Launched::Kernel::hart);
  EXPECT_EQ(chip.io().read32(kCores[0], reader.args_address + 8), 3u);
  EXPECT_EQ(chip.io().read32(kCores[0], reader.common_args_address), 7u);
  EXPECT_EQ(chip.io().read32(kCores[0], launches[0].semaphores[0].address), 5u);
  EXPECT_EQ(chip.io().read32(kCores[0], reader.code.address), *reader.code.image->word_at(0x1000));
}

TEST_F(SaidByTheHost, AQueueSaysEachLaunchAndWhatHasEndedWhenItKnows) {
  CommandQueue queue(chip);
  const auto own = notes.of<note::Launched>();
  ASSERT_EQ(own.size(), 1u);
  EXPECT_EQ(own[0].program, "command queue");
  ASSERT_EQ(own[0].groups.size(), 2u);
  const note::Code& dispatcher = own[0].groups[0].kernels.at(0).code;
  EXPECT_EQ(chip.io().read32(chip.dispatch_pair().dispatch, dispatcher.address),
            *dispatcher.image->word_at(dispatcher.image_address));
  notes.all.clear();
  const Program p = program();
  queue.enqueue(p);
  queue.enqueue(p);
  const auto launches = notes.of<note::Launched>();
  ASSERT_EQ(launches.size(), 2u);
  for (const note::Launched& launch : launches) expect_launch_of_program(launch);
  EXPECT_NE(launches[0].config_begin, launches[1].config_begin) << "each in its half of the area";
  EXPECT_NE(launches[0].groups[0].slots, launches[1].groups[0].slots);
  queue.finish();
  const auto ends = notes.of<note::Ended>();
  ASSERT_EQ(ends.size(), 2u);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(ends[i].id, launches[i].id);
}

TEST_F(SaidByTheHost, ATraceIsToldWhenItIsReplayed) {
  CommandQueue queue(chip);
  notes.all.clear();
  queue.begin_trace();
  queue.enqueue(program());
  const Trace trace = queue.end_trace();
  EXPECT_TRUE(notes.of<note::Launched>().empty());
  queue.replay(trace);
  queue.replay(trace);
  queue.finish();
  const auto launches = notes.of<note::Launched>();
  ASSERT_EQ(launches.size(), 2u);
  expect_launch_of_program(launches[1]);
  EXPECT_NE(launches[0].id, launches[1].id);
  EXPECT_EQ(notes.of<note::Ended>().size(), 2u);
}

TEST(UnwatchedDevice, WantsNoNotes) {
  EmulatedDevice device;
  EXPECT_FALSE(device.wants_notes());
  Chip chip(device);
  EXPECT_EQ(chip.allocate(Memory::Dram, 64, 64).id(), 0u);
}

}  // namespace
}  // namespace kerr::host
