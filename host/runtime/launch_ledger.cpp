#include "host/runtime/launch_ledger.hpp"

#include <utility>

#include <fmt/format.h>

#include "host/error.hpp"

namespace kerr::host {

std::shared_ptr<void> LaunchLedger::claim_queues(uint32_t mask) {
  std::lock_guard lock(mutex_);
  if ((claimed_ & mask) != 0) {
    host_error(
        fmt::format("queue {} of the chip has a host::CommandQueue already: destroy it first, or take the other "
                    "one of a chip that was made with ChipOptions{{.queues = 2}}, by QueueOptions{{.index = 1}}",
                    (claimed_ & mask & 1) != 0 ? 0 : 1));
  }
  claimed_ |= mask;
  return std::shared_ptr<void>(nullptr, [this, mask](void*) {
    std::lock_guard guard(mutex_);
    claimed_ &= ~mask;
  });
}

void LaunchLedger::set_drain(uint32_t queue, std::function<void()> drain) {
  std::lock_guard lock(mutex_);
  drains_[queue] = std::move(drain);
}

void LaunchLedger::drain_others(uint32_t queue) {
  std::lock_guard lock(mutex_);
  for (uint32_t i = 0; i < drains_.size(); ++i) {
    if (i != queue && drains_[i]) drains_[i]();
  }
}

}  // namespace kerr::host
