#include "tests/emu/tile/world.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "arch/bytes.hpp"

namespace kerr::emu {

Tile& World::tile(int x, int y) {
  const arch::NocCoord written{static_cast<uint8_t>(x), static_cast<uint8_t>(y)};
  const arch::NocCoord raw = arch::raw_of(geometry.translation(0), 0, written);
  std::unique_ptr<Tile>& tile = tiles_[NocGeometry::node_of(raw)];
  if (!tile) {
    tile = std::make_unique<Tile>(TileId::at(0, raw.x, raw.y), geometry, options_, lines_);
  }
  return *tile;
}

void World::run(Cycle cycles) {
  const Cycle until = time_ + cycles;
  deliver();
  while (time_ < until) {
    time_ += kRelaxedWindowCycles;
    for (auto& [node, tile] : tiles_) tile->run(time_);
    deliver();
  }
}

void World::deliver() {
  for (auto& [node, from] : tiles_) {
    for (Message& message : from->outbox().messages()) {
      message.arrival = message.sent + kRelaxedWindowCycles;
      const auto to = tiles_.find(message.destination.node);
      if (to == tiles_.end()) {
        elsewhere.push_back(std::move(message));
      } else {
        to->second->inbox().push(std::move(message));
      }
    }
    from->outbox().messages().clear();
  }
}

uint64_t World::state_hash() const {
  uint64_t hash = 0;
  for (const auto& [node, tile] : tiles_) hash = hash * 31 + hash_of(*tile);
  return hash;
}

uint32_t word(Tile& tile, uint64_t address) {
  uint32_t value = 0;
  EXPECT_TRUE(tile.host_read(address, arch::as_uint8(value))) << std::hex << address;
  return value;
}

bool set(Tile& tile, uint64_t address, uint32_t value) { return tile.host_write(address, arch::as_uint8(value)); }

std::string the_fault(Tile& tile) {
  const std::vector<Fault> faults = tile.faults().take();
  EXPECT_LE(faults.size(), 1u);
  return faults.empty() ? "" : std::string(category_name(faults[0].category)) + ": " + faults[0].what;
}

void start(Tile& tile, arch::Hart hart, const Program& program) {
  isa::Assembler a;
  program(a);
  const isa::Label stop = a.here();
  a.j(stop);
  const auto at = 0x4000 + 0x2000 * static_cast<uint32_t>(hart);
  EXPECT_TRUE(tile.host_write(at, a.finish(at).bytes));
  if (hart == arch::Hart::Brisc) {
    set(tile, 0, arch::jal_word(at));
  } else if (hart == arch::Hart::Ncrisc) {
    set(tile, arch::kNcriscResetPc, at);
    set(tile, arch::kNcriscResetPcOverride, 1);
  } else {
    set(tile, arch::kTrisc0ResetPc + 4u * static_cast<unsigned>(thread_of(hart)), at);
    set(tile, arch::kTriscResetPcOverride, 7);
  }
  const uint32_t bit = 1u << arch::kSoftResetBit[static_cast<size_t>(hart)];
  EXPECT_TRUE(set(tile, arch::kSoftReset0, word(tile, arch::kSoftReset0) & ~bit));
}

bool issue(Tile& tile, const Request& r, int noc, int buffer) {
  using namespace arch::niu;
  const std::pair<uint32_t, uint32_t> writes[] = {
      {kTargAddrLo, r.targ},      {kTargAddrMid, r.targ_mid}, {kTargAddrHi, r.targ_hi}, {kRetAddrLo, r.ret},
      {kRetAddrMid, r.ret_mid},   {kRetAddrHi, r.ret_hi},     {kAtLenBe, r.length},     {kAtData, r.data},
      {kBrcstExclude, r.exclude}, {kPacketTag, r.tag},        {kCtrl, r.ctrl},          {kCmdCtrl, kCmdCtrlIssue}};
  for (const auto& [offset, value] : writes) {
    if (!set(tile, arch::niu_address(noc, buffer, offset), value)) return false;
  }
  return true;
}

uint32_t counter(Tile& tile, int index, int noc) { return word(tile, arch::niu_counter_address(noc, index)); }

}  // namespace kerr::emu
