// FP32 patterns at which float arithmetic goes wrong, if it does.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace kerr::emu {

/// `count` patterns: ends of all ranges with their neighbours, both signs; then random ones of four kinds, by turns:
/// any pattern; such as cancel each other; such as have products near either end; neighbours of one before.
inline std::vector<uint32_t> float_patterns(size_t count, uint32_t seed) {
  std::vector<uint32_t> all;
  const auto add = [&](uint32_t v) {
    all.push_back(v);
    all.push_back(v ^ 0x80000000);
  };
  for (const uint32_t v : {0x00000000u, 0x00400000u, 0x7FC00000u, 0x7FC12345u, 0x7F800001u, 0x7FBFFFFFu, 0x7FFFFFFFu})
    add(v);
  // Denormal and normal, finite and not; 2^-100 and its neighbours, where host_floats.hpp turns; one; halves and
  // integers that end ranges.
  for (const uint32_t v :
       {0x00000002u, 0x00800000u, 0x01000000u, 0x0C800000u, 0x0D000000u, 0x0D800000u, 0x0E000000u, 0x1F800000u,
        0x20000000u, 0x33800000u, 0x34000000u, 0x3F000000u, 0x3F800000u, 0x3FC00000u, 0x40000000u, 0x40200000u,
        0x4B000000u, 0x4B800000u, 0x4F000000u, 0x4F800000u, 0x5F000000u, 0x5F800000u, 0x7F000000u, 0x7F800000u}) {
    for (uint32_t near = v - 2; near != v + 3; ++near) add(near);
  }
  std::mt19937 random(seed);
  const auto with_exponent = [&](uint32_t least, uint32_t most) {
    return (least + static_cast<uint32_t>(random()) % (most - least + 1)) << 23 | (random() & 0x807FFFFF);
  };
  while (all.size() < count) {
    all.push_back(static_cast<uint32_t>(random()));
    all.push_back(with_exponent(120, 134));
    all.push_back(random() % 2 ? with_exponent(60, 67) : with_exponent(186, 194));
    all.push_back(all[random() % all.size()] + random() % 5 - 2);
  }
  all.resize(count);
  return all;
}

}  // namespace kerr::emu
