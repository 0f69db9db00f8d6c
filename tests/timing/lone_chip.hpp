// A chip in exact timing, and programs on its harts that read the clock themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "arch/tile_registers.hpp"
#include "tests/emu/machine/host.hpp"

namespace kerr::timing_tests {

using arch::NocCoord;
using Payload = std::function<void(emu::Kernel&)>;

inline constexpr std::uint32_t kResult = 0x3000;  // cycles, in the L1 of the tile
inline constexpr std::uint32_t kDone = 0x3010;
inline constexpr std::uint32_t kData = 0x4000;

class LoneChip {
 public:
  LoneChip() : machine_({.boards = {arch::kP100a}, .host_memory = &memory_, .timing = emu::Timing::Exact}), host_(machine_) {}

  emu::TestHost& host() { return host_; }
  /// Runs until the word at kDone of `tile` is 1; its kResult then. Fails the test after a million cycles.
  std::uint32_t run(NocCoord tile);

 private:
  emu::TestMemory memory_;
  emu::Machine machine_;
  emu::TestHost host_;
};

/// BRISC code: prepare once, then time `turns` of a loop around `payload`: two bookkeeping instructions and a branch.
/// s0 to s2 and t0 to t2 belong to the loop and the helpers.
emu::Kernel timed_loop(std::uint32_t turns, const Payload& prepare, const Payload& payload);

/// Raw cycles of one turn, without what is only paid once.
double cycles_per_turn(const Payload& prepare, const Payload& payload, NocCoord tile = {1, 2});

}  // namespace kerr::timing_tests
