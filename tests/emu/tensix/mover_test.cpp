// Expectations from the ISA pages of the mover and of XMOV.
#include "tests/emu/tensix/tensix_fixture.hpp"

namespace kerr::emu {

using namespace isa::tensix;

class MoverTest : public Tensix {
 protected:
  enum Direction : uint32_t { kZeroL1, kL1ToConfig, kZeroConfig, kL1ToL1 };

  // All in bytes.
  void job(uint32_t destination, uint32_t source, uint32_t bytes, Direction direction) {
    set_config({{cfg::THCON_SEC0_REG6_Source_address, source / 16},
                {cfg::THCON_SEC0_REG6_Destination_address, destination / 16},
                {cfg::THCON_SEC0_REG6_Buffer_size, bytes / 16},
                {cfg::THCON_SEC0_REG6_Transfer_direction, direction}});
  }
  void SetUp() override {
    for (uint32_t at = 0; at < 0x100; at += 4) tile.l1.store(0x2000 + at, 0x11110000 + at);
  }
  uint32_t l1(uint32_t address) { return tile.l1.load<uint32_t>(address); }
};

TEST_F(MoverTest, CopiesWithinL1) {
  job(0x3000, 0x2000, 0x40, kL1ToL1);
  run(T0, XMOV{});
  EXPECT_EQ(l1(0x3000), 0x11110000u);
  EXPECT_EQ(l1(0x303C), 0x1111003Cu);
  EXPECT_EQ(l1(0x3040), 0u);
  expect_no_fault();
}

TEST_F(MoverTest, ZeroFillsL1) {
  job(0x2010, 0xFFFFFFF0, 0x20, kZeroL1);
  run(T0, XMOV{});
  EXPECT_EQ(l1(0x200C), 0x1111000Cu);
  EXPECT_EQ(l1(0x2010), 0u);
  EXPECT_EQ(l1(0x202C), 0u);
  EXPECT_EQ(l1(0x2030), 0x11110030u);
}

TEST_F(MoverTest, CopiesAndZeroesConfiguration) {
  job(0x380 + 4 * 64, 0x2000, 0x10, kL1ToConfig);
  run(T0, XMOV{});
  EXPECT_EQ(config(64, 1), 0x11110000u);
  EXPECT_EQ(config(67, 1), 0x1111000Cu);
  EXPECT_EQ(config(64, 0), 0u);
  job(0x380 + 4 * 64, 0, 0x10, kZeroConfig);
  run(T0, XMOV{});
  EXPECT_EQ(config(64, 1), 0u);
  expect_no_fault();
}

TEST_F(MoverTest, TheJobComesFromTheBankOfTheIssuingThread) {
  job(0x3000, 0x2000, 0x10, kL1ToL1);
  run(T0, SETC16{.setc16_value = 1, .setc16_reg = 0}, XMOV{});
  EXPECT_EQ(l1(0x3000), 0u) << "bank 1 says: zero bytes";
}

TEST_F(MoverTest, WritesToWhatDoesNotExistAreLost) {
  job(0x40000, 0x2000, 0x100, kL1ToConfig);
  run(T0, XMOV{});
  job(0x90000, 0x2000, 0x100, kL1ToConfig);
  run(T0, XMOV{});
  expect_no_fault();
}

TEST_F(MoverTest, RangesBeyondTheirMemoryFault) {
  const struct {
    uint32_t destination, source, bytes;
    Direction direction;
    FaultCategory category;
  } kCases[] = {
      {0x17FFF0, 0x2000, 0x20, kL1ToL1, FaultCategory::OutOfBounds},
      {0x3000, 0x17FFF0, 0x20, kL1ToL1, FaultCategory::OutOfBounds},
      {0x180000, 0, 0x10, kZeroL1, FaultCategory::OutOfBounds},
      {0xDB0, 0, 0x10, kZeroConfig, FaultCategory::OutOfBounds},
      {0xFFF0, 0, 0x20, kZeroConfig, FaultCategory::UndefinedBehavior},
  };
  for (const auto& c : kCases) {
    job(c.destination, c.source, c.bytes, c.direction);
    const int thread = 0;
    CardboardTile fresh;
    for (const unsigned w : {88u, 89u, 90u}) {
      fresh.windows.store_config(4 * w, config(w));
    }
    fresh.coprocessor.threads[thread].front.push_before_mop(XMOV{}.encode());
    fresh.coprocessor.run(thread, 0, 10);
    const std::vector<Fault> faults = fresh.faults.take();
    ASSERT_EQ(faults.size(), 1u) << std::hex << c.destination;
    EXPECT_EQ(faults[0].category, c.category) << faults[0].text();
  }
}

TEST_F(MoverTest, WhatIsNotPublishedIsUnsupported) {
  run(T0, XMOV{.mov_block_selection = 1});
  EXPECT_EQ(the_fault().category, FaultCategory::Unsupported);
}

TEST_F(MoverTest, SoftResetOfTheMoverHoldsIt) {
  job(0x3000, 0x2000, 0x10, kL1ToL1);
  cop().reset(0, 1u << 6);
  run(T0, XMOV{});
  EXPECT_EQ(l1(0x3000), 0u);
  cop().reset(1u << 6, 0);
  settle();
  EXPECT_EQ(l1(0x3000), 0x11110000u);
}

}  // namespace kerr::emu
