// A stretch of a recorded run again, on a machine of its own and under an observer.
#pragma once

#include <functional>

#include "emu/machine/machine.hpp"

namespace kerr::debug {

class Repetition {
 public:
  /// Repeats it from `begin` or before, as far as is convenient, up to `end`: cycles, rounded to windows. The observer
  /// is told from where the repetition begins. Then calls `look` with the machine. Throws emu::SnapshotError.
  virtual void repeat(emu::Cycle begin, emu::Cycle end, emu::Observer& observer,
                      const std::function<void(emu::Machine&)>& look) = 0;

 protected:
  ~Repetition() = default;
};

}  // namespace kerr::debug
