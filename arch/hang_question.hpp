// What a host knows of the programs that it waits for in vain: who asks a device why nothing moves says this.
#pragma once

#include <vector>

#include "arch/grid.hpp"
#include "arch/host_notes.hpp"

namespace kerr::arch {

struct HangQuestion {
  /// Programs that have not ended; may be empty, if nobody knows. Notes without an id and without arguments will do.
  std::vector<note::Launched> launches;
  /// Cores of them (translated) that have not finished.
  std::vector<NocCoord> unfinished;
};

}  // namespace kerr::arch
