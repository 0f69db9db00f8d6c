#include "arch/soc_descriptor.hpp"

#include <fmt/format.h>

#include <vector>

#include "arch/boards.hpp"
#include "arch/grid.hpp"
#include "arch/memory_map.hpp"

namespace kerr::arch {
namespace {

std::string name(NocCoord c) { return fmt::format("{}-{}", c.x, c.y); }

std::vector<NocCoord> tiles_of(TileClass wanted) {
  std::vector<NocCoord> tiles;
  for (uint8_t y = 0; y < kGridRows; ++y)
    for (uint8_t x = 0; x < kGridColumns; ++x)
      if (tile_class({x, y}) == wanted) tiles.push_back({x, y});
  return tiles;
}

template <class Tiles>
std::string flow_list(const Tiles& tiles) {
  std::string text;
  for (NocCoord tile : tiles) text += (text.empty() ? "" : ", ") + name(tile);
  return "[" + text + "]";
}

std::string mirror_list(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("{}{}", i ? ", " : "", count - 1 - i);
  return "[" + text + "]";
}

}  // namespace

std::string soc_descriptor() {
  std::string y;
  y += fmt::format("grid:\n  x_size: {}\n  y_size: {}\n\n", kGridColumns, kGridRows);
  y += fmt::format("arc: [{}]\n\n", name(kArcTile));
  // The endpoint in use only: tt-umd's simulator back end reads no telemetry that would tell it which one that is, and
  // addresses all that are named.
  y += fmt::format("pcie: [{}]\n\n", name(kPcieTiles[kP150.harvesting.pcie_instance]));

  y += "dram:\n  [\n";
  for (int bank = 0; bank < kDramBanks; ++bank) {
    std::vector<NocCoord> ports;
    for (int port = 0; port < kDramPorts; ++port) ports.push_back(dram_tile(bank, port));
    y += "    " + flow_list(ports) + ",\n";
  }
  y += "  ]\n\n";

  // Channel order is the fuse order, not the order of x.
  std::vector<NocCoord> ethernet;
  for (uint8_t x : kFuseColumnX) ethernet.push_back({x, 1});
  y += fmt::format("eth: {}\n\n", flow_list(ethernet));

  y += "functional_workers:\n  [\n";
  for (uint8_t row = kTensixFirstRow; row < kGridRows; ++row) {
    std::vector<NocCoord> tiles;
    for (uint8_t x : kTensixColumnX) tiles.push_back({x, row});
    const std::string list = flow_list(tiles);
    y += "    " + list.substr(1, list.size() - 2) + ",\n";
  }
  y += "  ]\n\nharvested_workers: []\n\n";

  // A router-only tile has no function of its own; the extra ports of the L2CPUs count as such.
  y += fmt::format("router_only: {}\n\n", flow_list(tiles_of(TileClass::Router)));
  y += fmt::format("security: [{}]\n\n", name(kSecurityTile));
  y += fmt::format("l2cpu: {}\n\n", flow_list(kL2CpuMainPorts));
  y += fmt::format("noc0_x_to_noc1_x: {}\n", mirror_list(kGridColumns));
  y += fmt::format("noc0_y_to_noc1_y: {}\n\n", mirror_list(kGridRows));
  y += fmt::format("worker_l1_size: {}\n", kL1Bytes);
  y += fmt::format("dram_bank_size: {}\n", kDramBankBytes);
  y += fmt::format("eth_l1_size: {}\n", kEthernetL1Bytes);
  y += "arch_name: BLACKHOLE\n\n";
  y += "features:\n";
  y += "  unpacker:\n    version: 2\n";
  y += "  math:\n    dst_size_alignment: 32768\n";
  y += "  packer:\n    version: 2\n";
  y += "  overlay:\n    version: 2\n";
  return y;
}

}  // namespace kerr::arch
