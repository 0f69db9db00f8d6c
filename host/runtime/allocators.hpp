// Who has what of a chip's memory.
#pragma once

#include <cstdint>
#include <mutex>

#include "arch/cq_layout.hpp"
#include "arch/memory_map.hpp"
#include "host/device/pcie_device.hpp"
#include "host/runtime/free_list.hpp"

namespace kerr::host {

/// Outlives the chip, as buffers do; the next chip on the same device may go on with it (ChipOptions::allocators). What
/// holds for one bank holds for all.
struct Allocators {
  // Address 0 of every DRAM bank is kept for a write barrier's flag word (noc.md 7.2). L1 buffers lie above everything
  // that the queue keeps on its two tiles, so a buffer may use their banks too.
  static constexpr uint64_t kDramBegin = 0x40, kDramAlign = 64;
  static constexpr uint64_t kL1Begin = arch::cq::kDispatchSCb + arch::cq::kDispatchSCbBytes, kL1Align = 16;

  std::mutex mutex;
  FreeList dram{"each DRAM bank", kDramBegin, arch::kDramRegisterBase, kDramAlign};
  FreeList l1{"each tile's L1", kL1Begin, arch::kL1Bytes, kL1Align};
  PcieDevice* told = nullptr;  // the device of the chip that lives, if it wants to know what is freed
};

/// How much memory all banks together have.
struct MemoryUse {
  uint64_t bytes = 0, used = 0;
  uint64_t largest = 0;  // the largest buffer that fits
};

}  // namespace kerr::host
