// Programs that the device may still run, for the reports of a queue that is stuck.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/runtime/program/running.hpp"

namespace kerr::host::cq {

/// The oldest first. Not thread-safe.
class InFlight {
 public:
  using Programs = std::shared_ptr<const std::vector<RunningProgram>>;

  /// `programs` are done when event `before` is reached; until then `keep` lives, which the device still reads.
  /// `said`: their launches, of which the device was told (host/runtime/notes.hpp).
  void add(Programs programs, std::shared_ptr<const void> keep, uint32_t before, std::vector<uint64_t> said = {}) {
    entries_.push_back({std::move(programs), std::move(keep), before, std::move(said)});
  }
  /// Everything before event `reached` is done. Returns what was said of it.
  std::vector<uint64_t> retire(uint32_t reached);

  /// What a kernel of a program has done wrong; of several programs the one that certainly has it.
  std::optional<ProgramFault> find_fault(const DeviceStatus& status) const;
  /// What the oldest program that has cores at work is doing, and who is to blame as far as the device can tell;
  /// nothing if there is none.
  struct Stuck {
    std::string program, text;
  };
  Stuck explain(PcieDevice& device, const std::function<bool(arch::NocCoord)>& is_idle,
                const DeviceStatus& status) const;

 private:
  struct Entry {
    Programs programs;
    std::shared_ptr<const void> keep;
    uint32_t before;
    std::vector<uint64_t> said;
  };
  std::deque<Entry> entries_;
};

}  // namespace kerr::host::cq
