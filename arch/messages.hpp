#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arch/memory_map.hpp"

// Messages between host, dispatcher and base firmware (the same in the stock firmware, FW-A, and ours, FW-B).
// docs/hardware/tile.md 7.2, 7.3, fast-dispatch.md 0.3, 12.1
namespace kerr::arch {

// The signal byte of a go message.
enum class RunMessage : uint8_t {
  Done = 0x00,
  Init = 0x40,
  Go = 0x80,
  ResetReadPtr = 0xC0,          // read pointer = 0, DONE, the dispatcher is notified
  ResetReadPtrFromHost = 0xE0,  // read pointer = 0, no answer, the signal stays
  ReplayTrace = 0xF0,           // as ResetReadPtr
};

// Bytes of the subordinate_sync word.
enum class SyncMessage : uint8_t {
  Done = 0x00,
  Load = 0x01,                // BRISC -> NCRISC: set up, then wait for Go
  WaitingForReset = 0x02,     // not used on Blackhole
  InitSyncRegisters = 0x03,   // BRISC -> TRISC0: zero the circular-buffer streams
  Init = 0x40,
  Go = 0x80,
};
inline constexpr uint32_t kSyncAllDone = 0;
inline constexpr uint32_t kSyncAllInit = 0x40404040;
// Byte of the sync word that belongs to a hart: NCRISC 0, TRISC0..2 1..3.
constexpr int sync_byte_index(Hart h) { return static_cast<int>(h) - 1; }

struct GoMessage {
  uint8_t dispatch_message_offset = 0;  // completion goes to stream 48 + this
  uint8_t master_x = 0;                 // translated coordinate of the dispatcher
  uint8_t master_y = 0;
  uint8_t signal = 0;                   // RunMessage

  constexpr uint32_t word() const {
    return dispatch_message_offset | (static_cast<uint32_t>(master_x) << 8) |
           (static_cast<uint32_t>(master_y) << 16) | (static_cast<uint32_t>(signal) << 24);
  }
};
static_assert(sizeof(GoMessage) == 4 && offsetof(GoMessage, signal) == 3);

enum class DispatchMode : uint8_t { Dev = 0, Host = 1 };
enum class NocMode : uint8_t { Dedicated = 0, Dynamic = 1, Invalid = 2 };

inline constexpr uint8_t kPreloadFlag = 0x80;
inline constexpr int kProgrammableCoreTypes = 3;  // Tensix, active Ethernet, idle Ethernet
inline constexpr uint32_t kCoreMagicWorker = 0x50EC09A3;

// Bits of LaunchMessage::enables, in the order of Hart.
constexpr uint32_t enable_bit(Hart h) { return 1u << static_cast<int>(h); }
inline constexpr uint32_t kEnableTriscs = 4;  // firmware looks at bit 2 for all three

struct RtaOffset {
  uint16_t rta = 0;   // unique runtime arguments
  uint16_t crta = 0;  // common runtime arguments
};

// launch_msg_t = kernel_config_msg_t. All *_offset are relative to kernel_config_base[0], except sem_offset[k], which
// is relative to kernel_config_base[k].
struct LaunchMessage {
  uint32_t kernel_config_base[kProgrammableCoreTypes] = {};
  uint16_t sem_offset[kProgrammableCoreTypes] = {};
  uint16_t local_cb_offset = 0;
  uint16_t remote_cb_offset = 0;
  RtaOffset rta_offset[kHarts] = {};
  uint8_t mode = 0;  // DispatchMode
  uint8_t pad_43 = 0;
  uint32_t kernel_text_offset[kHarts] = {};
  uint32_t local_cb_mask = 0;
  uint8_t brisc_noc_id = 0;
  uint8_t brisc_noc_mode = 0;  // NocMode
  uint8_t min_remote_cb_start_index = 32;  // the number of circular buffers: no remote ones
  uint8_t exit_erisc_kernel = 0;
  uint32_t host_assigned_id = 0;
  uint32_t enables = 0;
  uint16_t watcher_kernel_ids[kHarts] = {};
  uint16_t ncrisc_kernel_size16 = 0;
  uint8_t sub_device_origin_x = 0;
  uint8_t sub_device_origin_y = 0;
  uint8_t pad_94 = 0;
  uint8_t preload = 0;  // last, so that it is written last
};
static_assert(sizeof(LaunchMessage) == 96);
static_assert(offsetof(LaunchMessage, sem_offset) == 12 && offsetof(LaunchMessage, local_cb_offset) == 18);
static_assert(offsetof(LaunchMessage, remote_cb_offset) == 20 && offsetof(LaunchMessage, rta_offset) == 22);
static_assert(offsetof(LaunchMessage, mode) == 42 && offsetof(LaunchMessage, kernel_text_offset) == 44);
static_assert(offsetof(LaunchMessage, local_cb_mask) == 64 && offsetof(LaunchMessage, brisc_noc_id) == 68);
static_assert(offsetof(LaunchMessage, brisc_noc_mode) == 69);
static_assert(offsetof(LaunchMessage, min_remote_cb_start_index) == 70);
static_assert(offsetof(LaunchMessage, exit_erisc_kernel) == 71 && offsetof(LaunchMessage, host_assigned_id) == 72);
static_assert(offsetof(LaunchMessage, enables) == 76 && offsetof(LaunchMessage, watcher_kernel_ids) == 80);
static_assert(offsetof(LaunchMessage, ncrisc_kernel_size16) == 90);
static_assert(offsetof(LaunchMessage, sub_device_origin_x) == 92 && offsetof(LaunchMessage, preload) == 95);

// One circular buffer in the kernel-config image, densely indexed up to the highest bit of local_cb_mask. In bytes.
struct CbConfig {
  uint32_t address = 0;
  uint32_t size = 0;  // num_pages * page_size
  uint32_t num_pages = 0;
  uint32_t page_size = 0;
};
static_assert(sizeof(CbConfig) == 16);

// The hart's own record of a circular buffer, in its local RAM. BRISC and NCRISC: bytes; TRISC0 and TRISC2: units of
// 16 bytes.                                                                      kernels.md 2.5, tile.md 5.4
struct CbInterface {
  uint32_t fifo_size;
  uint32_t fifo_limit;
  uint32_t fifo_page_size;
  uint32_t fifo_num_pages;
  uint32_t fifo_rd_ptr;
  uint32_t fifo_wr_ptr;
  uint16_t tiles_acked;
  uint16_t tiles_received;
  uint32_t fifo_wr_tile_ptr;
};
static_assert(sizeof(CbInterface) == 32);
static_assert(offsetof(CbInterface, fifo_rd_ptr) == 16 && offsetof(CbInterface, tiles_acked) == 24);
static_assert(offsetof(CbInterface, tiles_received) == 26 && offsetof(CbInterface, fifo_wr_tile_ptr) == 28);

// What the host tells a tile about itself and the grid, inside the mailboxes.
struct CoreInfo {
  uint64_t noc_pcie_addr_base = 0;
  uint64_t noc_pcie_addr_end = 0;
  uint64_t noc_dram_addr_base = 0;
  uint64_t noc_dram_addr_end = 0;
  uint8_t non_worker_cores[35][3] = {};          // x, y, type
  uint8_t virtual_non_worker_cores[29][3] = {};  // x, y, type
  uint8_t harvested_coords[2] = {};
  uint8_t virtual_harvested_coords[2] = {};
  uint8_t noc_size_x = 0;
  uint8_t noc_size_y = 0;
  uint8_t worker_grid_size_x = 0;
  uint8_t worker_grid_size_y = 0;
  uint8_t absolute_logical_x = 0;
  uint8_t absolute_logical_y = 0;
  uint8_t dram_banks = 0;  // ours, where stock firmware has padding: it is compiled for a count
  uint8_t pad = 0;
  uint32_t l1_unreserved_start = 0;
  uint32_t core_magic_number = 0;
  uint32_t pad_244 = 0;
};
static_assert(sizeof(CoreInfo) == 248);
static_assert(offsetof(CoreInfo, absolute_logical_x) == 232 && offsetof(CoreInfo, l1_unreserved_start) == 236);
static_assert(offsetof(CoreInfo, core_magic_number) == 240);

}  // namespace kerr::arch
