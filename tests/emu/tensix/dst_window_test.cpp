#include "tests/emu/tensix/tensix_fixture.hpp"

namespace kerr::emu {

using namespace isa::tensix;

class DstWindow : public Tensix {
 protected:
  enum Format : uint32_t { kFloat32, kInt32, kFp16, kBf16, kInt16, kInt8 };

  void access_as(int thread, Format format, bool unsigned_int = false, bool no_swizzle = false) {
    const auto of_thread = [&](arch::ConfigField field) {
      constexpr int kBits = cfg::RISC_DEST_ACCESS_CTRL_SEC1_fmt.shift - cfg::RISC_DEST_ACCESS_CTRL_SEC0_fmt.shift;
      return arch::ConfigField{field.word, static_cast<uint8_t>(field.shift + kBits * thread), field.width};
    };
    set_config({{of_thread(cfg::RISC_DEST_ACCESS_CTRL_SEC0_no_swizzle), no_swizzle},
                {of_thread(cfg::RISC_DEST_ACCESS_CTRL_SEC0_unsigned_int), unsigned_int},
                {of_thread(cfg::RISC_DEST_ACCESS_CTRL_SEC0_fmt), uint32_t{format}}});
  }
  uint32_t load(int thread, uint32_t offset, unsigned bytes) {
    uint32_t value = 0xDEADBEEF;
    EXPECT_EQ(tile.windows.load_dst(thread, offset, bytes, value), Access::Done);
    return value;
  }
  void store(int thread, uint32_t offset, unsigned bytes, uint32_t value) {
    EXPECT_EQ(tile.windows.store_dst(thread, offset, bytes, value), Access::Done);
  }
};

TEST_F(DstWindow, EveryFormatReadsBackWhatWasStored) {
  access_as(T0, kFloat32);
  store(T0, 0x7FFC, 4, 0xC0490FDB);
  EXPECT_EQ(load(T0, 0x7FFC, 4), 0xC0490FDBu);
  access_as(T0, kInt32);
  for (const uint32_t v : {0u, 1u, 0xFFFFFFFFu, 0x7FFFFFFFu, 0x80000001u}) {
    store(T0, 64, 4, v);
    EXPECT_EQ(load(T0, 64, 4), v);
  }
  access_as(T0, kFp16);
  store(T0, 2, 2, 0xBC01);
  EXPECT_EQ(load(T0, 2, 2), 0xBC01u);
  access_as(T0, kBf16);
  store(T0, 4, 2, 0xBF81);
  EXPECT_EQ(load(T0, 4, 2), 0xBF81u);
  access_as(T0, kInt16);
  store(T0, 6, 2, 0xFFFE);
  EXPECT_EQ(load(T0, 6, 2), 0xFFFEu);
  access_as(T0, kInt8);
  for (const uint32_t v : {0u, 1u, 0x7Fu}) {
    store(T0, 8, 1, v);
    EXPECT_EQ(load(T0, 8, 1), v);
  }
}

TEST_F(DstWindow, TheMostNegativeIntegersHaveNoMagnitude) {
  access_as(T0, kInt32);
  store(T0, 0, 4, 0x80000000);
  EXPECT_EQ(load(T0, 0, 4), 0x80000001u);
  access_as(T0, kInt16);
  store(T0, 0, 2, 0x8000);
  EXPECT_EQ(load(T0, 0, 2), 0x8001u);
}

TEST_F(DstWindow, CellsAreShuffledAndRawAccessShowsIt) {
  access_as(T0, kBf16);
  store(T0, 0, 2, 0x3F81);  // s 0, e 0x7F, m 0x01
  access_as(T0, kBf16, false, true);
  EXPECT_EQ(load(T0, 0, 2), 0x017Fu);
  access_as(T0, kInt8, true);
  store(T0, 0, 1, 0x81);
  access_as(T0, kInt16, true, true);
  EXPECT_EQ(load(T0, 0, 2), 0x81u << 5 | 16);
}

TEST_F(DstWindow, ThirtyTwoBitElementsTakeTwoRowsEightApart) {
  access_as(T0, kFloat32);
  store(T0, 4 * (16 * 8 + 3), 4, 0x3F812345);  // row 8, column 3: physical rows 16 and 24
  access_as(T0, kInt16, true, true);
  EXPECT_EQ(load(T0, 2 * (16 * 16 + 3), 2), 0x017Fu);
  EXPECT_EQ(load(T0, 2 * (16 * 24 + 3), 2), 0x2345u);
}

TEST_F(DstWindow, OnlyThread2TakesSeveralElementsAtOnce) {
  access_as(T2, kBf16);
  store(T2, 0, 4, 0x40003F80);
  EXPECT_EQ(load(T2, 0, 2), 0x3F80u);
  EXPECT_EQ(load(T2, 0, 4), 0x40003F80u);
  access_as(T1, kBf16);
  uint32_t value = 0;
  EXPECT_EQ(tile.windows.load_dst(T1, 0, 4, value), Access::Fault);
  EXPECT_EQ(the_fault().category, FaultCategory::UndefinedBehavior);
}

TEST_F(DstWindow, ReservedFormatsAndMissingRowsFault) {
  set_config({{cfg::RISC_DEST_ACCESS_CTRL_SEC0_fmt, 7}});
  uint32_t value = 0;
  EXPECT_EQ(tile.windows.load_dst(T0, 0, 4, value), Access::Fault);
  access_as(T0, kInt8);
  EXPECT_EQ(tile.windows.store_dst(T0, 16 * 1024, 1, 0), Access::Fault);
}

TEST_F(DstWindow, InvalidRowsReadAsZero) {
  access_as(T0, kBf16);
  store(T0, 0, 2, 0x3F80);
  run(T1, ZEROACC{.clear_mode = 3});
  EXPECT_EQ(load(T0, 0, 2), 0u);
  store(T0, 2, 2, 0x4000);
  EXPECT_EQ(load(T0, 2, 2), 0x4000u);
}

TEST_F(DstWindow, ADebugSwitchMovesSixteenBitAccessesToTheHighHalves) {
  access_as(T0, kFloat32);
  store(T0, 4 * 16 * 8, 4, 0x3F800000);  // row 8
  access_as(T0, kBf16);
  EXPECT_EQ(load(T0, 2 * 16 * 8, 2), 0u);
  cop().state.dst.set_high_half(true);
  EXPECT_EQ(load(T0, 2 * 16 * 8, 2), 0x3F80u);
}

}  // namespace kerr::emu
