// What the host writes into both queue tiles before their kernels start. docs/hardware/fast-dispatch.md 3.4
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "arch/banks.hpp"
#include "arch/cq_layout.hpp"
#include "host/driver/rectangle.hpp"

namespace kerr::host::cq {

struct QueueSetup {
  arch::DispatchPair pair;
  /// A split queue's prefetch_h and dispatch_h; `pair` has the _d halves.
  std::optional<arch::DispatchPair> host_side;
  uint64_t region_address = 0;  ///< NoC address of the pinned host region
  arch::cq::HostRegion region;
  arch::Harvesting harvesting;
  std::span<const arch::NocCoord> workers;  ///< that a go signal to the configured rectangles reaches
  bool subordinate = false;                 ///< dispatch_s runs
};

arch::cq::ConfigBlock queue_config(const QueueSetup& setup);

/// Multicast packing of a rectangle for a NoC: NoC 1 runs the other way, so its start is the far corner (0.2).
uint32_t multicast_address(const Rectangle& tiles, int noc);

}  // namespace kerr::host::cq
