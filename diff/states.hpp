// The first window behind which two runs are not in the same state.   docs/guide/compare-two-runs.md
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diff/inputs.hpp"
#include "emu/machine/machine.hpp"

namespace kerr::diff {

/// Bytes of a tile's L1 that differ.
struct OtherBytes {
  emu::TileId tile;
  uint32_t address = 0, bytes = 0;
  std::vector<uint8_t> a, b;  // the first of them, 8 at most
};

struct States {
  emu::Cycle equal_until = 0;
  std::optional<emu::Cycle> differ_at{};   // nothing: they never differ
  std::vector<OtherBytes> bytes{};         // there: the first of each tile, by tile
  std::vector<emu::TileId> other_tiles{};  // that differ elsewhere than in L1: registers, packets under way
  std::vector<uint8_t> snapshots[2];       // of `equal_until`; empty: at power-on
};

/// Replays both logs, and parts of them again: as often as an eighth of a run is halved until a window is left. Throws
/// emu::SnapshotError if a log is damaged or does not begin at power-on.
States compare_states(const std::string& a, const std::string& b, const Inputs& inputs, int threads);

}  // namespace kerr::diff
