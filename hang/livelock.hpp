// Whether the harts that still run go on so for ever, as a proof.   docs/architecture.md "Hangs"
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emu/machine/machine.hpp"
#include "hang/recurrence.hpp"

namespace kerr::hang {

/// What is known of a hart that runs.
struct Spin {
  emu::TileId tile;
  arch::Hart hart = arch::Hart::Brisc;
  Recurrence::Kind kind = Recurrence::Kind::Unknown;
  std::string why;               // Unknown: what of it cannot be followed
  std::vector<arch::Hart> with;  // those of its tile with which it goes round, but for itself
  uint64_t steps = 0;            // of this hart in a round
  uint32_t pc = 0;               // where it stands when a round begins, and with which registers
  std::array<uint32_t, 32> x{};
  std::vector<uint32_t> pcs;          // of the round, ascending
  std::vector<uint32_t> read;         // words of L1 that it loads in the round, ascending
  std::vector<uint32_t> written;      // words of L1 that it writes, ascending
  std::vector<std::string> counters;  // what is not the same in each round: "a1 (+1)"
  std::string not_parked;             // what of it keeps it from being parked
  uint64_t rounds = 0;                // Ends: how often it goes round as it does
  uint32_t deciding_pc = 0;           // Ends: of the instruction that takes another way then
  std::string deciding;               // Ends: what that will find: "a0 (5) = 0"
  bool leaves = false;                // Ends: that way leads out of the round at once
};

/// Looks at a machine between windows, and changes nothing of it.
///
/// Of each hart that runs it is followed what it does next, in a copy: once round its loop. What it then is in all
/// further rounds, as long as nobody else writes what it reads, says a Recurrence. Harts of a tile of which one writes
/// what another reads are followed together, in the order in which relaxed timing runs them.
class Livelock {
 public:
  /// `host_acts`: something of the host's is under way to the device.
  explicit Livelock(emu::Machine& machine, bool host_acts = false);

  /// Each hart that runs does so for ever, and nothing else can ever happen on the device by itself.
  bool proved() const { return proved_; }
  const std::vector<Spin>& spins() const { return spins_; }
  /// Null: it does not run.
  const Spin* find(emu::TileId tile, arch::Hart hart) const;
  /// What else happens, so that nothing is for ever; empty: nothing.
  const std::string& beside() const { return beside_; }

 private:
  void look_at(emu::Tile& tile, const emu::Options& options);

  std::vector<Spin> spins_;
  std::string beside_;
  bool proved_ = false;
  uint64_t budget_;
};

}  // namespace kerr::hang
