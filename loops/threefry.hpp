// Threefry-2x32 of 20 rounds, a function that turns a counter and a key into random bits (Salmon et al., "Parallel
// random numbers: as easy as 1, 2, 3", 2011).
#pragma once

#include <bit>
#include <cstdint>

namespace kerr::loops {

/// The low word of each argument, and of the result, is its first word.
constexpr uint64_t threefry(uint64_t counter, uint64_t key) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const auto key0 = static_cast<uint32_t>(key), key1 = static_cast<uint32_t>(key >> 32);
  const uint32_t keys[3] = {key0, key1, key0 ^ key1 ^ 0x1BD11BDA};
  auto x = static_cast<uint32_t>(counter) + keys[0], y = static_cast<uint32_t>(counter >> 32) + keys[1];
  for (uint32_t group = 1; group <= 5; ++group) {
    for (const int rotation : kRotations[(group - 1) % 2]) {
      x += y;
      y = std::rotl(y, rotation) ^ x;
    }
    x += keys[group % 3];
    y += keys[(group + 1) % 3] + group;
  }
  return uint64_t{y} << 32 | x;
}

}  // namespace kerr::loops
