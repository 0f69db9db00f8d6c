#include "jobs/launch_styles.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "arch/bytes.hpp"
#include "arch/cq_layout.hpp"
#include "host/runtime/cq/lowering.hpp"

namespace kerr::jobs {

namespace {

namespace wire = arch::cq;
using host::cq::Command;

// The shared data of one small command, in bytes.
constexpr uint32_t kSmallSharedBytes = 1024;

// The bytes for each of so many cores that, with both headers and the table of cores, fit one page; at least one slice.
uint32_t small_core_bytes(size_t cores) {
  const size_t table = (cores * 4 + wire::kL1Align - 1) / wire::kL1Align * wire::kL1Align;
  const size_t headers = sizeof(wire::RelayInline) + wire::kCommandBytes + table;
  const size_t room = headers < wire::kPageBytes ? (wire::kPageBytes - headers) / std::max<size_t>(cores, 1) : 0;
  return static_cast<uint32_t>(std::max<size_t>(room / wire::kL1Align, 1) * wire::kL1Align);
}

class Style final : public host::cq::LaunchPolicy {
 public:
  explicit Style(bool small) : small_(small) {}

  bool stamps_go() const override { return true; }  // one more than those hosts sent

  host::cq::InOrderLaunch lower(const host::cq::LaunchRequest& request) const override {
    const host::LaunchPlan& plan = request.plan;
    const arch::FirmwareLayout& layout = request.layout;
    host::cq::InOrderLaunch out;
    const auto shared = [&](wire::PackedLargeType type, uint32_t address, std::span<const arch::NocCoord> cores,
                            std::span<const std::byte> bytes) {
      std::vector<Command> commands;
      host::cq::lower_shared(commands, type, address, cores, bytes,
                             small_ ? kSmallSharedBytes : std::numeric_limits<uint32_t>::max());
      for (Command& command : commands) {
        out.writes.push_back(std::move(command));
        if (small_) out.writes.push_back(barrier());
      }
    };
    constexpr std::byte kZero[4]{};
    for (const uint32_t address : {layout.go_messages, layout.go_message_index})
      shared(wire::PackedLargeType::Config, address, plan.cores, kZero);
    // Arguments first (16.1): the barrier behind the last image is then one for them too.
    host::cq::lower_per_core(out.writes, wire::PackedType::Rta, plan.args_address, plan.cores, plan.args,
                             plan.args_bytes, small_ ? small_core_bytes(plan.cores.size()) : wire::kPageBytes);
    for (const host::KernelGroup& group : plan.groups) {
      shared(wire::PackedLargeType::Binaries, group.image_address, group.cores, group.image);
      std::map<uint32_t, std::vector<arch::NocCoord>> by_slot;
      for (const arch::NocCoord core : group.cores) by_slot[request.slot(core)].push_back(core);
      for (const auto& [slot, cores] : by_slot)
        shared(wire::PackedLargeType::Config, layout.launch_entry(slot), cores, arch::bytes_of(group.launch));
    }
    // No go signal before every write has arrived (12.4).
    if (!small_ || plan.groups.empty()) out.writes.push_back(barrier());
    out.run = host::cq::lower_run(plan.cores, request.go, request.subordinate);
    return out;
  }

 private:
  static Command barrier() { return {host::cq::wait(wire::kWaitBarrier)}; }

  bool small_;
};

}  // namespace

const host::cq::LaunchPolicy& small_writes() {
  static const Style style(true);
  return style;
}

const host::cq::LaunchPolicy& whole_writes() {
  static const Style style(false);
  return style;
}

}  // namespace kerr::jobs
