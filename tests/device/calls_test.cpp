// Every call of the data movement library, on BRISC by NoC 0 and on NCRISC by NoC 1.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "arch/profiler.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "host/runtime/zones.hpp"
#include "image/elf/reader.hpp"
#include "isa/assembler.hpp"
#include "tests/device/kernels/cases.hpp"

namespace kerr::host {
namespace {

constexpr arch::NocCoord kCore{1, 2}, kOther{3, 5};

class DataMovementCalls : public testing::TestWithParam<arch::Hart> {
 protected:
  using Words = std::vector<uint32_t>;

  const image::Image& image() const {
    static const image::Image brisc = image::read_elf(KERR_KERNEL_test_kernel_calls_brisc);
    static const image::Image ncrisc = image::read_elf(KERR_KERNEL_test_kernel_calls_ncrisc);
    return GetParam() == arch::Hart::Brisc ? brisc : ncrisc;
  }
  // Argument 0 is the case, 1 where results go; `others` follow.
  void add(Program& program, Case which, Words others, Words common = {}) {
    if (result_ == 0) result_ = program.add_l1(256);
    Words args{static_cast<uint32_t>(which), result_};
    args.insert(args.end(), others.begin(), others.end());
    args.resize(11);  // as many as any case reads
    common.resize(16);
    for (uint32_t id : {0u, 3u, 4u}) {
      if (!program.circular_buffers().contains(static_cast<uint8_t>(id)))
        program.add_circular_buffer({.id = static_cast<uint8_t>(id), .pages = 1, .page_bytes = 1088});
    }
    while (program.semaphores().size() < 3) program.add_semaphore();
    const auto kernel = program.add_kernel(GetParam(), image(), {&kCore, 1});
    program.set_args(kernel, kCore, args);
    program.set_common_args(kernel, std::move(common));
  }
  uint32_t result(uint32_t i) { return chip_.io().read32(kCore, result_ + 4 * i); }
  std::vector<std::byte> numbers(size_t bytes, unsigned seed) {
    std::vector<std::byte> all(bytes);
    for (size_t i = 0; i < bytes; ++i) all[i] = static_cast<std::byte>((i * 2654435761u + seed * 977) >> 13);
    return all;
  }
  std::vector<std::byte> memory(arch::NocCoord core, uint32_t address, size_t bytes) {
    std::vector<std::byte> all(bytes);
    chip_.io().read(core, address, all);
    return all;
  }

  EmulatedDevice device_;
  Chip chip_{device_};
  uint32_t result_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Harts, DataMovementCalls, testing::Values(arch::Hart::Brisc, arch::Hart::Ncrisc),
                         [](const auto& p) { return arch::kHartNames[static_cast<size_t>(p.param)]; });

TEST_P(DataMovementCalls, TellWhereTheyAre) {
  Program program("position");
  add(program, Case::WhoAmI, {});
  chip_.run(program);
  EXPECT_EQ(result(0), kCore.x);
  EXPECT_EQ(result(1), kCore.y);
  EXPECT_EQ(result(2), 0u) << "the first column and row of workers";
  EXPECT_EQ(result(3), 0u);
  EXPECT_EQ(result(4), GetParam() == arch::Hart::Brisc ? 0u : 1u);
  EXPECT_EQ(result(5), chip_.dram_banks());
  EXPECT_EQ(result(6), chip_.tiles().size());
}

TEST_P(DataMovementCalls, ReadAnyNumberOfBytes) {
  constexpr uint32_t kBytes = 40000;
  for (uint32_t way = 0; way < 6; ++way) {
    Program program("reads");
    result_ = 0;
    const uint32_t from = program.add_l1(kBytes, 64), to = program.add_l1(kBytes, 64);
    add(program, Case::Reads, {kOther.x, kOther.y, from, to, way});
    const auto bytes = numbers(kBytes, way);
    chip_.io().write(kOther, from, bytes);
    chip_.run(program);
    EXPECT_EQ(memory(kCore, to, kBytes), bytes) << way;
  }
}

TEST_P(DataMovementCalls, WriteAnyNumberOfBytes) {
  constexpr uint32_t kBytes = 40000;
  for (uint32_t way = 0; way < 6; ++way) {
    Program program("writes");
    result_ = 0;
    const uint32_t from = program.add_l1(kBytes, 64), to = program.add_l1(kBytes, 64);
    add(program, Case::Writes, {kOther.x, kOther.y, from, to, way});
    const auto bytes = numbers(kBytes, 100 + way);
    chip_.io().write(kCore, from, bytes);
    chip_.run(program);
    EXPECT_EQ(memory(kOther, to, kBytes), bytes) << way;
  }
}

TEST_P(DataMovementCalls, FindPagesInAllBanks) {
  for (const Memory where : {Memory::Dram, Memory::L1}) {
    for (uint32_t way = 0; way < 6; ++way) {
      // 96 bytes are no multiple of what pages are aligned to in DRAM; powers of two need one.
      const uint32_t page_bytes = way == 2 ? 128 : way == 4 ? 128 : 96, pages = way == 5 ? 7 : 131;
      Program program("pages");
      result_ = 0;
      const uint32_t l1 = program.add_l1(256, 64);
      const Buffer from = chip_.allocate(where, pages * page_bytes, page_bytes);
      const Buffer to = chip_.allocate(where, pages * page_bytes, page_bytes);
      const auto bytes = numbers(pages * page_bytes, way);
      chip_.write(from, bytes);
      chip_.write(to, std::vector<std::byte>(bytes.size()));
      add(program, where == Memory::Dram ? Case::DramGenerators : Case::L1Generators,
          {0, 0, static_cast<uint32_t>(from.address()), static_cast<uint32_t>(to.address()), l1, pages, page_bytes,
           way});
      chip_.run(program);
      std::vector<std::byte> copied(bytes.size());
      chip_.read(to, copied);
      EXPECT_EQ(copied, bytes) << way << (where == Memory::Dram ? " DRAM" : " L1");
    }
  }
}

TEST_P(DataMovementCalls, FindPagesOfATensorInShards) {
  Program program("shards");
  const uint32_t base = 0x20000, bytes = 64;
  add(program, Case::Shards, {0, 0, base, bytes}, {2, 3, 5, 7, 2, 3, 0x04030302, 0x0203});
  chip_.run(program);
  constexpr uint32_t kTiles[] = {2 << 6 | 3, 3 << 6 | 4, 3 << 6 | 2};  // y << 6 | x
  for (uint32_t page = 0; page < 35; ++page) {
    const uint32_t row = page / 7, column = page % 7;
    const uint32_t shard = row / 2 * 3 + column / 3, within = row % 2 * 3 + column % 3;
    EXPECT_EQ(result(page), kTiles[shard % 3] << 20 | ((shard / 3 * 6 + within) * bytes + 4)) << page;
  }
  EXPECT_EQ(result(35), 35u) << "the same from common arguments";
  EXPECT_EQ(result(36), 8u) << "how many of them";
  EXPECT_EQ(result(37), 6 * bytes) << "the second shard of the first tile";
  EXPECT_EQ(result(38), 6u);
  EXPECT_EQ(result(39), 38u) << "all pages, and three of them";
  EXPECT_EQ(result(40), 1u) << "several tensors at once";
}

TEST_P(DataMovementCalls, MulticastToARectangle) {
  constexpr uint32_t kBytes = 40000;
  // The rectangle of columns 1, 2 and rows 2 to 4 holds the sender.
  const bool first_noc = GetParam() == arch::Hart::Brisc;
  for (uint32_t way = 0; way < 7; ++way) {
    Program program("multicast");
    result_ = 0;
    const uint32_t from = program.add_l1(kBytes + 64, 64), to = program.add_l1(kBytes + 64, 64);
    const bool own = way == 1 || way == 4;
    const uint32_t size = way == 2 ? 16384 : way == 3 || way == 4 ? 4 : way == 6 ? 1024 : kBytes;
    std::vector<uint32_t> args = first_noc ? std::vector<uint32_t>{1, 2, 2, 4} : std::vector<uint32_t>{2, 4, 1, 2};
    args.insert(args.end(), {from, to, size, own ? 6u : 5u, way});
    add(program, Case::Multicasts, args);
    const auto bytes = numbers(kBytes + 64, 200 + way);
    const std::vector<std::byte> zeros(kBytes + 64);
    chip_.io().write(kCore, from, bytes);
    for (uint8_t x = 1; x <= 2; ++x)
      for (uint8_t y = 2; y <= 4; ++y) chip_.io().write({x, y}, to, zeros);
    chip_.run(program);
    for (uint8_t x = 1; x <= 2; ++x) {
      for (uint8_t y = 2; y <= 4; ++y) {
        const arch::NocCoord core{x, y};
        std::vector<std::byte> expected = zeros;
        if (core != kCore || own) {
          if (way == 5) {
            expected[0] = std::byte{5};
          } else {
            std::copy_n(bytes.begin(), size, expected.begin());
          }
          if (way == 6) std::copy_n(bytes.begin() + 16, 4, expected.begin() + 1024);
        }
        EXPECT_EQ(memory(core, to, kBytes + 64), expected) << way << " (" << int{x} << "," << int{y} << ")";
      }
    }
  }
}

TEST_P(DataMovementCalls, SetAndIncrementSemaphores) {
  Program program("semaphores");
  for (uint32_t initial : {41u, 10u, 0u}) program.add_semaphore(initial);
  add(program, Case::Semaphores, {kOther.x, kOther.y});
  // The other core is of the program, so that its semaphores are set.
  isa::Assembler a;
  a.ret();
  program.add_kernel(GetParam(), image::Image::from(a.finish(), "idle"), {&kOther, 1});
  chip_.run(program);
  EXPECT_EQ(result(0), 41u);
  EXPECT_EQ(result(1), 9u);
  const LaunchPlan plan = plan_launch(program);
  const uint32_t base = plan.groups[0].launch.kernel_config_base[0] + plan.groups[0].launch.sem_offset[0];
  EXPECT_EQ(chip_.io().read32(kOther, base + 16), 17u);
  EXPECT_EQ(chip_.io().read32(kOther, base + 32), 7u);
}

TEST_P(DataMovementCalls, WriteWordsInline) {
  Program program("inline");
  const uint32_t to = program.add_l1(64, 64), scratch = program.add_l1(16);
  add(program, Case::InlineWrites, {kOther.x, kOther.y, to, scratch});
  chip_.run(program);
  for (uint32_t i = 0; i < 6; ++i) EXPECT_EQ(chip_.io().read32(kOther, to + 4 * i), 100 + i);
  EXPECT_EQ(result(0), 77u) << "a register";
}

TEST_P(DataMovementCalls, CountPagesOfCircularBuffers) {
  Program program("buffers");
  program.add_circular_buffer({.id = 3, .pages = 4, .page_bytes = 1024});
  program.add_circular_buffer({.id = 4, .pages = 1, .page_bytes = 1088});
  add(program, Case::Buffers, {});
  chip_.run(program);
  const uint32_t expected[] = {1, 0, 0, 2048, 2048, 1024, 4, 1088, 6, 1};
  for (uint32_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(result(i), expected[i]) << i;
}

TEST_P(DataMovementCalls, AreCompiledWithALibrary) {
  Program program("library");
  add(program, Case::Library, {});
  clear_zones(chip_.io(), {&kCore, 1});
  chip_.run(program);
  const Zones zones = read_zones(chip_.io(), {&kCore, 1});
  ASSERT_EQ(zones.all.size(), 1u);
  EXPECT_EQ(zones.all[0].id, arch::profiler::zone_id("zone"));
  EXPECT_EQ(zones.all[0].hart, GetParam());
  EXPECT_LT(zones.all[0].begin_cycles, zones.all[0].end_cycles);
  EXPECT_EQ(result(0), 7u);
  EXPECT_EQ(result(1), 4u | 1 << 8 | 3 << 16);
  EXPECT_EQ(result(2), static_cast<uint32_t>(1234567890123456789ull / 1000000007u));
  EXPECT_EQ(result(3), std::bit_cast<uint32_t>(2.5f));
  EXPECT_EQ(result(4), 14u) << "a table of jumps";
}

}  // namespace
}  // namespace kerr::host
