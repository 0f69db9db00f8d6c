// The queue's kernels on the prefetch and the dispatch tile: start, state, end. docs/hardware/fast-dispatch.md 17.4
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/cq_layout.hpp"
#include "host/chip.hpp"

namespace kerr::host::cq {

/// Ordinary kernels on base firmware, started by slow dispatch.
class QueueService {
 public:
  /// `region_address`: NoC address of the pinned host region. Writes both tiles' configuration, starts the kernels and
  /// waits until all have accepted it. `subordinate`: start dispatch_s too. Throws DeviceError: kProtocol when a kernel
  /// refuses its configuration (another ABI or build), kTimeout or kDeadlock when it does not answer.
  QueueService(Chip& chip, uint64_t region_address, const arch::cq::HostRegion& region, bool subordinate,
               uint32_t queue = 0);
  /// Holds both tiles in reset unless they have ended by themselves.
  ~QueueService();

  /// Waits until both kernels have ended after their TERMINATE commands and base firmware has them back.
  void await_end(Deadline deadline);

  arch::NocCoord prefetch_tile() const { return pair_.prefetch; }
  arch::NocCoord dispatch_tile() const { return pair_.dispatch; }
  /// True if a multicast go signal reaches exactly the chip's workers.
  bool multicast_go() const { return multicast_go_; }

  /// A number that grows while commands are taken up.
  uint64_t progress();
  /// What the kernels say about themselves, one line each; begins with "error" lines if there is one.
  std::string describe();
  bool has_error();

 private:
  struct Kernel {
    std::string name;  // "dispatcher on (14,3)"
    arch::NocCoord tile;
    uint32_t diagnostics;  // L1 address of its record
  };
  arch::cq::Diagnostics diagnostics(const Kernel& kernel);
  void write_prefetch_tile();
  void write_dispatch_tile();
  void launch(arch::NocCoord tile, bool with_ncrisc);

  Chip& chip_;
  arch::DispatchPair pair_;
  arch::cq::HostRegion region_;
  uint32_t base_;  // NoC-local address of the region
  bool subordinate_;
  bool multicast_go_ = false;
  std::vector<Kernel> kernels_;  // prefetcher, dispatcher, and dispatch_s if it runs
  bool ended_ = false;
};

}  // namespace kerr::host::cq
