// The queue's kernels on the prefetch and the dispatch tile: start, state, end. docs/hardware/fast-dispatch.md 17.4
#pragma once

#include <cstdint>
#include <string>

#include "arch/cq_layout.hpp"
#include "host/chip.hpp"

namespace kerr::host::cq {

/// Ordinary kernels on base firmware, started by slow dispatch.
class QueueService {
 public:
  /// `region_address`: NoC address of the pinned host region. Writes both tiles' configuration, starts the kernels and
  /// waits until both have accepted it. Throws DeviceError: kProtocol when a kernel refuses its configuration (another
  /// ABI or build), kTimeout or kDeadlock when it does not answer.
  QueueService(Chip& chip, uint64_t region_address, const arch::cq::HostRegion& region);
  /// Holds both tiles in reset unless they have ended by themselves.
  ~QueueService();

  /// Waits until both kernels have ended after their TERMINATE commands and base firmware has them back.
  void await_end(Deadline deadline);

  arch::NocCoord prefetch_tile() const { return pair_.prefetch; }
  arch::NocCoord dispatch_tile() const { return pair_.dispatch; }

  /// A number that grows while commands are taken up.
  uint64_t progress();
  /// What the kernels say about themselves, one line each; begins with "error" lines if there is one.
  std::string describe();
  bool has_error();

 private:
  arch::cq::Diagnostics diagnostics(arch::NocCoord tile);
  void write_prefetch_tile();
  void write_dispatch_tile();
  void launch(arch::NocCoord tile);

  Chip& chip_;
  arch::DispatchPair pair_;
  arch::cq::HostRegion region_;
  uint32_t base_;  // NoC-local address of the region
  bool ended_ = false;
};

}  // namespace kerr::host::cq
