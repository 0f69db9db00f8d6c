#include "check/transfers.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "arch/grid.hpp"
#include "arch/memory_map.hpp"

namespace kerr::check {

Object remote_of(const Transfer& transfer) {
  const emu::TileId tile = transfer.remote_tile;
  const arch::NocCoord at{static_cast<uint8_t>(tile.x()), static_cast<uint8_t>(tile.y())};
  Object out{.tile = tile, .address = transfer.remote, .bytes = transfer.bytes};
  switch (arch::tile_class(at)) {
    case arch::TileClass::Dram: out.space = Space::Dram; break;
    case arch::TileClass::Pcie: out.space = Space::HostMemory; break;
    default: out.space = transfer.remote < arch::kNocMmioBase ? Space::L1 : Space::Register;
  }
  return out;
}

// From the operating system, so that only what is used is there.
Transfers::Transfers()
    : chunks_(static_cast<std::atomic<Block*>*>(std::calloc(kChunks, sizeof(std::atomic<Block*>))), std::free) {
  if (!chunks_) throw std::bad_alloc();
}

Transfers::~Transfers() {
  for (uint64_t n = 0; n < used_; ++n) {
    if (Block* const block = chunks_[n].load(std::memory_order_relaxed)) delete block;
  }
}

Transfer* Transfers::add(uint64_t packet) {
  const uint64_t n = packet / kPerChunk;
  if (n >= kChunks) return nullptr;
  Block* block = chunks_[n].load(std::memory_order_relaxed);
  if (block == nullptr) {
    block = new Block;
    used_ = std::max(used_, n + 1);
    chunks_[n].store(block, std::memory_order_release);
  }
  return &(*block)[packet % kPerChunk];
}

const Transfer* Transfers::find(uint64_t packet) const {
  const uint64_t n = packet / kPerChunk;
  if (n >= kChunks) return nullptr;
  const Block* const block = chunks_[n].load(std::memory_order_acquire);
  if (block == nullptr) return nullptr;
  const Transfer& found = (*block)[packet % kPerChunk];
  return found.clock ? &found : nullptr;
}

}  // namespace kerr::check
