#pragma once

#include <stdint.h>

#include "arch/firmware_layout.hpp"
#include "arch/kernel_abi.hpp"
#include "arch/messages.hpp"
#include "arch/noc_registers.hpp"
#include "firmware/common/access.hpp"

// What all harts of the base firmware share: the layout, their own place in it, and the set-up of local RAM.
// docs/hardware/tile.md 7.6 to 7.8
namespace kerr::firmware {

// The build chooses the hart; the board's bank counts are in the core information that the host wrote.
inline constexpr arch::Hart kHart = static_cast<arch::Hart>(KERR_HART);
inline constexpr arch::FirmwareLayout kLayout = arch::kFwB;
inline constexpr arch::KernelAbi kAbi = arch::kernel_abi(kLayout, kHart);
static_assert(kLayout.firmware_base[KERR_HART] == KERR_IMAGE_BASE);
static_assert(kLayout.firmware_bytes[KERR_HART] == KERR_IMAGE_ROOM);
static_assert(kAbi.stack_top == KERR_STACK_TOP);

using arch::GoMessage;
using arch::LaunchMessage;
using arch::RunMessage;
using arch::SyncMessage;

inline uint32_t own_xy() { return load(arch::niu_base(0) + arch::niu::kIdLogical) & 0xFFF; }

inline uint32_t sync_byte_address(arch::Hart hart) {
  return kLayout.subordinate_sync + static_cast<uint32_t>(arch::sync_byte_index(hart));
}
inline SyncMessage read_sync(arch::Hart hart) {
  return static_cast<SyncMessage>(load<uint8_t>(sync_byte_address(hart)));
}
inline void write_sync(arch::Hart hart, SyncMessage message) {
  store<uint8_t>(sync_byte_address(hart), static_cast<uint8_t>(message));
}

inline uint32_t go_message_address() { return kLayout.go_messages + 4 * load(kLayout.go_message_index); }
inline RunMessage read_signal() { return static_cast<RunMessage>(load<uint8_t>(go_message_address() + 3)); }

// The launch message that the next GO runs. Read in place: fields are taken one by one, as they are needed.
inline uint32_t current_launch() { return kLayout.launch_entry(load(kLayout.launch_rd_ptr) & 7); }

template <class T>
inline T launch_field(uint32_t launch, uint32_t offset) {
  return load<T>(launch + offset);
}

// Bytes of this board's bank tables: 8 for each DRAM bank and each Tensix tile.                        tile.md 7.4
inline uint32_t bank_table_bytes() {
  const uint32_t info = kLayout.core_info;
  return 8 * (load<uint8_t>(info + offsetof(arch::CoreInfo, dram_banks)) +
              load<uint8_t>(info + offsetof(arch::CoreInfo, worker_grid_size_x)) *
                  load<uint8_t>(info + offsetof(arch::CoreInfo, worker_grid_size_y)));
}

// What never changes after boot, in registers.
struct Board {
  uint32_t table_shift;  // what is behind the bank tables in local RAM moves with their size
  uint32_t xy;           // of this tile

  Board() : table_shift(0), xy(own_xy()) {
    if constexpr (kAbi.dram_xy != 0) table_shift = bank_table_bytes() - kLayout.bank_table_bytes();
  }
  // Where an item of kAbi lies on this board.
  template <uint32_t kPlace>
  uint32_t local() const {
    if constexpr (kAbi.dram_xy == 0 || kPlace <= kAbi.dram_xy) return kPlace;
    return kPlace + table_shift;
  }
};

// Clears the hart's variables, as a C start-up clears .bss.
inline void clear_local_ram(const Board& board) {
  const uint32_t end = board.local<kAbi.free_base>();
  for (uint32_t a = arch::kLdmBase; a < end; a += 16) {
    store(a, 0u);
    store(a + 4, 0u);
    store(a + 8, 0u);
    store(a + 12, 0u);
  }
}

inline void copy_words(uint32_t to, uint32_t from, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; i += 4) store(to + i, load(from + i));
}

// BRISC and NCRISC: tables that the host left in L1, where the kernel-config image will lie later. tile.md 7.4
inline void copy_bank_tables(const Board& board) {
  copy_words(kAbi.dram_xy, kLayout.bank_tables, kLayout.bank_table_bytes() + board.table_shift);
  copy_words(board.local<kAbi.logical_maps>(), kLayout.logical_column_table(),
             arch::kLogicalColumnBytes + arch::kLogicalRowBytes);
}

inline void publish_position(const Board& board) {
  if constexpr (kAbi.my_x != 0) {
    for (uint32_t noc = 0; noc < 2; ++noc) {
      const uint32_t xy = load(arch::niu_base(static_cast<int>(noc)) + arch::niu::kIdLogical);
      store<uint8_t>(kAbi.my_x + noc, static_cast<uint8_t>(xy & 63));
      store<uint8_t>(kAbi.my_y + noc, static_cast<uint8_t>((xy >> 6) & 63));
    }
  }
  const uint32_t info = kLayout.core_info;
  const uint32_t logical = board.local<kAbi.my_logical>();
  store<uint8_t>(logical, load<uint8_t>(info + offsetof(arch::CoreInfo, absolute_logical_x)));
  store<uint8_t>(logical + 1, load<uint8_t>(info + offsetof(arch::CoreInfo, absolute_logical_y)));
}

// Per launch: coordinates relative to the sub-device.
inline void publish_relative_position(const Board& board, uint32_t launch) {
  const uint32_t logical = board.local<kAbi.my_logical>();
  for (uint32_t axis = 0; axis < 2; ++axis) {
    const uint8_t origin = launch_field<uint8_t>(launch, offsetof(LaunchMessage, sub_device_origin_x) + axis);
    store<uint8_t>(logical + 2 + axis, static_cast<uint8_t>(load<uint8_t>(logical + axis) - origin));
  }
}

// Per launch: where this hart's arguments and the semaphores are.
struct KernelArguments {
  uint32_t rta;
  uint32_t crta;
  uint32_t sems;
};
inline KernelArguments publish_arguments(const Board& board, uint32_t launch) {
  constexpr uint32_t index = static_cast<uint32_t>(kHart);
  const uint32_t base = launch_field<uint32_t>(launch, offsetof(LaunchMessage, kernel_config_base));
  KernelArguments a;
  a.rta = base + launch_field<uint16_t>(launch, offsetof(LaunchMessage, rta_offset) + 4 * index);
  a.crta = base + launch_field<uint16_t>(launch, offsetof(LaunchMessage, rta_offset) + 4 * index + 2);
  a.sems = base + launch_field<uint16_t>(launch, offsetof(LaunchMessage, sem_offset));
  store(kAbi.rta_base, a.rta);
  store(kAbi.crta_base, a.crta);
  if constexpr (kAbi.sem_base != 0) {
    const uint32_t sem_base = board.local<kAbi.sem_base>();
    for (uint32_t type = 0; type < arch::kProgrammableCoreTypes; ++type) {
      const uint32_t type_base = launch_field<uint32_t>(launch, offsetof(LaunchMessage, kernel_config_base) + 4 * type);
      store(sem_base + 4 * type,
            type_base + launch_field<uint16_t>(launch, offsetof(LaunchMessage, sem_offset) + 2 * type));
    }
  }
  return a;
}

// Per launch: the hart's record of every local circular buffer. BRISC and NCRISC count bytes, TRISCs units of 16; a
// TRISC fills only the side it uses (TRISC0 consumes, TRISC2 produces).                    tile.md 5.4
inline void set_up_circular_buffers(const Board& board, uint32_t launch) {
  constexpr bool dataflow = kHart == arch::Hart::Brisc || kHart == arch::Hart::Ncrisc;
  constexpr bool reads = dataflow || kHart == arch::Hart::Trisc0;
  constexpr bool writes = dataflow || kHart == arch::Hart::Trisc2;
  constexpr int shift = dataflow ? 0 : 4;
  if constexpr (kAbi.cb_interface != 0) {
    using arch::CbConfig;
    using arch::CbInterface;
    uint32_t config = launch_field<uint32_t>(launch, offsetof(LaunchMessage, kernel_config_base)) +
                      launch_field<uint16_t>(launch, offsetof(LaunchMessage, local_cb_offset));
    uint32_t cb = board.local<kAbi.cb_interface>();
    uint32_t mask = launch_field<uint32_t>(launch, offsetof(LaunchMessage, local_cb_mask));
    for (; mask != 0; mask >>= 1, config += sizeof(CbConfig), cb += sizeof(CbInterface)) {
      if ((mask & 1) == 0) continue;
      const uint32_t address = load(config + offsetof(CbConfig, address)) >> shift;
      const uint32_t size = load(config + offsetof(CbConfig, size)) >> shift;
      store(cb + offsetof(CbInterface, fifo_size), size);
      store(cb + offsetof(CbInterface, fifo_limit), address + size);
      store(cb + offsetof(CbInterface, fifo_page_size), load(config + offsetof(CbConfig, page_size)) >> shift);
      if constexpr (writes) {
        store(cb + offsetof(CbInterface, fifo_num_pages), load(config + offsetof(CbConfig, num_pages)));
        store(cb + offsetof(CbInterface, fifo_wr_ptr), address);
      }
      if constexpr (reads) store(cb + offsetof(CbInterface, fifo_rd_ptr), address);
      if constexpr (kHart == arch::Hart::Trisc2) store(cb + offsetof(CbInterface, fifo_wr_tile_ptr), 0u);
      store(cb + offsetof(CbInterface, tiles_acked), 0u);  // and tiles_received
    }
  }
}

// Calls the kernel of this hart; registers as documented in arch/kernel_abi.hpp.
using Kernel = void (*)(uint32_t rta, uint32_t crta, uint32_t sems, uint32_t cbs, uint32_t noc, uint32_t xy);
inline void call_kernel(const Board& board, uint32_t launch, const KernelArguments& a, uint32_t noc) {
  const uint32_t entry =
      launch_field<uint32_t>(launch, offsetof(LaunchMessage, kernel_config_base)) +
      launch_field<uint32_t>(launch, offsetof(LaunchMessage, kernel_text_offset) + 4 * static_cast<uint32_t>(kHart));
  reinterpret_cast<Kernel>(entry)(a.rta, a.crta, a.sems, board.local<kAbi.cb_interface>(), noc, board.xy);
}

}  // namespace kerr::firmware
