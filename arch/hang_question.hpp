// What a host knows of the programs that it waits for in vain: who asks a device why nothing moves says this.
#pragma once

#include <vector>

#include "arch/grid.hpp"
#include "arch/host_notes.hpp"

namespace kerr::arch {

struct HangQuestion {
  struct Unended {
    note::Launched launch;             // an id and arguments may be missing
    std::vector<NocCoord> unfinished;  // its cores (translated) that have not finished
  };
  /// Programs that have not ended; empty if nobody knows.
  std::vector<Unended> programs;
};

}  // namespace kerr::arch
