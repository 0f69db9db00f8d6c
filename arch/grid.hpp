#pragma once

#include <stdint.h>

#include "arch/array.hpp"

// The grid of NoC nodes: 17 columns by 12 rows.                                    docs/hardware/noc.md 1.1
namespace kerr::arch {

inline constexpr int kGridColumns = 17;
inline constexpr int kGridRows = 12;
inline constexpr int kGridTiles = kGridColumns * kGridRows;
inline constexpr int kNocs = 2;

// A NoC coordinate. Which numbering it belongs to (raw NoC 0, raw NoC 1, translated) is the holder's business.
struct NocCoord {
  uint8_t x = 0;
  uint8_t y = 0;

  // The form of bank tables and of *_ADDR_HI: y in [11:6], x in [5:0].
  constexpr uint32_t packed() const { return (static_cast<uint32_t>(y) << 6) | x; }
  static constexpr NocCoord unpack(uint32_t word) {
    return {static_cast<uint8_t>(word & 63), static_cast<uint8_t>((word >> 6) & 63)};
  }
  constexpr bool on_grid() const { return x < kGridColumns && y < kGridRows; }
  friend constexpr bool operator==(NocCoord a, NocCoord b) { return a.x == b.x && a.y == b.y; }
  // Row-major order, x fastest: the order of every list of tiles in this project.
  friend constexpr bool operator<(NocCoord a, NocCoord b) { return a.y != b.y ? a.y < b.y : a.x < b.x; }
};

// Both NoCs connect the same tiles; NoC 1 counts from the opposite corner. The function is its own inverse.
constexpr NocCoord mirror(NocCoord c) {
  return {static_cast<uint8_t>(kGridColumns - 1 - c.x), static_cast<uint8_t>(kGridRows - 1 - c.y)};
}
// Raw NoC 0 position to the own numbering of `noc`, and back.
constexpr NocCoord raw_to_noc(int noc, NocCoord raw) { return noc == 0 ? raw : mirror(raw); }
constexpr NocCoord noc_to_raw(int noc, NocCoord own) { return noc == 0 ? own : mirror(own); }

enum class TileClass : uint8_t { Tensix, Ethernet, Dram, Pcie, Arc, Security, L2Cpu, Router };

constexpr const char* name_of(TileClass c) {
  constexpr const char* kNames[] = {"Tensix", "Ethernet", "DRAM", "PCIe", "ARC", "security", "L2CPU", "router"};
  return kNames[static_cast<int>(c)];
}

inline constexpr int kTensixColumns = 14;
inline constexpr int kTensixRows = 10;
inline constexpr int kTensixFirstRow = 2;
inline constexpr int kTensixTiles = kTensixColumns * kTensixRows;
inline constexpr int kEthernetTiles = 14;
inline constexpr int kEthernetMapped = 12;  // tiles that have a translated coordinate (20..31, 25)
inline constexpr int kDramBanks = 8;
inline constexpr int kDramPorts = 3;
inline constexpr int kL2CpuTiles = 4;

// Tensix columns in ascending x; raw and translated coordinates use the same set.
inline constexpr Array<uint8_t, kTensixColumns> kTensixColumnX = {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16};
// Fuse index (bit of telemetry tags 34 and 35) to raw x: Tensix columns and Ethernet tiles E0..E13 alike.
inline constexpr Array<uint8_t, kTensixColumns> kFuseColumnX = {1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11, 7, 10};

inline constexpr NocCoord kArcTile{8, 0};
inline constexpr NocCoord kSecurityTile{8, 2};
inline constexpr Array<NocCoord, 2> kPcieTiles = {NocCoord{2, 0}, NocCoord{11, 0}};
inline constexpr Array<NocCoord, kL2CpuTiles> kL2CpuMainPorts = {NocCoord{8, 3}, NocCoord{8, 9}, NocCoord{8, 5},
                                                                 NocCoord{8, 7}};

// Raw y of port 0..2 of the banks of one column (banks 0..3 at x = 0, 4..7 at x = 9).
inline constexpr Array<Array<uint8_t, kDramPorts>, 4> kDramPortY = {
    Array<uint8_t, 3>{0, 1, 11}, Array<uint8_t, 3>{2, 10, 3}, Array<uint8_t, 3>{9, 4, 8}, Array<uint8_t, 3>{5, 7, 6}};

constexpr NocCoord dram_tile(int bank, int port) {
  return {static_cast<uint8_t>(bank < 4 ? 0 : 9), kDramPortY[bank & 3][port]};
}

struct DramPort {
  int bank = -1;
  int port = -1;
};
// Physical bank and port of a raw DRAM tile; {-1, -1} for any other tile.
constexpr DramPort dram_port(NocCoord raw) {
  if (raw.x != 0 && raw.x != 9) return {};
  for (int b = 0; b < 4; ++b)
    for (int p = 0; p < kDramPorts; ++p)
      if (kDramPortY[b][p] == raw.y) return {raw.x == 0 ? b : b + 4, p};
  return {};
}

constexpr bool is_tensix_column(int x) { return x >= 1 && x <= 16 && x != 8 && x != 9; }

// The class of the tile at a raw NoC 0 position of a whole (unharvested) chip.
constexpr TileClass tile_class(NocCoord raw) {
  if (raw.x == 0 || raw.x == 9) return TileClass::Dram;
  if (raw.y >= kTensixFirstRow && is_tensix_column(raw.x)) return TileClass::Tensix;
  if (raw.y == 1 && is_tensix_column(raw.x)) return TileClass::Ethernet;
  if (raw == kPcieTiles[0] || raw == kPcieTiles[1]) return TileClass::Pcie;
  if (raw == kArcTile) return TileClass::Arc;
  if (raw == kSecurityTile) return TileClass::Security;
  for (NocCoord port : kL2CpuMainPorts)
    if (raw == port) return TileClass::L2Cpu;
  return TileClass::Router;
}

// E0..E13 by raw position; -1 elsewhere.
constexpr int ethernet_index(NocCoord raw) {
  if (raw.y != 1) return -1;
  for (int i = 0; i < kEthernetTiles; ++i)
    if (kFuseColumnX[i] == raw.x) return i;
  return -1;
}

}  // namespace kerr::arch
