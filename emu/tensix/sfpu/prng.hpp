// A random number a lane.   docs/hardware/tensix-math.md 9.4
#pragma once

#include <cstdint>

#include "emu/snapshot/archive.hpp"
#include "emu/tensix/sfpu/lanes.hpp"

namespace kerr::emu::tensix {

class Prng {
 public:
  /// PRNG_SEED was written.
  void seed(uint32_t seed) {
    uint32_t s = seed;
    for (unsigned n = 0; n < 32; ++n) s = step(s);
    for (unsigned n = 0; n < kLanes; ++n) {
      s = step(step(s));
      state_[kLanes - 1 - n] = s;
    }
  }
  void reset() { state_.fill(0); }

  /// The numbers of all lanes; then those of `lanes` move on.
  LReg advance(LaneMask lanes) {
    const LReg result = state_;
    for (unsigned l = 0; l < kLanes; ++l) state_[l] = lanes >> l & 1 ? step(state_[l]) : state_[l];
    return result;
  }
  const LReg& state() const { return state_; }
  void serialize(Archive& a) { a(state_); }

 private:
  static constexpr uint32_t step(uint32_t s) { return s >> 1 | (~(s ^ s >> 1 ^ s >> 21 ^ s >> 31) & 1) << 31; }

  LReg state_{};
};

}  // namespace kerr::emu::tensix
