// The pseudo-random numbers of the vector unit, one generator a lane.   docs/hardware/tensix-math.md 9.4
#pragma once

#include <array>
#include <cstdint>

namespace kerr::emu::tensix {

constexpr std::uint32_t prng_step(std::uint32_t s) {
  const std::uint32_t odd = (s >> 31 ^ s >> 21 ^ s >> 1 ^ s) & 1;
  return s >> 1 | (odd ^ 1) << 31;
}

/// What a write of PRNG_SEED leaves in the 32 lanes.
constexpr std::array<std::uint32_t, 32> prng_states(std::uint32_t seed) {
  std::array<std::uint32_t, 32> lanes{};
  std::uint32_t s = seed;
  for (int n = 0; n < 32; ++n) s = prng_step(s);
  for (unsigned n = 0; n < 32; ++n) {
    s = prng_step(prng_step(s));
    lanes[31 - n] = s;
  }
  return lanes;
}

}  // namespace kerr::emu::tensix
