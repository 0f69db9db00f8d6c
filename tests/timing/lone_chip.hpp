// A chip in exact timing, and programs on its harts that read the clock themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "arch/tile_registers.hpp"
#include "kernels/stream/stream.hpp"
#include "tests/emu/machine/host.hpp"

namespace kerr::timing_tests {

using arch::NocCoord;
using Payload = std::function<void(emu::Kernel&)>;

inline void nothing(emu::Kernel&) {}

inline constexpr uint32_t kResults = 0x3000;  // in the L1 of the tile, of each hart: done, first and last cycle
inline constexpr uint32_t kResultStride = 0x10;
inline constexpr uint32_t kData = 0x4000;

/// What a hart does: prepares, then runs a payload in a loop, then waits for what that has begun. s0 to s2 and t0 to t2
/// belong to the loop and the helpers.
struct Role {
  arch::Hart hart = arch::Hart::Brisc;
  Payload prepare = nothing, payload = nothing, finish = nothing;
};
/// From clock to clock, in cycles since power-on.
struct Interval {
  uint32_t first = 0, last = 0;
  uint32_t cycles() const { return last - first; }
};

class LoneChip {
 public:
  explicit LoneChip(const emu::timing::Parameters& parameters = emu::timing::kBlackhole,
                    const arch::Board& board = arch::kP100a)
      : machine_({.boards = {board}, .host_memory = &memory_, .timing = emu::Timing::Exact, .parameters = parameters}),
        host_(machine_) {}

  emu::TestHost& host() { return host_; }
  /// Loads a role that turns so often and tells when; `turns` = 0: forever. All start with the first call of finish().
  void load(NocCoord tile, const Role& role, uint32_t turns);
  /// Runs until the hart is done. Fails the test after two million cycles.
  Interval finish(NocCoord tile, arch::Hart hart = arch::Hart::Brisc);

 private:
  void start();

  emu::TestMemory memory_;
  emu::Machine machine_;
  emu::TestHost host_;
  std::vector<std::pair<NocCoord, uint32_t>> released_;  // what the reset register of a tile will hold
};

/// Cycles of `turns` turns, the clock read in front of and behind them as the public reports do it. `others` turn for
/// ever beside it.
double cycles_of(uint32_t turns, const Role& timed, const std::vector<Role>& others = {});

/// Raw cycles of one turn, without what is only paid once.
double cycles_per_turn(const Role& timed, const std::vector<Role>& others = {});

/// What a kernel's emitter writes, in a payload.
Payload stream(const std::function<void(kernels::Stream&)>& emit);
/// Payloads one after another.
Payload sequence(const std::vector<Payload>& payloads);

}  // namespace kerr::timing_tests
