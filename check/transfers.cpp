#include "check/transfers.hpp"

#include <fmt/format.h>

#include <algorithm>

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

Transfers::~Transfers() {
  for (; first_ < end_; ++first_) delete block(first_);
  for (const std::atomic<Group*>& group : groups_) delete group.load(std::memory_order_relaxed);
}

Transfer* Transfers::add(uint64_t packet) {
  const uint64_t n = packet / kPerBlock;
  if (end_ == 0) first_ = n;
  if (n < first_ || n - first_ >= kBlocks) {
    miss();
    return nullptr;
  }
  std::atomic<Group*>& group = groups_[n % kBlocks / kPerGroup];
  if (group.load(std::memory_order_relaxed) == nullptr) group.store(new Group{}, std::memory_order_release);
  std::atomic<Block*>& place = (*group.load(std::memory_order_relaxed))[n % kPerGroup];
  if (place.load(std::memory_order_relaxed) == nullptr) {
    auto made = std::make_unique<Block>();
    made->number = n;
    end_ = std::max(end_, n + 1);
    place.store(made.release(), std::memory_order_release);
  }
  return &place.load(std::memory_order_relaxed)->transfers[packet % kPerBlock];
}

const Transfer* Transfers::find(uint64_t packet) const {
  const uint64_t n = packet / kPerBlock;
  if (n < forgotten_) {
    miss();
    return nullptr;
  }
  const Block* const holder = block(n);
  if (holder == nullptr || holder->number != n) return nullptr;
  const Transfer& found = holder->transfers[packet % kPerBlock];
  return found.clock ? &found : nullptr;
}

void Transfers::forget_old() {
  constexpr uint64_t kKeptBlocks = kKept / kPerBlock;
  for (; first_ + kKeptBlocks < end_; ++first_) {
    if (Group* const group = groups_[first_ % kBlocks / kPerGroup].load(std::memory_order_relaxed))
      delete (*group)[first_ % kPerGroup].exchange(nullptr, std::memory_order_relaxed);
    forgotten_ = first_ + 1;
  }
}

}  // namespace kerr::check
