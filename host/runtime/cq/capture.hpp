// A trace, and how it is recorded. docs/hardware/fast-dispatch.md 6.3 (EXEC_BUF)
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "arch/host_notes.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "host/runtime/cq/queue_port.hpp"
#include "host/runtime/cq/transfers.hpp"

namespace kerr::host::cq {

/// A trace as the queue knows it.
struct Recorded {
  static constexpr uint32_t kPageLog2 = 12;  ///< of `commands`, for the prefetcher

  Buffer commands;
  uint64_t bytes;
  std::map<arch::NocCoord, uint32_t> launches;  ///< on each core
  std::shared_ptr<const std::vector<RunningProgram>> programs;
  std::vector<arch::note::Launched> notes;  ///< of each program, if the device wants them
};

/// As long as it lives and has not been finished, the port's records come here. Called inside QueuePort::call().
class Capture {
 public:
  explicit Capture(QueuePort& port) : port_(port) { port_.divert(&commands_); }
  ~Capture() { port_.divert(nullptr); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  /// The entry of a core's launch ring for its next launch: a replay starts every core at 0.
  uint32_t slot(arch::NocCoord core) const;
  /// A launch has been recorded.
  void add(std::span<const arch::NocCoord> cores, const RunningProgram& program);
  /// A replay will say this of it.
  void add(arch::note::Launched note) { notes_.push_back(std::move(note)); }
  /// What the recorded commands have put into the dispatcher's table of go targets.
  std::vector<uint32_t>& go_table() { return go_table_; }

  /// Ends the recording and writes the commands to device memory. Throws DeviceError (HostError) if there is no
  /// program in it, or no memory for it.
  Trace finish(Transfers& transfers);

 private:
  QueuePort& port_;
  Bytes commands_;
  std::map<arch::NocCoord, uint32_t> launches_;
  std::vector<RunningProgram> programs_;
  std::vector<arch::note::Launched> notes_;
  std::vector<uint32_t> go_table_;
};

}  // namespace kerr::host::cq
