// Tiles as notes of the host stack name them.   arch/host_notes.hpp
#pragma once

#include <optional>
#include <vector>

#include "arch/boards.hpp"
#include "arch/harvesting.hpp"
#include "emu/agent.hpp"

namespace kerr::emu {

class NotedTiles {
 public:
  /// `boards`: of the machine.
  explicit NotedTiles(const std::vector<arch::Board>& boards) {
    for (const arch::Board& board : boards) tables_.push_back(arch::translation_tables(board.harvesting, 0));
  }

  /// The tile at these translated coordinates of a chip. Nothing if there is no such chip or tile.
  std::optional<TileId> at(size_t chip, arch::NocCoord translated) const {
    if (chip >= tables_.size()) return std::nullopt;
    const arch::NocCoord raw = arch::raw_of(tables_[chip], 0, translated);
    return raw.on_grid() ? std::optional(TileId::at(static_cast<int>(chip), raw.x, raw.y)) : std::nullopt;
  }

 private:
  std::vector<arch::TranslationTables> tables_;
};

}  // namespace kerr::emu
