// Using what hardware leaves open: packets whose order nothing guarantees pass each other.   docs/hardware/noc.md 6.2
#pragma once

#include <cstdint>
#include <optional>

#include "emu/cycle.hpp"
#include "emu/noc/message.hpp"

namespace kerr::emu {

/// Extra cycles under way, a function of a seed and of the message alone: equal runs for any number of threads, and
/// nothing to keep. It brings out missing barriers, which an orderly NoC hides.
///
/// A flow is (source, destination, NoC, VC, multicast or not). Its writes, inline writes and atomics all take the same
/// number of cycles more, so they stay in order; its reads take that and a number of their own, so a later write may
/// pass a read but no read passes a write. (VC_LINKED reads do without the second: what follows them must wait.)
/// Requests that leave the VC to the router and belong to no linked train, and responses, take a number of their own
/// each.
class Reorder {
 public:
  static constexpr Cycle kMostCycles = 2 * 4095;

  Reorder() = default;
  /// No seed: nothing is late.
  explicit Reorder(std::optional<uint64_t> seed) : seed_(seed) {}

  Cycle extra(const Message& message) const { return seed_ ? drawn(message) : 0; }

 private:
  Cycle drawn(const Message& message) const;

  std::optional<uint64_t> seed_;
};

}  // namespace kerr::emu
