// Any harvesting, one queue and two: which tiles are taken, and that every other one runs programs.
// docs/hardware/fast-dispatch.md 1.1, 18 (mismatch 4)
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "arch/kernel_abi.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "isa/assembler.hpp"

namespace kerr::host {
namespace {

using namespace isa::reg;

constexpr uint32_t kWord = 0x150000;

struct Part {
  const char* name;
  uint16_t columns;
  uint8_t dram;
};
constexpr Part kParts[] = {
    {"p100a", 0x3EF7, 0xF7},    {"p150_of_12_columns", 0x2FFB, 0xFF}, {"p150_of_13_columns", 0x3FFE, 0xFF},
    {"p150", 0x3FFF, 0xFF},     {"13_columns_7_banks", 0x1FFF, 0x7F}, {"11_columns", 0x3F1F, 0xEF},
    {"7_columns", 0x1553, 0xFE}};

arch::Board board_of(const Part& part) {
  arch::Board board = arch::kP150;
  board.harvesting.tensix_columns = part.columns;
  board.harvesting.dram_banks = part.dram;
  return board;
}

// Stores what the firmware's tables say at kWord: the tile's own place, a DRAM bank's tile and an L1 bank's.
image::Image witness(const arch::KernelAbi& abi, uint32_t dram_bank, uint32_t l1_bank) {
  isa::Assembler a;
  a.li(t0, kWord);
  a.sw(a5, t0, 0);
  a.li(t1, abi.dram_xy + 2 * dram_bank);
  a.lhu(t2, t1, 0);
  a.sw(t2, t0, 4);
  a.li(t1, abi.l1_xy + 2 * l1_bank);
  a.lhu(t2, t1, 0);
  a.sw(t2, t0, 8);
  a.li(t1, abi.sem_base);
  a.lw(t2, t1, 0);
  a.lw(t2, t2, 0);  // the semaphore's initial value
  a.sw(t2, t0, 12);
  a.ret();
  return image::Image::from(a.finish(0x1000), "witness");
}

class HarvestedBoard : public testing::TestWithParam<Part> {};

TEST_P(HarvestedBoard, RunsProgramsOnEveryTileThatNoQueueTakes) {
  const arch::Board board = board_of(GetParam());
  const int columns = arch::good_tensix_columns(board.harvesting);
  for (const uint32_t queues : {1u, 2u}) {
    EmulatedDevice device({.chip = {.boards = {board}}});
    Chip chip(device, {.queues = queues});
    const uint32_t dram = chip.dram_banks(), l1 = chip.layout().l1_banks;
    ASSERT_EQ(chip.tiles().size(), static_cast<size_t>(10 * columns));
    ASSERT_EQ(chip.workers().size(), chip.tiles().size() - 2 * queues);
    std::vector<std::unique_ptr<CommandQueue>> all;
    for (uint32_t i = 0; i < queues; ++i) {
      const arch::DispatchPair pair = chip.dispatch_pair(i);
      EXPECT_EQ(pair.prefetch.x, arch::translated_columns(board.harvesting).back());
      EXPECT_EQ(pair.prefetch.y, 2 + 2 * i);
      EXPECT_EQ(pair.dispatch, (arch::NocCoord{pair.prefetch.x, static_cast<uint8_t>(pair.prefetch.y + 1)}));
      all.push_back(std::make_unique<CommandQueue>(chip, QueueOptions{.index = i}));
    }
    for (uint32_t i = 0; i < queues; ++i) {
      Program program("witness");
      program.add_semaphore(77 + i);
      for (const arch::Hart hart : {arch::Hart::Brisc, arch::Hart::Ncrisc}) {
        const auto cores = hart == arch::Hart::Brisc ? chip.workers().subspan(0, chip.workers().size() / 2)
                                                     : chip.workers().subspan(chip.workers().size() / 2);
        program.add_kernel(hart, witness(arch::kernel_abi(chip.layout(), hart), dram - 1, l1 - 1), cores);
      }
      all[i]->enqueue(program);
      all[i]->finish();
      for (arch::NocCoord core : chip.workers()) {
        EXPECT_EQ(chip.io().read32(core, kWord), core.packed());
        EXPECT_EQ(chip.io().read32(core, kWord + 8),
                  arch::l1_bank_tile(board.harvesting, static_cast<int>(l1) - 1).packed());
        EXPECT_EQ(chip.io().read32(core, kWord + 12), 77 + i) << core.x << ',' << core.y;
      }
      EXPECT_EQ(chip.io().read32(chip.workers().front(), kWord + 4),
                arch::dram_bank_tile_for_noc(board.harvesting, static_cast<int>(dram) - 1, 0).packed());
    }
    // A transfer to every bank of both kinds.
    for (const Memory memory : {Memory::Dram, Memory::L1}) {
      const Buffer buffer = chip.allocate(memory, 300 * 1024, 1024);
      std::vector<std::byte> bytes(buffer.bytes()), back(buffer.bytes());
      for (size_t n = 0; n < bytes.size(); ++n) bytes[n] = static_cast<std::byte>(n * 7 + n / 1024);
      all.back()->write(buffer, bytes);
      all.back()->read(buffer, back);
      EXPECT_EQ(back, bytes);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, HarvestedBoard, testing::ValuesIn(kParts),
                         [](const auto& p) { return std::string("of_") + p.param.name; });

TEST(DispatchTiles, AreNeverHarvestedOnesAndNeverWorkers) {
  for (uint32_t mask = 0; mask < 1u << 14; ++mask) {
    arch::Harvesting h;
    h.tensix_columns = static_cast<uint16_t>(mask);
    if (!arch::is_valid(h)) continue;
    const auto tiles = arch::tensix_tiles(h);
    for (const int queues : {1, 2}) {
      const auto workers = arch::worker_tiles(h, queues);
      std::set<arch::NocCoord> taken;
      for (int q = 0; q < queues; ++q) {
        const arch::DispatchPair pair = arch::dispatch_pair(h, q);
        for (arch::NocCoord tile : {pair.prefetch, pair.dispatch}) {
          ASSERT_TRUE(taken.insert(tile).second) << mask;
          ASSERT_NE(std::find(tiles.begin(), tiles.end(), tile), tiles.end()) << mask;
          ASSERT_EQ(std::find(workers.begin(), workers.end(), tile), workers.end()) << mask;
        }
      }
      ASSERT_EQ(workers.size() + taken.size(), tiles.size()) << mask;
    }
  }
}

}  // namespace
}  // namespace kerr::host
