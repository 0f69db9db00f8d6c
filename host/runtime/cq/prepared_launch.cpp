#include "host/runtime/cq/prepared_launch.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "host/runtime/cq/go_targets.hpp"
#include "host/runtime/cq/lowering.hpp"

namespace kerr::host::cq {
namespace {

// The largest variant that is kept, in bytes; a program has at most 32 variants.
constexpr size_t kLargestKept = 32 * 1024;

std::vector<uint64_t> keys_of(const LaunchPlan& plan) {
  std::vector<uint64_t> keys;
  for (const KernelGroup& group : plan.groups) {
    const uint64_t key =
        XXH3_64bits_withSeed(group.image.data() + group.changing_bytes, group.image.size() - group.changing_bytes,
                             group.image_address + group.changing_bytes);
    keys.push_back(key | 1);  // 0 says that nothing is known
  }
  return keys;
}

}  // namespace

PreparedLaunch::PreparedLaunch(const Program& program, bool multicast_go)
    : revision_(program.revision()), name_(program.name()), layout_(program.layout()) {
  plans_.push_back(plan_launch(program));
  for (const int noc : {0, 1}) go_words_[noc] = go_targets(cores(), noc, multicast_go);
  const uint32_t half = half_of_config_area(layout_);
  fits_half_ = plans_[0].config_end() <= layout_.kernel_config + half;
  if (fits_half_) {
    plans_.push_back(plans_[0]);
    plans_[1].move_up(half);
  }
  for (const LaunchPlan& plan : plans_) {
    running_.push_back(std::make_shared<const std::vector<RunningProgram>>(std::vector{RunningProgram(program, plan)}));
    keys_.push_back(keys_of(plan));
  }
}

const Bytes* PreparedLaunch::records(uint32_t half, uint32_t slot, bool resident) {
  const auto [found, is_new] = records_.try_emplace(half << 16 | slot << 1 | (resident ? 1 : 0));
  Bytes& bytes = found->second;
  if (is_new) {
    const auto same_slot = [slot](arch::NocCoord) { return slot; };
    for (const Command& command : lower_writes(plans_[half], layout_, same_slot, {.resident = resident})) {
      const Bytes one = record(command.payload, command.to);
      if (bytes.size() + one.size() > kLargestKept) {
        bytes = {};
        break;
      }
      bytes.insert(bytes.end(), one.begin(), one.end());
    }
  }
  return bytes.empty() ? nullptr : &bytes;
}

const RingWrites* PreparedLaunch::ring_writes(uint32_t half, uint32_t slot) {
  const auto [found, is_new] = ring_writes_.try_emplace(half << 16 | slot);
  if (is_new) found->second = lower_ring_writes(plans_[half], layout_, slot);
  return found->second ? &*found->second : nullptr;
}

}  // namespace kerr::host::cq
