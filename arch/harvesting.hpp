#pragma once

#include <stdint.h>

#include "arch/array.hpp"
#include "arch/grid.hpp"

// Which parts of a chip are good, and what follows from it: the coordinate translation of every NIU.
// docs/hardware/noc.md 1.3 to 1.5
namespace kerr::arch {

// Bits as in telemetry tags 34, 35 and 36: 1 = good.
struct Harvesting {
  uint16_t tensix_columns = 0x3FFF;  // bit i: column kFuseColumnX[i]
  uint16_t ethernet = 0x3EDF;        // bit i: tile Ei
  uint8_t dram_banks = 0xFF;         // bit b: physical bank b; at most one may be bad
  uint8_t pcie_instance = 0;         // which PCIe tile is the endpoint

  friend constexpr bool operator==(const Harvesting&, const Harvesting&) = default;
};

constexpr int count_bits(uint32_t v) {
  int n = 0;
  for (; v; v &= v - 1) ++n;
  return n;
}

// True if translation tables exist for it: at most 7 bad Tensix columns, at most one bad bank.
constexpr bool is_valid(const Harvesting& h) {
  return (h.tensix_columns & ~0x3FFF) == 0 && count_bits(h.tensix_columns) >= 7 && (h.ethernet & ~0x3FFF) == 0 &&
         count_bits(h.dram_banks) >= 7 && h.pcie_instance < 2;
}

constexpr int good_tensix_columns(const Harvesting& h) { return count_bits(h.tensix_columns); }
constexpr int good_dram_banks(const Harvesting& h) { return count_bits(h.dram_banks); }

// Physical number of the bad bank, or -1.
constexpr int bad_dram_bank(const Harvesting& h) {
  for (int b = 0; b < kDramBanks; ++b)
    if (!((h.dram_banks >> b) & 1)) return b;
  return -1;
}

constexpr bool tensix_column_good(const Harvesting& h, int raw_x) {
  for (int i = 0; i < kTensixColumns; ++i)
    if (kFuseColumnX[i] == raw_x) return (h.tensix_columns >> i) & 1;
  return false;
}

// Translated Tensix columns: always the first n of 1..7, 10..16 (translated coordinates have no holes).
constexpr List<uint8_t, kTensixColumns> translated_columns(const Harvesting& h) {
  List<uint8_t, kTensixColumns> columns;
  for (int i = 0; i < good_tensix_columns(h); ++i) columns.push_back(kTensixColumnX[i]);
  return columns;
}

// Tables of 32 entries in the NIU, as ARC firmware programs them; results are in the own numbering of that NoC.
struct TranslationTables {
  Array<uint8_t, 32> x;
  Array<uint8_t, 32> y;
  uint32_t row_mask = 0;  // rows whose X is not translated
  uint32_t col_mask = 0;  // columns whose Y is not translated

  constexpr NocCoord translate(NocCoord pre) const {
    const bool keep_x = pre.y < 32 && ((row_mask >> pre.y) & 1);
    const bool keep_y = pre.x < 32 && ((col_mask >> pre.x) & 1);
    return {keep_x ? pre.x : x[pre.x & 31], keep_y ? pre.y : y[pre.y & 31]};
  }
};

inline constexpr uint32_t kTranslateRowMask = 0x3;  // rows 0 and 1 keep their X
inline constexpr uint32_t kTranslateColMask = 0;
inline constexpr int kTranslatedDramX = 17;  // and 18
inline constexpr int kTranslatedDramY = 12;  // 12 + 3 * slot + port
inline constexpr NocCoord kTranslatedPcie{19, 24};
inline constexpr int kTranslatedEthernetX = 20;
inline constexpr int kTranslatedEthernetY = 25;
inline constexpr int kTranslatedL2CpuY = 26;
inline constexpr NocCoord kTranslatedSecurity{8, 30};

// Raw x of every X index 1..7, 10..16: good columns ascending first, then bad ones from index 16 downwards in fuse
// order.
constexpr Array<uint8_t, 17> tensix_column_table(const Harvesting& h) {
  Array<uint8_t, 17> table;
  int next = 0;
  for (int raw_x : kTensixColumnX)
    if (tensix_column_good(h, raw_x)) table[kTensixColumnX[next++]] = static_cast<uint8_t>(raw_x);
  int last = kTensixColumns - 1;
  for (int i = 0; i < kTensixColumns; ++i)
    if (!((h.tensix_columns >> i) & 1)) table[kTensixColumnX[last--]] = kFuseColumnX[i];
  return table;
}

// Row group (physical bank modulo 4) behind each of the four slots of the Y table: the bad bank's group goes last.
constexpr Array<uint8_t, 4> dram_row_groups(const Harvesting& h) {
  const int bad = bad_dram_bank(h) < 0 ? 4 : bad_dram_bank(h) & 3;
  Array<uint8_t, 4> groups;
  int slot = 0;
  for (int g = 0; g < 4; ++g)
    if (g != bad) groups[slot++] = static_cast<uint8_t>(g);
  if (slot < 4) groups[slot] = static_cast<uint8_t>(bad);
  return groups;
}

// Raw x behind translated x = 17 and 18: the column with all four banks is always 17.
constexpr Array<uint8_t, 2> dram_columns(const Harvesting& h) {
  const int bad = bad_dram_bank(h);
  return bad >= 0 && bad < 4 ? Array<uint8_t, 2>{9, 0} : Array<uint8_t, 2>{0, 9};
}

// The Ethernet tiles that have a translated coordinate, in index order: all but the highest disabled one of 4..6 and
// the highest disabled one of 7..9 (6 and 9 if neither group has one disabled, so that always 12 remain).
constexpr Array<uint8_t, kEthernetMapped> mapped_ethernet_tiles(const Harvesting& h) {
  int skip_low = 6;
  int skip_high = 9;
  for (int i = 4; i <= 6; ++i)
    if (!((h.ethernet >> i) & 1)) skip_low = i;
  for (int i = 7; i <= 9; ++i)
    if (!((h.ethernet >> i) & 1)) skip_high = i;
  Array<uint8_t, kEthernetMapped> tiles;
  int rank = 0;
  for (int i = 0; i < kEthernetTiles; ++i)
    if (i != skip_low && i != skip_high) tiles[rank++] = static_cast<uint8_t>(i);
  return tiles;
}

constexpr TranslationTables translation_tables(const Harvesting& h, int noc) {
  TranslationTables t;
  t.row_mask = kTranslateRowMask;
  t.col_mask = kTranslateColMask;
  for (int i = 0; i < 12; ++i) t.y[i] = static_cast<uint8_t>(i);
  t.x[8] = 8;
  t.x[9] = 9;
  const auto columns = tensix_column_table(h);
  for (int i : kTensixColumnX) t.x[i] = columns[i];
  const auto dram_x = dram_columns(h);
  t.x[kTranslatedDramX] = dram_x[0];
  t.x[kTranslatedDramX + 1] = dram_x[1];
  t.x[19] = kPcieTiles[h.pcie_instance].x;
  const auto ethernet = mapped_ethernet_tiles(h);
  for (int i = 0; i < kEthernetMapped; ++i) t.x[kTranslatedEthernetX + i] = kFuseColumnX[ethernet[i]];
  const auto groups = dram_row_groups(h);
  for (int slot = 0; slot < 4; ++slot)
    for (int port = 0; port < kDramPorts; ++port)
      t.y[kTranslatedDramY + 3 * slot + port] = kDramPortY[groups[slot]][port];
  t.y[24] = 0;
  t.y[25] = 1;
  for (int i = 0; i < kL2CpuTiles; ++i) t.y[kTranslatedL2CpuY + i] = kL2CpuMainPorts[i].y;
  t.y[30] = kSecurityTile.y;
  if (noc == 1) {
    for (uint8_t& x : t.x) x = static_cast<uint8_t>(kGridColumns - 1 - x);
    for (uint8_t& y : t.y) y = static_cast<uint8_t>(kGridRows - 1 - y);
  }
  return t;
}

// The raw NoC 0 position that a coordinate written by software on `noc` reaches. Check on_grid() of the result:
// coordinates of 6 bits can name no tile.
constexpr NocCoord raw_of(const TranslationTables& tables, int noc, NocCoord written) {
  const NocCoord own = tables.translate(written);
  return own.on_grid() ? noc_to_raw(noc, own) : NocCoord{63, 63};
}

// NOC_ID_LOGICAL of the tile at a raw position: its preferred translated coordinate, the same in both NIUs.
constexpr NocCoord logical_id(const Harvesting& h, NocCoord raw) {
  switch (tile_class(raw)) {
    case TileClass::Tensix: {
      const auto columns = tensix_column_table(h);
      for (uint8_t i : kTensixColumnX)
        if (columns[i] == raw.x) return {i, raw.y};
      return raw;
    }
    case TileClass::Dram: {
      const DramPort p = dram_port(raw);
      const auto groups = dram_row_groups(h);
      for (int slot = 0; slot < 4; ++slot)
        if (groups[slot] == (p.bank & 3))
          return {static_cast<uint8_t>(kTranslatedDramX + (dram_columns(h)[0] != raw.x)),
                  static_cast<uint8_t>(kTranslatedDramY + 3 * slot + p.port)};
      return raw;
    }
    case TileClass::Pcie: return raw == kPcieTiles[h.pcie_instance] ? kTranslatedPcie : raw;
    case TileClass::Ethernet: {
      const auto tiles = mapped_ethernet_tiles(h);
      for (int i = 0; i < kEthernetMapped; ++i)
        if (tiles[i] == ethernet_index(raw))
          return {static_cast<uint8_t>(kTranslatedEthernetX + i), static_cast<uint8_t>(kTranslatedEthernetY)};
      return raw;
    }
    case TileClass::L2Cpu:
      for (int i = 0; i < kL2CpuTiles; ++i)
        if (kL2CpuMainPorts[i] == raw) return {8, static_cast<uint8_t>(kTranslatedL2CpuY + i)};
      return raw;
    case TileClass::Security: return kTranslatedSecurity;
    default: return raw;
  }
}

// Broadcast opt-out masks (ROUTER_CFG_1 columns, ROUTER_CFG_3 rows), in the own numbering of the NoC. noc.md 3.5
struct BroadcastMasks {
  uint32_t columns = 0;
  uint32_t rows = 0;
};
constexpr BroadcastMasks broadcast_masks(const Harvesting& h, int noc) {
  BroadcastMasks m;
  for (int x = 0; x < kGridColumns; ++x)
    if (!is_tensix_column(x) || !tensix_column_good(h, x)) m.columns |= 1u << (noc == 0 ? x : kGridColumns - 1 - x);
  for (int y = 0; y < kTensixFirstRow; ++y) m.rows |= 1u << (noc == 0 ? y : kGridRows - 1 - y);
  return m;
}

}  // namespace kerr::arch
