#pragma once

#include <stdint.h>

#include "arch/array.hpp"
#include "arch/grid.hpp"
#include "arch/harvesting.hpp"

// Lists that host and firmware derive from the harvesting: banks, workers, the dispatch pair.
// docs/hardware/noc.md 1.2, 1.6 to 1.8, fast-dispatch.md 1.1
namespace kerr::arch {

// Port of logical bank b used by each NoC: fixed and different, a workaround for a DRAM controller bug (noc.md 6.4).
inline constexpr Array<Array<uint8_t, kNocs>, kDramBanks> kBankPort = {
    Array<uint8_t, 2>{2, 1}, Array<uint8_t, 2>{0, 1}, Array<uint8_t, 2>{0, 1}, Array<uint8_t, 2>{0, 1},
    Array<uint8_t, 2>{2, 1}, Array<uint8_t, 2>{2, 1}, Array<uint8_t, 2>{2, 1}, Array<uint8_t, 2>{2, 1}};

// Logical bank number (physical order without the bad one) to physical bank.
constexpr int physical_bank(const Harvesting& h, int logical) {
  const int bad = bad_dram_bank(h);
  return bad >= 0 && logical >= bad ? logical + 1 : logical;
}

// Translated coordinate of one port of a logical bank.
constexpr NocCoord dram_bank_tile(const Harvesting& h, int logical, int port) {
  return logical_id(h, dram_tile(physical_bank(h, logical), port));
}
// Where a kernel on `noc` reaches a logical bank.
constexpr NocCoord dram_bank_tile_for_noc(const Harvesting& h, int logical, int noc) {
  return dram_bank_tile(h, logical, kBankPort[logical][noc]);
}

// L1 bank i: row-major over the translated worker columns, wrapping. The same on both NoCs.
constexpr NocCoord l1_bank_tile(const Harvesting& h, int bank) {
  const auto columns = translated_columns(h);
  const int n = static_cast<int>(columns.size());
  return {columns[bank % n], static_cast<uint8_t>(kTensixFirstRow + (bank / n) % kTensixRows)};
}

// All Tensix tiles in translated coordinates, row-major.
constexpr List<NocCoord, kTensixTiles> tensix_tiles(const Harvesting& h) {
  List<NocCoord, kTensixTiles> tiles;
  const auto columns = translated_columns(h);
  for (int y = 0; y < kTensixRows; ++y)
    for (uint8_t x : columns) tiles.push_back({x, static_cast<uint8_t>(kTensixFirstRow + y)});
  return tiles;
}

struct DispatchPair {
  NocCoord prefetch;
  NocCoord dispatch;
};
// The two tiles of a queue: for queue 0 rows 2 and 3 of the last translated column, for queue 1 the two rows below.
constexpr DispatchPair dispatch_pair(const Harvesting& h, int queue = 0) {
  const uint8_t x = translated_columns(h).back();
  const uint8_t y = static_cast<uint8_t>(kTensixFirstRow + 2 * queue);
  return {{x, y}, {x, static_cast<uint8_t>(y + 1)}};
}

// The tiles that run user programs while fast dispatch is on: all but the dispatch pairs.
constexpr List<NocCoord, kTensixTiles> worker_tiles(const Harvesting& h, int queues = 1) {
  List<NocCoord, kTensixTiles> tiles;
  const uint8_t x = translated_columns(h).back();
  for (NocCoord tile : tensix_tiles(h))
    if (tile.x != x || tile.y >= kTensixFirstRow + 2 * queues) tiles.push_back(tile);
  return tiles;
}

}  // namespace kerr::arch
