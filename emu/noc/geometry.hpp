// The kind of each node of a chip, and what its NIUs hold once the ARC firmware has run.
// docs/hardware/noc.md 1, 3.5
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "arch/grid.hpp"
#include "arch/harvesting.hpp"
#include "emu/agent.hpp"

namespace kerr::emu {

/// False for a Tensix column, an Ethernet tile or a DRAM bank that the board has switched off.
bool is_enabled(const arch::Harvesting& harvesting, arch::NocCoord raw);

/// Constant, shared by everything on a chip.
class NocGeometry {
 public:
  /// Throws std::invalid_argument if no translation tables exist for `harvesting` (arch::is_valid).
  explicit NocGeometry(const arch::Harvesting& harvesting);

  const arch::Harvesting& harvesting() const { return harvesting_; }
  /// As programmed at start: a NIU keeps its own copy, in registers.
  const arch::TranslationTables& translation(int noc) const { return translation_[noc]; }
  arch::BroadcastMasks broadcast_masks(int noc) const { return broadcast_[noc]; }

  arch::TileClass class_of(uint8_t node) const { return class_[node]; }
  /// True if packets to the node are served: a good Tensix column, an Ethernet tile that is on, a port of a good DRAM
  /// bank, the PCIe endpoint, ARC.
  bool present(uint8_t node) const { return present_[node]; }
  /// A present tile with harts: Tensix or Ethernet.
  bool has_harts(uint8_t node) const {
    return present_[node] && (class_[node] == arch::TileClass::Tensix || class_[node] == arch::TileClass::Ethernet);
  }
  /// All present Tensix tiles, ascending.
  const std::vector<uint8_t>& tensix() const { return tensix_; }

  /// "Tensix tile (1,2), raw (1,2)": the translated coordinate that software uses, then the place.
  std::string describe(TileId tile) const;

  static constexpr uint8_t node_of(arch::NocCoord raw) {
    return static_cast<uint8_t>(raw.y * arch::kGridColumns + raw.x);
  }
  static constexpr arch::NocCoord raw_of(uint8_t node) {
    return {static_cast<uint8_t>(node % arch::kGridColumns), static_cast<uint8_t>(node / arch::kGridColumns)};
  }

 private:
  const arch::Harvesting harvesting_;
  std::array<arch::TranslationTables, arch::kNocs> translation_;
  std::array<arch::BroadcastMasks, arch::kNocs> broadcast_;
  std::array<arch::TileClass, arch::kGridTiles> class_;
  std::array<bool, arch::kGridTiles> present_;
  std::vector<uint8_t> tensix_;
};

}  // namespace kerr::emu
