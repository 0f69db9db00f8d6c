#pragma once

#include <stdint.h>

#include "arch/firmware_layout.hpp"
#include "arch/memory_map.hpp"

// What a kernel finds when Kerr's base firmware (layout FW-B) calls it. Kernels are raw code at a fixed place: they use
// the addresses below, they are not linked against the firmware.
//
// Entry: `jalr ra, kernel_config_base[0] + kernel_text_offset[hart]`, after GO has been seen (preload or not) and, on a
// TRISC, after GO of BRISC. A kernel that itself waits for the go signal (kernels.md 2.4) works too.
// Registers at entry, besides ra and sp (16-byte aligned, grows down towards `free_base`):
//   a0 = RTA base, a1 = CRTA base, a2 = semaphore base (L1 addresses),
//   a3 = cb_interface (0 on TRISC1), a4 = noc_index of this hart (BRISC, NCRISC), a5 = (my_y << 6) | my_x translated.
// Exit: `ret` with sp, gp, tp and s0..s11 as at entry. Other registers are free. The value in a0 is ignored.
// Circular buffers of local_cb_mask are set up, their stream counters are 0, the instruction cache is clean.
// NoC: command buffers are initialised as in tile.md 7.6 step 19 (own coordinate in TARG_HI of buffers 0 and 2, in
// RET_HI of buffers 1 and 3, L1 word 4 as return address of atomics); a kernel leaves them in that state.
namespace kerr::arch {

// Addresses in the hart's local RAM; 0 where the hart has no such item. docs/hardware/tile.md 7.8
struct KernelAbi {
  uint32_t my_x = 0;                // u8[2]: translated x, per NoC (equal)
  uint32_t my_y = 0;                // u8[2]
  uint32_t my_logical = 0;          // u8[4]: absolute logical x, y, then relative to the sub-device x, y
  uint32_t noc_index = 0;           // u8
  uint32_t rta_base = 0;            // u32: L1 address of the unique runtime arguments
  uint32_t crta_base = 0;           // u32: L1 address of the common runtime arguments
  uint32_t sem_base = 0;            // u32[3]: L1 address of semaphore 0 per core type; stride 16
  uint32_t noc_counters = 0;        // u32[5][2], kind by NoC: reads issued, non-posted writes issued, non-posted
                                    // writes acked, atomics acked, posted writes issued (kerr's order)
  uint32_t cb_interface = 0;        // CbInterface[32]
  uint32_t dram_xy = 0;             // u16[2][D]
  uint32_t l1_xy = 0;               // u16[2][N]
  uint32_t dram_offset = 0;         // i32[D]
  uint32_t l1_offset = 0;           // i32[N]
  uint32_t logical_maps = 0;        // u8[20] columns, u8[12] rows
  uint32_t cfg_state_id = 0;        // u32, TRISCs
  uint32_t dest_offset_id = 0;      // u32, TRISC0 and TRISC2
  uint32_t free_base = 0;           // local RAM from here to the stack belongs to the kernel
  uint32_t stack_top = 0;
};

inline constexpr uint32_t kCbInterfaceBytes = 32 * 32;

constexpr KernelAbi kernel_abi(const FirmwareLayout& fw, Hart hart) {
  const uint32_t d = 4 * fw.dram_banks;
  const uint32_t n = 4 * fw.l1_banks;
  const uint32_t maps = kLogicalColumnBytes + kLogicalRowBytes;
  KernelAbi a;
  a.stack_top = kLdmBase + kLdmBytes[static_cast<int>(hart)] - 16;
  switch (hart) {
    case Hart::Brisc:
      a.my_y = 0xFFB00004;
      a.my_x = 0xFFB00008;
      a.my_logical = 0xFFB0000C;
      a.crta_base = 0xFFB00014;
      a.rta_base = 0xFFB00018;
      a.noc_counters = 0xFFB0001C;
      a.noc_index = 0xFFB00046;
      a.cb_interface = 0xFFB00048;
      a.dram_xy = a.cb_interface + kCbInterfaceBytes;
      a.l1_xy = a.dram_xy + d;
      a.dram_offset = a.l1_xy + n;
      a.l1_offset = a.dram_offset + d;
      a.logical_maps = a.l1_offset + n;
      a.sem_base = a.logical_maps + maps + 12;
      a.free_base = (a.sem_base + 12 + 15) & ~15u;
      return a;
    case Hart::Ncrisc:
      a.noc_counters = 0xFFB00004;
      a.my_y = 0xFFB0002C;
      a.my_x = 0xFFB00030;
      a.crta_base = 0xFFB00034;
      a.rta_base = 0xFFB00038;
      a.noc_index = 0xFFB0003C;
      a.dram_xy = 0xFFB00040;
      a.l1_xy = a.dram_xy + d;
      a.dram_offset = a.l1_xy + n;
      a.l1_offset = a.dram_offset + d;
      a.logical_maps = a.l1_offset + n;
      a.sem_base = a.logical_maps + maps;
      a.cb_interface = a.sem_base + 12;
      a.my_logical = a.cb_interface + kCbInterfaceBytes;
      a.free_base = (a.my_logical + 4 + 15) & ~15u;
      return a;
    case Hart::Trisc0:
    case Hart::Trisc2:
      a.dest_offset_id = 0xFFB00000;
      a.my_logical = 0xFFB00004;
      a.crta_base = 0xFFB00010;
      a.rta_base = 0xFFB00014;
      a.cfg_state_id = 0xFFB0001C;
      a.cb_interface = 0xFFB00020;
      a.free_base = 0xFFB00420;
      return a;
    case Hart::Trisc1:
      a.my_logical = 0xFFB00004;
      a.crta_base = 0xFFB0000C;
      a.rta_base = 0xFFB00010;
      a.cfg_state_id = 0xFFB00018;
      a.free_base = 0xFFB00020;
      return a;
  }
  return a;
}

static_assert(kernel_abi(kFwA, Hart::Brisc).sem_base == 0xFFB0081C &&
              kernel_abi(kFwA, Hart::Brisc).free_base == 0xFFB00830);
static_assert(kernel_abi(kFwA, Hart::Ncrisc).sem_base == 0xFFB00408 &&
              kernel_abi(kFwA, Hart::Ncrisc).cb_interface == 0xFFB00414 &&
              kernel_abi(kFwA, Hart::Ncrisc).free_base == 0xFFB00820);
static_assert(kernel_abi(kFwB, Hart::Ncrisc).cb_interface == 0xFFB00464);

}  // namespace kerr::arch
