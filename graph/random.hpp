// SplitMix64: small, and the same everywhere.
#pragma once

#include <cstdint>

namespace kerr::graph {

inline constexpr std::uint64_t kRandomStep = 0x9E3779B97F4A7C15u;

/// The state from which the numbers after the first `count` come.
constexpr std::uint64_t random_state_after(std::uint64_t seed, std::uint64_t count) {
  return seed + count * kRandomStep;
}

inline std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = state += kRandomStep;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

}  // namespace kerr::graph
