#pragma once

#include <stdint.h>

#include "arch/array.hpp"
#include "arch/memory_map.hpp"

// Where base firmware and its messages lie in a tile's L1. A layout is a value: generations differ (docs/glossary.md,
// FW). docs/hardware/tile.md 7.1, 7.2, 7.4, 7.10
namespace kerr::arch {

struct FirmwareLayout {
  const char* name;

  // Fixed low words.
  uint32_t boot_jump = 0x0;          // jal to firmware_base[BRISC]
  uint32_t atomic_return = 0x4;      // every NoC atomic of the tile returns its old value here
  uint32_t l1_barrier = 0xC;
  uint32_t inline_staging = 0x20;    // four slots of 16 bytes

  // Mailboxes.
  uint32_t mailboxes = 0x60;
  uint32_t mailbox_bytes = 12768;
  uint32_t subordinate_sync = 0x68;  // four bytes: NCRISC, TRISC0, TRISC1, TRISC2
  uint32_t launch_rd_ptr = 0x6C;
  uint32_t launch_ring = 0x70;
  uint32_t launch_entries = 8;
  uint32_t launch_bytes = 96;        // of one entry
  uint32_t go_messages = 0x370;
  uint32_t go_message_count = 9;
  uint32_t go_message_index = 0x3A0;
  uint32_t core_info = 0x8B8;

  uint32_t zero_region = 0x3240;     // cleared by BRISC
  uint32_t zero_region_bytes = 512;
  Array<uint32_t, kHarts> firmware_base;     // text of each hart; also its reset PC
  Array<uint32_t, kHarts> firmware_bytes;    // room for it
  Array<uint32_t, kHarts> data_scratch;      // image of the hart's local RAM, copied by its start-up
  uint32_t bank_tables = 0;
  uint32_t noc_counters = 0;                 // 80 bytes, dynamic-NoC mode only
  uint32_t kernel_config = 0;                // start of the kernel-config ring
  uint32_t unreserved = 0x196C0;             // start of user L1

  // Compiled into the firmware.
  uint32_t dram_banks = 7;
  uint32_t l1_banks = 0;
  uint32_t circular_buffers = 32;
  uint32_t first_cb_stream = 8;      // stream of CB n = first_cb_stream + n

  constexpr uint32_t launch_entry(uint32_t slot) const { return launch_ring + launch_bytes * slot; }
  constexpr uint32_t go_signal_byte(uint32_t index = 0) const { return go_messages + 4 * index + 3; }
  // Packed without gaps. docs/hardware/noc.md 1.6
  constexpr uint32_t dram_xy_table() const { return bank_tables; }
  constexpr uint32_t l1_xy_table() const { return dram_xy_table() + 4 * dram_banks; }
  constexpr uint32_t dram_offset_table() const { return l1_xy_table() + 4 * l1_banks; }
  constexpr uint32_t l1_offset_table() const { return dram_offset_table() + 4 * dram_banks; }
  constexpr uint32_t bank_table_bytes() const { return 8 * (dram_banks + l1_banks); }
  constexpr uint32_t logical_column_table() const { return bank_tables + 2048; }  // 20 bytes, then 12 of rows
};

inline constexpr uint32_t kLogicalColumnBytes = 20;
inline constexpr uint32_t kLogicalRowBytes = 12;

// FW-A: the stock P100A images of January 2026.
inline constexpr FirmwareLayout kFwA = {
    .name = "FW-A",
    .firmware_base = {0x3840, 0x5440, 0x5A40, 0x6040, 0x6640},
    .firmware_bytes = {7168, 1536, 1536, 1536, 1536},
    .data_scratch = {0x82B0, 0xA2B0, 0xC2B0, 0xD2B0, 0xE2B0},
    .bank_tables = 0x112B0,
    .noc_counters = 0x6C40,
    .kernel_config = 0x82B0,
    .l1_banks = 110,
};

// FW-B: the next build of the same protocol. Ours has this layout, byte for byte.
inline constexpr FirmwareLayout kFwB = {
    .name = "FW-B",
    .firmware_base = {0x3840, 0x5440, 0x5A40, 0x6040, 0x6A40},
    .firmware_bytes = {7168, 1536, 1536, 2560, 1536},
    .data_scratch = {0x86B0, 0xA6B0, 0xC6B0, 0xD6B0, 0xE6B0},
    .bank_tables = 0x116B0,
    .noc_counters = 0x7040,
    .kernel_config = 0x86B0,
    .l1_banks = 120,
};

// Whether a hart's base firmware, of either build, is at `pc`. They differ in TRISC2's, which begins earlier in FW-A.
constexpr bool is_in_firmware(size_t hart, uint32_t pc) {
  const uint32_t end = kFwB.firmware_base[hart] + kFwB.firmware_bytes[hart];
  return pc - kFwA.firmware_base[hart] < end - kFwA.firmware_base[hart];
}
static_assert(is_in_firmware(4, 0x6640) && is_in_firmware(4, 0x6A40) && !is_in_firmware(4, kFwA.kernel_config));
static_assert(!is_in_firmware(0, 0) && is_in_firmware(1, 0x5440) && !is_in_firmware(3, 0x5A40));

// The same generation built for another board: only the compiled bank counts differ.
constexpr FirmwareLayout with_bank_counts(FirmwareLayout layout, uint32_t dram_banks, uint32_t l1_banks) {
  layout.dram_banks = dram_banks;
  layout.l1_banks = l1_banks;
  return layout;
}

static_assert(kFwA.l1_xy_table() == 0x112CC && kFwA.dram_offset_table() == 0x11484 &&
              kFwA.l1_offset_table() == 0x114A0 && kFwA.logical_column_table() == 0x11AB0);
static_assert(kFwB.l1_xy_table() == 0x116CC && kFwB.dram_offset_table() == 0x118AC &&
              kFwB.l1_offset_table() == 0x118C8 && kFwB.logical_column_table() == 0x11EB0);
static_assert(kFwB.go_signal_byte() == 0x373);
static_assert(kFwB.launch_ring + kFwB.launch_entries * kFwB.launch_bytes == kFwB.go_messages);

}  // namespace kerr::arch
