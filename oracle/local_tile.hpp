// One tile of our emulator, without a chip around it: what a case runs on when no library is involved.
#pragma once

#include "emu/tile/tile.hpp"
#include "oracle/device.hpp"

namespace kerr::oracle {

/// Whatever coordinates are given, they mean this tile. A fault throws std::runtime_error with its report.
class LocalTile final : public Chip {
 public:
  LocalTile();
  void write(TileXy tile, uint64_t address, std::span<const uint8_t> bytes) override;
  std::vector<uint8_t> read(TileXy tile, uint64_t address, size_t bytes) override;
  void clock(uint32_t cycles) override;

 private:
  void check();

  emu::NocGeometry geometry_;
  emu::Tile tile_;
};

}  // namespace kerr::oracle
