// A device that can look into itself and say why nothing moves: the emulator.
#pragma once

#include <string>

#include "arch/hang_question.hpp"

namespace kerr::host {

class PcieDevice;

class HangExplainer {
 public:
  /// Some lines for a report (docs/guide/when-it-hangs.md); empty if nobody waits.
  virtual std::string why_nothing_moves(const arch::HangQuestion& question) = 0;

  /// The device, if it can do that; else nullptr.
  static HangExplainer* of(PcieDevice& device);

 protected:
  ~HangExplainer() = default;
};

}  // namespace kerr::host
