// What the tiles of a checker have in common.   docs/architecture.md "Checking"
#pragma once

#include "check/agent_clocks.hpp"
#include "check/finding_log.hpp"
#include "check/kernels.hpp"
#include "check/shadow.hpp"
#include "check/stamp.hpp"

namespace kerr::check {

/// The host acts between windows, and so do servers: nobody else looks at this then, and inside a window nobody changes
/// it.
struct Host {
  AgentClock clock{kHostPlace, component::kHost};
  /// After each change: tiles take over what the host knew at the same time, and may only look.
  void publish() { clock.publish(); }
};

class Directory : public TransferDirectory {
 public:
  virtual const Kernels& kernels() const = 0;
  /// The transfers of a tile; nullptr: none.
  virtual const Transfers* transfers_of(Place place) const = 0;

  const Transfer* find(Place place, uint64_t packet) const final {
    const Transfers* const all = transfers_of(place);
    return all != nullptr ? all->find(packet) : nullptr;
  }

 protected:
  ~Directory() = default;
};

}  // namespace kerr::check
