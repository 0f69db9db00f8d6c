// The host's clock and the directory, which all tiles of a checker have in common.   docs/architecture.md "Checking"
#pragma once

#include <memory>

#include "check/agent_clocks.hpp"
#include "check/code_library.hpp"
#include "check/finding_log.hpp"
#include "check/names.hpp"
#include "check/regions/device_memory.hpp"
#include "check/regions/known_launch.hpp"
#include "check/shadow.hpp"
#include "check/stamp.hpp"

namespace kerr::check {

/// The host and servers act between windows, when nobody else looks at this. Inside a window nobody changes it.
struct Host {
  AgentClock clock{kHostPlace, component::kHost};
  bool combines = false;  // its stores are write-combined: whoever sees a later one need not see them
  Event store() const {
    return {kHostPlace, combines ? component::kHostCombined : component::kHost, clock.event().number};
  }
  void flushed() {
    const uint32_t number = clock.event().number;
    clock.acquire([&](Clock& c) { c.raise(component::kHostCombined, number); });
    publish();
  }
  /// After each change: tiles of a window take over what the host knew at the same time, and may only look.
  void publish() { clock.publish(); }
};

class Directory : public TransferDirectory {
 public:
  /// Changed between windows only.
  virtual const Names& names() const = 0;
  /// nullptr: none is known.
  virtual std::shared_ptr<const CodeLibrary> code() const = 0;
  virtual const DeviceMemory& memory(int chip) const = 0;
  /// The chip was seen from power-on on.
  virtual bool saw_all(int chip) const = 0;
  /// What is known of the program whose kernel a hart of the tile is in; nullptr: nothing. Between windows.
  virtual const KnownLaunch* launch_of(Place place, emu::Agent agent) const = 0;
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
