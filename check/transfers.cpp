#include "check/transfers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "arch/grid.hpp"
#include "arch/memory_map.hpp"

namespace kerr::check {

namespace {

// The bytes at the other tile.
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

}  // namespace

void describe(Site& site, const Transfer& t) {
  site.cycle = t.cycle;
  site.lane = fmt::format("NoC {} {}, request {}, id {}", t.noc, name(t.kind), t.request, t.id);
  site.detail.push_back(fmt::format("{} of {} bytes", name(t.kind), t.bytes));
  site.remote = remote_of(t);
  site.to_remote = t.kind != Class::Read;
}

// From the operating system, so that only what is used is there.
Transfers::Transfers()
    : blocks_(static_cast<std::atomic<Block*>*>(std::calloc(kBlocks, sizeof(std::atomic<Block*>))), std::free) {
  if (!blocks_) throw std::bad_alloc();
}

Transfers::~Transfers() {
  for (; first_ < end_; ++first_) delete blocks_[first_ % kBlocks].load(std::memory_order_relaxed);
}

Transfer* Transfers::add(uint64_t packet) {
  const uint64_t n = packet / kPerBlock;
  if (end_ == 0) first_ = n;
  if (n < first_ || n - first_ >= kBlocks) {
    miss();
    return nullptr;
  }
  std::atomic<Block*>& place = blocks_[n % kBlocks];
  Block* block = place.load(std::memory_order_relaxed);
  if (block == nullptr) {
    block = new Block;
    block->number = n;
    end_ = std::max(end_, n + 1);
    place.store(block, std::memory_order_release);
  }
  return &block->transfers[packet % kPerBlock];
}

const Transfer* Transfers::find(uint64_t packet) const {
  const uint64_t n = packet / kPerBlock;
  if (n < forgotten_) {
    miss();
    return nullptr;
  }
  const Block* const block = blocks_[n % kBlocks].load(std::memory_order_acquire);
  if (block == nullptr || block->number != n) return nullptr;
  const Transfer& found = block->transfers[packet % kPerBlock];
  return found.clock ? &found : nullptr;
}

void Transfers::forget_old() {
  constexpr uint64_t kKeptBlocks = kKept / kPerBlock;
  for (; first_ + kKeptBlocks < end_; ++first_) {
    delete blocks_[first_ % kBlocks].exchange(nullptr, std::memory_order_relaxed);
    forgotten_ = first_ + 1;
  }
}

}  // namespace kerr::check
