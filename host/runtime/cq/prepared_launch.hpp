// A program made ready to be enqueued any number of times.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/runtime/buffer.hpp"
#include "host/runtime/cq/commands.hpp"
#include "host/runtime/cq/lowering.hpp"
#include "host/runtime/program/launch_plan.hpp"
#include "host/runtime/program/running.hpp"

namespace kerr::host::cq {

/// The kernel-config area is used in two halves, so that a program can be written while another one runs.
constexpr uint32_t half_of_config_area(const arch::FirmwareLayout& layout) {
  return (layout.unreserved - layout.kernel_config) / 2 & ~15u;
}

/// The plan for either half, and the records that write it. Made once for a Program::revision(). Not thread-safe.
class PreparedLaunch {
 public:
  /// Throws DeviceError (HostError) as plan_launch() does.
  PreparedLaunch(const Program& program, bool multicast_go);

  uint64_t revision() const { return revision_; }
  const std::string& name() const { return name_; }
  /// False: it needs the whole area, and only half 0 may be asked for.
  bool fits_half() const { return fits_half_; }
  const LaunchPlan& plan(uint32_t half) const { return plans_[half]; }
  const std::vector<arch::NocCoord>& cores() const { return plans_[0].cores; }
  /// Whom its go signal goes to, if a kernel of `noc` sends it.
  const std::vector<uint32_t>& go_words(int noc) const { return go_words_[noc]; }
  /// For reports.
  const std::shared_ptr<const std::vector<RunningProgram>>& running(uint32_t half) const { return running_[half]; }
  /// A key for the code and tables of a group at its place: equal keys, equal bytes.
  uint64_t code_key(uint32_t half, size_t group) const { return keys_[half][group]; }

  /// Images, launch messages for `slot` of every core's launch ring, and arguments, as records for the dispatcher, one
  /// behind the other. `resident`: code and tables are there already. Null if that is too much to keep.
  const Bytes* records(uint32_t half, uint32_t slot, bool resident);

  /// The same for code in the prefetcher's ring buffer; null if that cannot be.
  const RingWrites* ring_writes(uint32_t half, uint32_t slot);
  /// For each half: how often all had to be written, because the cores held other code; where ring_writes().data are.
  uint32_t misses[2] = {0, 0};
  std::optional<Buffer> ring_data[2];

 private:
  uint64_t revision_;
  std::string name_;
  arch::FirmwareLayout layout_;
  bool fits_half_;
  std::vector<uint32_t> go_words_[2];
  std::vector<LaunchPlan> plans_;
  std::vector<std::shared_ptr<const std::vector<RunningProgram>>> running_;
  std::vector<std::vector<uint64_t>> keys_;
  std::map<uint32_t, Bytes> records_;  // empty: too much
  std::map<uint32_t, std::optional<RingWrites>> ring_writes_;
};

}  // namespace kerr::host::cq
