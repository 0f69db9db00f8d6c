// Random numbers that are the same everywhere.
#pragma once

#include <bit>
#include <cstdint>

namespace kerr::graph {

inline constexpr uint64_t kRandomStep = 0x9E3779B97F4A7C15u;

/// The state from which the numbers after the first `count` come.
constexpr uint64_t random_state_after(uint64_t seed, uint64_t count) { return seed + count * kRandomStep; }

/// SplitMix64.
inline uint64_t next_random(uint64_t& state) {
  uint64_t z = state += kRandomStep;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

/// Threefry-2x32 with 20 rounds (Salmon, Moraes, Dror, Shaw 2011): the first word for the counter (counter, 0) and the
/// key (lower half, upper half). kernels::vector::random_bits() makes the same on the device.
constexpr uint32_t threefry(uint32_t counter, uint64_t key) {
  constexpr int kRotations[] = {13, 15, 26, 6, 17, 29, 16, 24};
  const uint32_t low = static_cast<uint32_t>(key), high = static_cast<uint32_t>(key >> 32);
  const uint32_t keys[] = {low, high, 0x1BD11BDAu ^ low ^ high};
  uint32_t x0 = counter + keys[0], x1 = keys[1];
  for (uint32_t round = 0; round < 20; ++round) {
    x0 += x1;
    x1 = std::rotl(x1, kRotations[round % 8]) ^ x0;
    if (round % 4 != 3) continue;
    const uint32_t turn = round / 4 + 1;
    x0 += keys[turn % 3];
    x1 += keys[(turn + 1) % 3] + turn;
  }
  return x0;
}

}  // namespace kerr::graph
