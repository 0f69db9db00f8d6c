#pragma once

#include <stdint.h>

#include "arch/banks.hpp"
#include "arch/firmware_layout.hpp"
#include "arch/harvesting.hpp"

// The block at FirmwareLayout::bank_tables that BRISC and NCRISC copy into their local RAM.
// docs/hardware/noc.md 1.6 to 1.8
namespace kerr::arch {

inline constexpr uint32_t kBankTableImageBytes = 2048 + kLogicalColumnBytes + kLogicalRowBytes;

// Bank tables and, at +2048, the logical-to-virtual maps. The counts are those compiled into the firmware: a board with
// fewer banks leaves the last entries 0. All offsets are 0 on Blackhole.
struct BankTableImage {
  Array<uint8_t, kBankTableImageBytes> bytes;
};
constexpr BankTableImage bank_table_image(const FirmwareLayout& fw, const Harvesting& h) {
  BankTableImage image;
  uint32_t at = 0;
  const auto put16 = [&](uint32_t value) {
    image.bytes[at++] = static_cast<uint8_t>(value);
    image.bytes[at++] = static_cast<uint8_t>(value >> 8);
  };
  for (int noc = 0; noc < kNocs; ++noc)
    for (int bank = 0; bank < static_cast<int>(fw.dram_banks); ++bank)
      put16(bank < good_dram_banks(h) ? dram_bank_tile_for_noc(h, bank, noc).packed() : 0);
  for (int noc = 0; noc < kNocs; ++noc)
    for (uint32_t bank = 0; bank < fw.l1_banks; ++bank) put16(l1_bank_tile(h, static_cast<int>(bank)).packed());
  const auto columns = translated_columns(h);
  for (uint32_t i = 0; i < columns.size(); ++i) image.bytes[2048 + i] = columns[i];
  for (int i = 0; i < kTensixRows; ++i)
    image.bytes[2048 + kLogicalColumnBytes + i] = static_cast<uint8_t>(kTensixFirstRow + i);
  return image;
}

// The layout of our firmware for a board: kFwB with the board's own bank counts.
constexpr FirmwareLayout firmware_layout_for(const Harvesting& h) {
  return with_bank_counts(kFwB, static_cast<uint32_t>(good_dram_banks(h)),
                          static_cast<uint32_t>(good_tensix_columns(h) * kTensixRows));
}

}  // namespace kerr::arch
