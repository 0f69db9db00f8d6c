// A device in this process: the emulator behind a PCI function.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "arch/messages.hpp"
#include "check/finding.hpp"
#include "check/report/watching.hpp"
#include "emu/options.hpp"
#include "host/device/hang_explainer.hpp"
#include "host/device/injection.hpp"
#include "host/device/late_writes.hpp"
#include "host/device/pcie_device.hpp"

namespace kerr::emu {
class Machine;
}
namespace kerr::hang {
class History;
}

namespace kerr::host {

struct EmulatedOptions {
  /// What they leave at its default the environment may set: docs/reference/c-abi.md. Of several boards the device is
  /// the first; others are made of it. host_memory is the device's own.
  emu::Options chip{};
  /// Seed of an adversarial bus: write-combined writes arrive late, merged and in any order, until flush() or the next
  /// read. Not even an uncached write pushes them. Nothing, also in KERR_LATE_WRITES: they arrive at once.
  std::optional<uint64_t> late_writes{};
  /// Looks for accesses that nothing orders, and for misuse: findings() tells of them. Off: KERR_CHECK may ask for it,
  /// and the device writes the report when it is destroyed (docs/reference/checker.md).
  check::Watching check{};
  /// Keeps what was done last around the words that agents wait for: why_nothing_moves() tells it. The run becomes
  /// slower. Off: a check asks for it, too, and KERR_HANG_HISTORY may.
  bool hang_history = false;
};

/// Time is simulated and passes only inside wait(), window by window; the condition is tested after each. A device on
/// which nothing can happen any more is told at once (WaitResult::Quiescent), with who waits for what. A device that
/// has faulted lets no time pass; its memory can still be read.
class EmulatedDevice final : public PcieDevice, public HangExplainer {
 public:
  /// Throws DeviceError (HostError) for impossible options, and for a variable of the environment that makes no sense.
  explicit EmulatedDevice(const EmulatedOptions& options = {});
  /// Another chip of the same machine, with BARs and coordinates of its own. They share time, pinned memory, what
  /// watches, and faults: one that faults stops all. No link between them is modelled. Throws DeviceError (HostError)
  /// if there is no such chip.
  EmulatedDevice(const EmulatedDevice& other, int chip);
  ~EmulatedDevice() override;

  std::string name() const override;
  uint32_t config_read(uint32_t offset) override;
  void config_write(uint32_t offset, uint32_t value) override;
  uint64_t bar_bytes(Bar bar) const override;
  void read(Bar bar, uint64_t offset, std::span<std::byte> out) override;
  void write(Bar bar, uint64_t offset, std::span<const std::byte> bytes, Caching caching) override;
  void flush() override;
  uint64_t pin(std::span<std::byte> memory) override;
  void unpin(uint64_t noc_address) override;
  WaitResult wait(const std::function<bool()>& condition, Deadline deadline) override;
  DeviceStatus status() override;
  /// After a wait() that timed out also where harts have run in the last cycles before that.
  std::string why_nothing_moves(const arch::HangQuestion& question) override;
  /// Whether somebody watches, checks, records, debugs or shows prints.
  bool wants_notes() const override;
  void note(const arch::note::Note& note) override;
  /// From now on somebody else hears them too, who must not call this device. Empty: nobody.
  void hear_notes(std::function<void(const arch::note::Note&)> listener);
  /// The interface timer resets the chip; a reset of the bus or of the function clears configuration space, windows and
  /// the address translation unit, and leaves tiles and memory alone.
  std::unique_ptr<ResetPort> reset_port() override;

  /// From now on the device's accesses to pinned memory suffer this too.
  void inject(const Injection& injection);
  /// From now on they suffer nothing; delayed writes that are under way still arrive.
  void clear_injections();
  /// Holds a hart in reset, as one that has died. A Tensix tile, translated.
  void stall(arch::NocCoord tile, arch::Hart hart);

  /// Device time so far.
  uint64_t cycles() const;
  /// All that the checker has found so far, if options or environment asked for one; sorted, the same for any number of
  /// threads, with the names that the host stack gave. Empty without one.
  check::Findings findings() const;
  /// A hash of all architectural state: equal for equal runs. Slow.
  uint64_t state_hash() const;
  /// Called after each window that wait() lets pass, on the thread that waits, while nobody else can use the device:
  /// takes snapshots and looks at things. Must not call this device. Empty: nobody.
  void after_window(std::function<void(emu::Machine&)> look);
  /// The emulator's own interface, for reports and statistics. Not while another thread uses this device.
  emu::Machine& machine();
  /// What EmulatedOptions::hang_history keeps; nullptr: nothing.
  const hang::History* history() const;

 private:
  struct State;
  class Port;
  std::shared_ptr<State> state_;  // of all chips of the machine
  int chip_ = 0;
};

}  // namespace kerr::host
