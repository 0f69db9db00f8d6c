// Programs recorded once and replayed from device memory. docs/hardware/fast-dispatch.md 6.3 (EXEC_BUF)
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "arch/grid.hpp"
#include "host/runtime/buffer.hpp"
#include "host/runtime/cq/commands.hpp"
#include "host/runtime/program/running.hpp"

namespace kerr::host {

namespace cq {
struct Recorded;
}

/// What CommandQueue::end_trace() returns, to be replayed on the queue that recorded it. Freed when the last copy goes
/// and no replay needs it.
class Trace {
 public:
  Trace() = default;  ///< no trace; not to be replayed
  /// For the queue.
  explicit Trace(std::shared_ptr<const cq::Recorded> recorded) : recorded_(std::move(recorded)) {}

  /// Of its commands in device memory; 0 of none.
  uint64_t bytes() const;
  const std::shared_ptr<const cq::Recorded>& recorded() const { return recorded_; }

 private:
  std::shared_ptr<const cq::Recorded> recorded_;
};

namespace cq {

/// A trace as the queue knows it.
struct Recorded {
  static constexpr uint32_t kPageLog2 = 12;  ///< of `commands`, for the prefetcher

  Buffer commands;
  uint64_t bytes;
  std::map<arch::NocCoord, uint32_t> launches;  ///< on each core
  std::shared_ptr<const std::vector<RunningProgram>> programs;
};

}  // namespace cq
}  // namespace kerr::host
