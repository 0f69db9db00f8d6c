// Device memory that holds tensors.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arch/grid.hpp"

namespace kerr::host {

enum class Memory : uint8_t { Dram, L1 };

/// Interleaved pages are laid round the banks, first page in bank 0: page p lies in bank p % banks at
/// address + p / banks * stride, the layout of kernels' interleaved address generators (docs/hardware/noc.md 7.2).
/// Sharded: page p lies in bank p / pages_per_shard at address + p % pages_per_shard * stride.
/// Freed when the last copy goes.
class Buffer {
 public:
  /// Where a page begins.
  struct Place {
    arch::NocCoord tile;  ///< translated
    uint64_t address;
  };

  /// Where its banks are: DRAM, or the L1 of Tensix tiles.
  Memory memory() const { return state_->memory; }
  /// The same in every bank; what kernels get as base address.
  uint32_t address() const { return state_->address; }
  uint32_t page_bytes() const { return state_->page_bytes; }
  uint32_t pages() const { return state_->pages; }
  /// Size of all pages, the last one whole: at least what was asked for.
  uint64_t bytes() const { return static_cast<uint64_t>(state_->pages) * state_->page_bytes; }
  /// `index`: below pages().
  Place page(uint32_t index) const;
  bool is_sharded() const { return state_->pages_per_shard != 0; }
  /// Bytes from one page of a bank to the next.
  uint32_t stride() const { return state_->stride; }
  /// Banks that hold pages: of the chip's DRAM or L1, or the cores of a sharded buffer.
  uint32_t banks() const { return static_cast<uint32_t>(state_->banks.size()); }
  /// Pages from `index` on that lie one behind the other in one bank.
  uint32_t pages_in_a_row(uint32_t index) const;
  /// arch::note::Allocated::id, or 0.
  uint64_t id() const { return state_->id; }
  /// Throws DeviceError (HostError) if `bytes` from `offset` on are not all inside.
  void require_range(uint64_t bytes, uint64_t offset) const;

  struct State {  // made by Chip::allocate()
    Memory memory;
    uint32_t address;
    uint32_t page_bytes;
    uint32_t stride;  // page_bytes rounded up to 64 (DRAM) or 16 (L1)
    uint32_t pages;
    uint32_t pages_per_shard = 0;  // 0: interleaved
    std::vector<arch::NocCoord> banks;
    uint64_t id = 0;                   // for who watches the device (arch/host_notes.hpp); 0: nobody does
    std::shared_ptr<void> allocation;  // gives the memory back
  };
  explicit Buffer(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const State> state_;
};

}  // namespace kerr::host
