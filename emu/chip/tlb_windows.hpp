// The windows of BAR0 and BAR4 onto tiles.   docs/hardware/host-pcie.md 1.3 to 1.5, 1.7
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "arch/pcie.hpp"
#include "emu/agent.hpp"
#include "emu/noc/geometry.hpp"
#include "emu/snapshot/archive.hpp"

namespace kerr::emu {

/// Where an access through a window goes.
struct WindowTarget {
  int noc = 0;
  uint64_t address = 0;
  std::vector<TileId> tiles;  // one, or the receivers of a multicast; none: `problem` says why
  bool multicast = false;
  bool posted = false;  // a write that nobody acknowledges
  std::string problem;
};

class TlbWindows {
 public:
  TlbWindows(const NocGeometry& geometry, int chip) : geometry_(geometry), chip_(chip) {}

  /// Configuration words: `offset` from arch::pcie::kTlbConfigBase, a multiple of 4, below kConfigBytes.
  static constexpr uint32_t kConfigBytes =
      arch::pcie::kStridedConfigBase + 4 * arch::pcie::kStridedWindows - arch::pcie::kTlbConfigBase;
  uint32_t read_config(uint32_t offset) const;
  void write_config(uint32_t offset, uint32_t value);

  /// The byte `offset` of a window. Accesses complete in program order: of the ordering it matters only whether writes
  /// are posted, static and linked channels change nothing.
  WindowTarget resolve(int window, uint64_t offset);

  void serialize(Archive& a) { a(windows_, strided_); }

 private:
  struct Window {
    arch::pcie::TlbWords words;
    arch::pcie::TlbEntry entry;  // of `words`, unless they were written since
    bool stale = false;
    void serialize(Archive& a) {
      a(words.low, words.mid, words.high);
      if (a.loading()) stale = true;
    }
  };
  void find_receivers(const arch::pcie::TlbEntry& entry, uint32_t strided, WindowTarget& target) const;

  const NocGeometry& geometry_;
  int chip_;
  std::array<Window, arch::pcie::kWindows> windows_{};
  std::array<uint32_t, arch::pcie::kStridedWindows> strided_{};
};

}  // namespace kerr::emu
