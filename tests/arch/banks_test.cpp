#include "arch/banks.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "arch/bank_table.hpp"
#include "arch/boards.hpp"

namespace kerr::arch {
namespace {

struct Entry {
  uint32_t packed;
  NocCoord raw;
};
struct Row {
  int bad;
  int noc;
  std::vector<Entry> banks;
};

// docs/hardware/noc.md 1.6, every case: no bank bad, or any one.
const std::vector<Row> kWorkedTable = {
    // clang-format off
    {-1, 0, {{0x0391, {0, 11}}, {0x03D1, {0, 2}}, {0x0491, {0, 9}}, {0x0551, {0, 5}}, {0x0392, {9, 11}}, {0x0452, {9, 3}}, {0x0512, {9, 8}}, {0x05D2, {9, 6}}}},
    {-1, 1, {{0x0351, {0, 1}}, {0x0411, {0, 10}}, {0x04D1, {0, 4}}, {0x0591, {0, 7}}, {0x0352, {9, 1}}, {0x0412, {9, 10}}, {0x04D2, {9, 4}}, {0x0592, {9, 7}}}},
    {0, 0, {{0x0392, {0, 3}}, {0x03D2, {0, 9}}, {0x0492, {0, 5}}, {0x0551, {9, 0}}, {0x0391, {9, 3}}, {0x0451, {9, 8}}, {0x0511, {9, 6}}}},
    {0, 1, {{0x0352, {0, 10}}, {0x0412, {0, 4}}, {0x04D2, {0, 7}}, {0x0591, {9, 1}}, {0x0351, {9, 10}}, {0x0411, {9, 4}}, {0x04D1, {9, 7}}}},
    {1, 0, {{0x0392, {0, 11}}, {0x03D2, {0, 9}}, {0x0492, {0, 5}}, {0x0311, {9, 0}}, {0x05D1, {9, 3}}, {0x0451, {9, 8}}, {0x0511, {9, 6}}}},
    {1, 1, {{0x0352, {0, 1}}, {0x0412, {0, 4}}, {0x04D2, {0, 7}}, {0x0351, {9, 1}}, {0x0591, {9, 10}}, {0x0411, {9, 4}}, {0x04D1, {9, 7}}}},
    {2, 0, {{0x0392, {0, 11}}, {0x03D2, {0, 2}}, {0x0492, {0, 5}}, {0x0311, {9, 0}}, {0x0451, {9, 3}}, {0x05D1, {9, 8}}, {0x0511, {9, 6}}}},
    {2, 1, {{0x0352, {0, 1}}, {0x0412, {0, 10}}, {0x04D2, {0, 7}}, {0x0351, {9, 1}}, {0x0411, {9, 10}}, {0x0591, {9, 4}}, {0x04D1, {9, 7}}}},
    {3, 0, {{0x0392, {0, 11}}, {0x03D2, {0, 2}}, {0x0492, {0, 9}}, {0x0311, {9, 0}}, {0x0451, {9, 3}}, {0x0511, {9, 8}}, {0x05D1, {9, 6}}}},
    {3, 1, {{0x0352, {0, 1}}, {0x0412, {0, 10}}, {0x04D2, {0, 4}}, {0x0351, {9, 1}}, {0x0411, {9, 10}}, {0x04D1, {9, 4}}, {0x0591, {9, 7}}}},
    {4, 0, {{0x05D1, {0, 11}}, {0x0311, {0, 2}}, {0x03D1, {0, 9}}, {0x0491, {0, 5}}, {0x0392, {9, 3}}, {0x0452, {9, 8}}, {0x0512, {9, 6}}}},
    {4, 1, {{0x0591, {0, 1}}, {0x0351, {0, 10}}, {0x0411, {0, 4}}, {0x04D1, {0, 7}}, {0x0352, {9, 10}}, {0x0412, {9, 4}}, {0x04D2, {9, 7}}}},
    {5, 0, {{0x0391, {0, 11}}, {0x0551, {0, 2}}, {0x03D1, {0, 9}}, {0x0491, {0, 5}}, {0x0392, {9, 11}}, {0x0452, {9, 8}}, {0x0512, {9, 6}}}},
    {5, 1, {{0x0351, {0, 1}}, {0x0591, {0, 10}}, {0x0411, {0, 4}}, {0x04D1, {0, 7}}, {0x0352, {9, 1}}, {0x0412, {9, 4}}, {0x04D2, {9, 7}}}},
    {6, 0, {{0x0391, {0, 11}}, {0x03D1, {0, 2}}, {0x0551, {0, 9}}, {0x0491, {0, 5}}, {0x0392, {9, 11}}, {0x0452, {9, 3}}, {0x0512, {9, 6}}}},
    {6, 1, {{0x0351, {0, 1}}, {0x0411, {0, 10}}, {0x0591, {0, 4}}, {0x04D1, {0, 7}}, {0x0352, {9, 1}}, {0x0412, {9, 10}}, {0x04D2, {9, 7}}}},
    {7, 0, {{0x0391, {0, 11}}, {0x03D1, {0, 2}}, {0x0491, {0, 9}}, {0x0551, {0, 5}}, {0x0392, {9, 11}}, {0x0452, {9, 3}}, {0x0512, {9, 8}}}},
    {7, 1, {{0x0351, {0, 1}}, {0x0411, {0, 10}}, {0x04D1, {0, 4}}, {0x0591, {0, 7}}, {0x0352, {9, 1}}, {0x0412, {9, 10}}, {0x04D2, {9, 4}}}},
    // clang-format on
};

TEST(DramBanks, EveryWorkedCaseOfTheReference) {
  ASSERT_EQ(kWorkedTable.size(), 18u);
  for (const Row& row : kWorkedTable) {
    Harvesting h;
    if (row.bad >= 0) h.dram_banks = static_cast<uint8_t>(~(1u << row.bad));
    ASSERT_EQ(static_cast<size_t>(good_dram_banks(h)), row.banks.size());
    const TranslationTables tables = translation_tables(h, row.noc);
    for (size_t bank = 0; bank < row.banks.size(); ++bank) {
      const NocCoord tile = dram_bank_tile_for_noc(h, static_cast<int>(bank), row.noc);
      EXPECT_EQ(tile.packed(), row.banks[bank].packed) << "bad " << row.bad << " noc " << row.noc << " bank " << bank;
      EXPECT_EQ(raw_of(tables, row.noc, tile), row.banks[bank].raw)
          << "bad " << row.bad << " noc " << row.noc << " bank " << bank;
    }
  }
}

std::vector<uint8_t> first_bytes(int bad_bank, size_t n) {
  Harvesting h;
  h.dram_banks = static_cast<uint8_t>(~(1u << bad_bank));
  const auto image = bank_table_image(kFwB, h);
  return {image.bytes.begin(), image.bytes.begin() + n};
}

TEST(BankTable, BytesForABadBankSeven) {
  EXPECT_EQ(first_bytes(7, 28),
            (std::vector<uint8_t>{0x91, 0x03, 0xd1, 0x03, 0x91, 0x04, 0x51, 0x05, 0x92, 0x03, 0x52, 0x04, 0x12, 0x05,
                                  0x51, 0x03, 0x11, 0x04, 0xd1, 0x04, 0x91, 0x05, 0x52, 0x03, 0x12, 0x04, 0xd2, 0x04}));
}

TEST(BankTable, BytesForABadBankZero) {
  EXPECT_EQ(first_bytes(0, 28),
            (std::vector<uint8_t>{0x92, 0x03, 0xd2, 0x03, 0x92, 0x04, 0x51, 0x05, 0x91, 0x03, 0x51, 0x04, 0x11, 0x05,
                                  0x52, 0x03, 0x12, 0x04, 0xd2, 0x04, 0x91, 0x05, 0x51, 0x03, 0x11, 0x04, 0xd1, 0x04}));
}

TEST(BankTable, SizesFollowTheCompiledCounts) {
  EXPECT_EQ(with_bank_counts(kFwA, 7, 110).bank_table_bytes(), 936u);
  EXPECT_EQ(kFwB.bank_table_bytes(), 1016u);
  EXPECT_EQ(firmware_layout_for(kP150.harvesting).bank_table_bytes(), 1184u);
}

TEST(BankTable, L1BanksAreRowMajorAndMapsHaveNoHoles) {
  const FirmwareLayout fw = firmware_layout_for(kP100a.harvesting);
  const auto image = bank_table_image(fw, kP100a.harvesting);
  const auto l1 = [&](uint32_t bank) {
    const uint32_t at = fw.l1_xy_table() - fw.bank_tables + 2 * bank;
    return NocCoord::unpack(image.bytes[at] | image.bytes[at + 1] << 8);
  };
  EXPECT_EQ(l1(0), (NocCoord{1, 2}));
  EXPECT_EQ(l1(7), (NocCoord{10, 2}));
  EXPECT_EQ(l1(12), (NocCoord{1, 3}));
  EXPECT_EQ(l1(119), (NocCoord{14, 11}));
  EXPECT_EQ(l1(120), l1(0)) << "the second half is NoC 1";
  EXPECT_EQ(image.bytes[2048 + 11], 14);
  EXPECT_EQ(image.bytes[2048 + 12], 0);
  EXPECT_EQ(image.bytes[2048 + 20], 2);
  EXPECT_EQ(image.bytes[2048 + 29], 11);
}

TEST(Workers, TheDispatchPairIsTakenFromTheLastColumn) {
  EXPECT_EQ(dispatch_pair(kP100a.harvesting).prefetch, (NocCoord{14, 2}));
  EXPECT_EQ(dispatch_pair(kP100a.harvesting).dispatch, (NocCoord{14, 3}));
  EXPECT_EQ(dispatch_pair(kP150.harvesting).dispatch, (NocCoord{16, 3}));
  EXPECT_EQ(worker_tiles(kP100a.harvesting).size(), 118u);
  EXPECT_EQ(worker_tiles(kP150.harvesting).size(), 138u);
  EXPECT_EQ(tensix_tiles(kP100a.harvesting).size(), 120u);
}

TEST(Boards, TelemetrySaysWhatTheBoardIs) {
  EXPECT_EQ(board_type(kP100a), 0x43u);
  EXPECT_EQ(telemetry_value(kP100a, 34), 0x3EF7u);
  EXPECT_EQ(telemetry_value(kP100a, 36), 0xF7u);
  EXPECT_EQ(telemetry_value(kP150, 1), 0x400u);
  EXPECT_EQ(telemetry_value(kP150, 2), 1u);
  EXPECT_LT(telemetry_value(kP150, 28), 0x13050000u);
}

}  // namespace
}  // namespace kerr::arch
