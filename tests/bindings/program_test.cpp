// What an embedder does with a chip.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/bindings/library.hpp"

namespace {

// lui t0, 2; addi t1, zero, 42; sw t1, 0(t0); jal zero, 0
constexpr std::initializer_list<uint32_t> kStore42 = {0x000022B7, 0x02A00313, 0x0062A023, 0x0000006F};

TEST(Program, LoadsRv32CodeReleasesBriscClocksAndReadsTheResult) {
  Session chip;
  chip.write32(1, 2, 0x2000, 0);
  chip.run(1, 2, kStore42);
  chip.library.clock(1);
  EXPECT_EQ(chip.read32(1, 2, 0x2000), 42u);
}

TEST(Program, EveryHostReadLetsTimePass) {
  Session chip;
  // addi t1, t1, 1; sw t1, 0x100(zero); jal zero, -8
  chip.run(3, 3, {0x00130313, 0x10602023, 0xFF9FF06F});
  uint32_t last = 0;
  for (int i = 0; i < 2000; ++i) last = chip.read32(3, 3, 0x100);
  EXPECT_GT(last, 100u);
}

// A loop of 3 instructions a turn, driven by single clocks.
TEST(Program, TheEnvironmentSaysWhatAClockIsWorth) {
  const auto turns_of_ten_clocks = [](const char* cycles) {
    setenv("KERR_CYCLES_PER_CLOCK", cycles, 1);
    Session chip;
    unsetenv("KERR_CYCLES_PER_CLOCK");
    chip.run(3, 3, {0x00130313, 0x10602023, 0xFF9FF06F});
    for (int i = 0; i < 10; ++i) chip.library.clock(1);
    chip.point(3, 3, 0x100);
    return chip.library.read32(chip.bar0 + 0x100);
  };
  EXPECT_NEAR(turns_of_ten_clocks("3000"), 10000u, 200u);
  EXPECT_LT(turns_of_ten_clocks("1"), 200u);
  EXPECT_EQ(turns_of_ten_clocks("0"), turns_of_ten_clocks("1")) << "a bad value is reported and taken as 1";
  EXPECT_EQ(turns_of_ten_clocks("12x"), turns_of_ten_clocks("1"));
}

TEST(Program, CoordinatesNameTheSameTileRawAndTranslated) {
  Session chip;
  const std::vector<uint8_t> data{1, 2, 3, 4, 5};
  chip.write(17, 12, 0x1001, data);  // bank 0, port 0
  EXPECT_EQ(chip.read(0, 0, 0x1001, 5), data);
  EXPECT_EQ(chip.read(0, 11, 0x1001, 5), data);
  EXPECT_EQ(chip.read32(19, 24, 0xFFFF'FFFF'FF00'0044), 0x10611002u);
  EXPECT_EQ(chip.read32(8, 0, 0x8003'0408), 5u);
  EXPECT_EQ(chip.read32(20, 25, 0x7CC00), 0xC0DEA000u);
}

TEST(Program, TransfersOfTwoMebibytesAndOddSizes) {
  Session chip;
  std::vector<uint8_t> data(2 << 20);
  std::iota(data.begin(), data.end(), uint8_t{3});
  chip.write(18, 13, 0x20'0000, data);
  EXPECT_EQ(chip.read(18, 13, 0x20'0000, data.size()), data);
  data.resize(0x18'0000);
  chip.write(5, 7, 0, data);
  EXPECT_EQ(chip.read(5, 7, 0, data.size()), data);
}

TEST(Program, TileFunctionsGoToTheSamePlaces) {
  Session chip;
  const uint32_t in = 77;
  uint32_t out = 0;
  chip.library.tile_write(4, 4, 0x3000, &in, 4);
  chip.library.tile_read(4, 4, 0x3000, &out, 4);
  EXPECT_EQ(out, 77u);
  EXPECT_EQ(chip.read32(4, 4, 0x3000), 77u);
  chip.library.tile_read(63, 63, 0, &out, 4);
  EXPECT_EQ(out, ~0u);
}

// --- host memory ---------------------------------------------------------------------------------------------------

std::vector<uint8_t> host_memory(0x10000);
std::vector<std::pair<uint64_t, uint32_t>> calls;

void dma_read(uint64_t paddr, void* out, uint32_t bytes) {
  calls.push_back({paddr, bytes});
  if (paddr + bytes > host_memory.size()) throw std::out_of_range("unroutable address");
  std::memcpy(out, host_memory.data() + paddr, bytes);
}
void dma_write(uint64_t paddr, const void* in, uint32_t bytes) {
  calls.push_back({paddr, bytes});
  if (paddr + bytes > host_memory.size()) throw std::out_of_range("unroutable address");
  std::memcpy(host_memory.data() + paddr, in, bytes);
}

class Dma : public ::testing::Test {
 protected:
  void SetUp() override {
    calls.clear();
    chip.library.set_dma(dma_read, dma_write);
  }
  static constexpr uint64_t kHost = uint64_t{1} << 60;
  Session chip;
};

TEST_F(Dma, ReachesTheCallbacksAndSplitsAtPages) {
  chip.write(19, 24, kHost + 0x0F80, std::vector<uint8_t>(0x1100, 7));
  EXPECT_EQ(calls, (std::vector<std::pair<uint64_t, uint32_t>>{{0xF80, 0x80}, {0x1000, 0x1000}, {0x2000, 0x80}}));
  EXPECT_EQ(chip.read(19, 24, kHost + 0x1FFC, 4), (std::vector<uint8_t>{7, 7, 7, 7}));
}

TEST_F(Dma, GoesThroughTheIatuAsTtUmdProgramsIt) {
  const uint64_t bar2 = chip.library.bar(0x18);
  const uint64_t region = bar2 + 0x1000;
  for (const auto& [offset, value] : std::initializer_list<std::pair<uint32_t, uint32_t>>{
           {0x04, 0}, {0x00, 0}, {0x08, 0}, {0x0C, 0}, {0x10, 0xFFF}, {0x14, 0x8000}, {0x18, 0}, {0x04, 0x80000000}}) {
    chip.library.write32(region + offset, value);
  }
  host_memory[0x8010] = 3;
  EXPECT_EQ(chip.read(19, 24, kHost + 0x10, 1)[0], 3);
  host_memory[0x2010] = 4;
  EXPECT_EQ(chip.read(19, 24, kHost + 0x2010, 1)[0], 4);
}

#ifndef KERR_SANITIZED
TEST_F(Dma, SurvivesCallbacksThatThrow) {
  EXPECT_THROW(chip.read(19, 24, kHost + 0x20000, 4), std::out_of_range);

  // The same from a tile, in the middle of clock(). t0: NIU 0. Host address 2^60 + 0x20000 to L1 0x1000.
  // lui t0,0xFFB20; lui t1,0x20; sw t1,0(t0); lui t1,0x10000; sw t1,4(t0); addi t1,zero,0x613; sw t1,8(t0);
  // lw t1,0x148(t0); sw t1,0x14(t0); lui t1,1; sw t1,0xC(t0); lui t1,2; addi t1,t1,0x90; sw t1,0x1C(t0);
  // addi t1,zero,64; sw t1,0x20(t0); addi t1,zero,1; sw t1,0x40(t0); jal zero,0
  chip.run(1, 2,
           {0xFFB202B7, 0x00020337, 0x0062A023, 0x10000337, 0x0062A223, 0x61300313, 0x0062A423, 0x1482A303, 0x0062AA23,
            0x00001337, 0x0062A623, 0x00002337, 0x09030313, 0x0062AE23, 0x04000313, 0x0262A023, 0x00100313, 0x0462A023,
            0x0000006F});
  EXPECT_THROW(chip.library.clock(4096), std::out_of_range);
  chip.library.clock(4096);
  EXPECT_EQ(chip.read32(1, 2, 0xFFB20214), 1u);  // RD_REQ_SENT: the tile did ask
  chip.run(2, 2, kStore42);
  chip.library.clock(256);
  EXPECT_EQ(chip.read32(2, 2, 0x2000), 42u);
}
#endif

}  // namespace
