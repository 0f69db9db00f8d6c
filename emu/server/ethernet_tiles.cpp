#include "emu/server/ethernet_tiles.hpp"

#include <cstring>

#include "arch/memory_map.hpp"
#include "arch/tile_registers.hpp"
#include "emu/server/id_registers.hpp"

namespace kerr::emu {

namespace {

constexpr std::uint64_t kL1Bytes = arch::kEthernetL1Bytes;
constexpr std::uint64_t kSoftReset = 0xFFB1'21B0;
constexpr std::uint64_t kResetPc0 = 0xFFB1'4000;
constexpr std::uint64_t kResetPc1 = 0xFFB1'4008;

// Left by the boot firmware of a tile without a cable (noc.md 9).
struct BootResult {
  std::uint32_t address;
  std::uint32_t value;
};
constexpr std::uint32_t kHeartbeat = 0x7CC70;
constexpr BootResult kBootResults[] = {
    {0x7CC00, 0xC0DEA000},                // post code: initialised
    {0x7CC04, 2},                         // port status: down
    {0x7CC08, 2},                         // training: passed
    {kHeartbeat, 1},       {0x7CE04, 0},  // receive link: down
    {0x7CFBC, 0x00010600},                // firmware 1.6.0
};

std::size_t index_of(const ServerAccess& access) {
  return static_cast<std::size_t>(arch::ethernet_index(NocGeometry::raw_of(access.target.node)));
}

}  // namespace

EthernetTiles::EthernetTiles(const NocGeometry& geometry) : Server(geometry), l1_(arch::kEthernetTiles * kL1Bytes) {
  for (std::uint64_t i = 0; i < arch::kEthernetTiles; ++i) {
    if (!((geometry.harvesting().ethernet >> i) & 1)) continue;
    for (const BootResult& result : kBootResults) l1_.store32(i * kL1Bytes + result.address, result.value);
  }
}

std::uint32_t* EthernetTiles::reset_pc(const ServerAccess& access) {
  if (access.address == kResetPc0) return &registers_[index_of(access)].reset_pc[0];
  if (access.address == kResetPc1) return &registers_[index_of(access)].reset_pc[1];
  return nullptr;
}

bool EthernetTiles::read(const ServerAccess& access, std::span<std::uint8_t> out) {
  if (read_id_register(access, out)) return true;
  if (!check(access, "read", out.size())) return false;
  const std::uint64_t base = index_of(access) * kL1Bytes;
  if (access.address < kL1Bytes) {
    l1_.read(base + access.address, out);
    // Hosts take a heartbeat that does not move between two reads for a dead tile.
    if (access.address == kHeartbeat) l1_.store32(base + kHeartbeat, l1_.load32(base + kHeartbeat) + 1);
    return true;
  }
  const std::uint32_t* pc = reset_pc(access);
  const std::uint32_t value = pc ? *pc : registers_[index_of(access)].soft_reset;
  std::memcpy(out.data(), &value, 4);
  return true;
}

bool EthernetTiles::write(const ServerAccess& access, std::span<const std::uint8_t> bytes) {
  if (!check(access, "write", bytes.size())) return false;
  if (access.address < kL1Bytes) {
    l1_.write(index_of(access) * kL1Bytes + access.address, bytes);
    return true;
  }
  std::uint32_t value;
  std::memcpy(&value, bytes.data(), 4);
  if (std::uint32_t* pc = reset_pc(access)) {
    *pc = value;
    return true;
  }
  if ((value & kBothInReset) != kBothInReset) {
    return refuse(access, FaultCategory::Unsupported, "write", 4,
                  "a core of an Ethernet tile was released; they are not modelled",
                  "Leave bits 11 and 12 of SOFT_RESET_0 set.");
  }
  return true;
}

bool EthernetTiles::check(const ServerAccess& access, const char* verb, std::size_t bytes) {
  if (!is_enabled(geometry_.harvesting(), NocGeometry::raw_of(access.target.node))) {
    return refuse(access, FaultCategory::UndefinedBehavior, verb, bytes, "the tile is harvested and never answers");
  }
  if (access.address < arch::kNocMmioBase) {
    if (access.address <= kL1Bytes && bytes <= kL1Bytes - access.address) return true;
    return refuse(access, FaultCategory::OutOfBounds, verb, bytes, "an Ethernet tile has 0x80000 bytes of L1");
  }
  const bool known = access.address == kSoftReset || access.address == kResetPc0 || access.address == kResetPc1;
  if (known && bytes == 4) return true;
  return refuse(
      access, FaultCategory::Unsupported, verb, bytes,
      "of an Ethernet tile's registers only SOFT_RESET_0, the reset PCs and identification are modelled, with 4 bytes");
}

void EthernetTiles::serialize(Archive& a) {
  Server::serialize(a);
  a(l1_, registers_);
}

}  // namespace kerr::emu
