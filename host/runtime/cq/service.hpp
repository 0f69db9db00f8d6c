// The queue's kernels on the prefetch and the dispatch tile: start, state, end. docs/hardware/fast-dispatch.md 17.4
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/cq_layout.hpp"
#include "firmware/firmware.hpp"
#include "host/runtime/chip.hpp"
#include "host/runtime/cq/command_queue.hpp"

namespace kerr::host::cq {

/// Ordinary kernels on base firmware, started by slow dispatch.
class QueueService {
 public:
  /// `region_address`: NoC address of the pinned host region. Writes the tiles' configuration, starts the kernels and
  /// waits until all have accepted it. Throws DeviceError: Protocol when a kernel refuses its configuration (another
  /// ABI or build), Timeout or Deadlock when it does not answer.
  QueueService(Chip& chip, uint64_t region_address, const QueueOptions& options);
  /// Holds the tiles in reset unless they have ended by themselves.
  ~QueueService();

  /// True once all kernels have ended after their TERMINATE commands and base firmware has their tiles back.
  bool has_ended();

  /// The kernels that fetch records, execute commands and count completions, and write to the completion queue.
  arch::NocCoord prefetch_tile() const { return host_side_.prefetch; }
  arch::NocCoord dispatch_tile() const { return pair_.dispatch; }
  arch::NocCoord completion_tile() const { return host_side_.dispatch; }

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
  // BRISC's kernel of one tile.
  struct Part {
    const char* role;
    arch::NocCoord tile;
    const firmware::Image* image;
    const arch::Array<uint32_t, arch::cq::kImageSems>* semaphores;
  };
  std::vector<Part> parts() const;
  std::vector<arch::NocCoord> tiles() const;
  arch::cq::Diagnostics diagnostics(const Kernel& kernel);
  void write_queues();
  void write_subordinate();
  void say_launch();
  void launch(arch::NocCoord tile, bool with_ncrisc);

  Chip& chip_;
  QueueOptions options_;
  arch::DispatchPair pair_;       // that executes commands
  arch::DispatchPair host_side_;  // the same unless the queue is split
  uint32_t base_;                 // NoC-local address of the region
  std::vector<Kernel> kernels_;   // prefetcher, dispatcher, their halves next to the host, and dispatch_s if it runs
  bool ended_ = false;
};

}  // namespace kerr::host::cq
