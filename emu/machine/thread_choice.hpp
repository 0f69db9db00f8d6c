// Whether a window is worth a round of the worker pool.
#pragma once

#include <chrono>
#include <cstdint>

namespace kerr::emu {

/// A round costs a few microseconds: a window that one thread does in less is left to it. How long windows take is
/// measured, and windows resemble those before them. Results do not depend on which thread runs a tile.
class ThreadChoice {
 public:
  explicit ThreadChoice(int threads) : least_round_(kLeastAlone * 3 / 2 / threads) {}

  /// Calls alone() or together(): both do a whole window.
  template <class Alone, class Together>
  void run(Alone alone, Together together) {
    if (together_) {
      together_ = elapsed(together) >= least_round_;
    } else if (++windows_ % kWindowsPerMeasurement != 0) {
      alone();
    } else {
      together_ = elapsed(alone) >= kLeastAlone;
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kLeastAlone = std::chrono::microseconds(8);
  static constexpr uint32_t kWindowsPerMeasurement = 4;

  template <class Window>
  static Clock::duration elapsed(Window& window) {
    const Clock::time_point start = Clock::now();
    window();
    return Clock::now() - start;
  }

  const Clock::duration least_round_;  // of what one thread does in half as much again as kLeastAlone
  bool together_ = true;
  uint32_t windows_ = 0;
};

}  // namespace kerr::emu
