// Zones that kernels have marked, read back from L1.   arch/profiler.hpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arch/memory_map.hpp"
#include "host/driver/noc_io.hpp"

namespace kerr::host {

struct Zone {
  arch::NocCoord core;
  arch::Hart hart = arch::Hart::Brisc;
  uint32_t id = 0;                            ///< kernels::Zone, or arch::profiler::zone_id() of DeviceZoneScopedN
  uint32_t begin_cycles = 0, end_cycles = 0;  ///< low words of the core's clock: differences are right below 2^32
};

struct Zones {
  std::vector<Zone> all;  ///< by core, hart, and end
  bool complete = true;   ///< false: a buffer was full, and what came later is missing
};

/// Empties the buffers of all harts; before the program that marks zones is enqueued.
void clear_zones(NocIo& io, std::span<const arch::NocCoord> cores);
/// After it has run. A zone without its end is left out.
Zones read_zones(NocIo& io, std::span<const arch::NocCoord> cores);

}  // namespace kerr::host
