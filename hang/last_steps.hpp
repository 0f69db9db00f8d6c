// Where harts that still run have been in the last cycles before a deadline: whether they get anywhere.
// docs/architecture.md "Hangs"
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "arch/hang_question.hpp"
#include "emu/machine/machine.hpp"

namespace kerr::hang {

class Scene;
class Livelock;

class LastSteps {
 public:
  static constexpr emu::Cycle kSpan = 16 * 16384;  // cycles before the deadline
  static constexpr size_t kMostPcs = 64;           // of a hart

  /// Behind each window; `limit`: the cycle of the deadline. Costs nothing until kSpan cycles before it.
  void window_passed(emu::Machine& machine, emu::Cycle limit) {
    if (machine.now() + kSpan >= limit) look(machine, limit);
  }
  /// The last kSpan cycles, or as much of them as were watched: which harts ran, where, and whether anything came of
  /// it. At most 12 lines; empty if nothing was watched, or nothing runs.
  /// And what `livelock` knows of those harts, of which it proves nothing of all together.
  std::string text(emu::Machine& machine, const Scene& scene, const Livelock& livelock) const;

 private:
  struct Moved {  // what others can wait for
    uint64_t packets = 0;
    uint64_t pages = 0;  // a sum of the counters of all circular buffers
    friend bool operator==(const Moved&, const Moved&) = default;
  };

  void look(emu::Machine& machine, emu::Cycle limit);
  static Moved moved(emu::Machine& machine);

  emu::Cycle limit_ = 0, since_ = 0, until_ = 0;
  Moved before_;
  std::map<std::pair<emu::TileId, uint8_t>, std::vector<uint32_t>> steps_;  // by tile and hart: pcs, sorted
};

}  // namespace kerr::hang
