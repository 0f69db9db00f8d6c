// One Blackhole PCI function as a host program sees it: the only way from the host stack to a device.
// Backends: emulated_device.hpp (in this process), library_device.hpp (any library with the libttsim C ABI),
// card/vfio_device.hpp and card/kmd_device.hpp (a card).
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/boards.hpp"
#include "arch/grid.hpp"
#include "arch/host_notes.hpp"
#include "arch/pcie.hpp"
#include "host/error.hpp"

namespace kerr::host {

using arch::pcie::Bar;

/// How a write may travel (host-pcie.md 1.6). Registers are always Uncached.
enum class Caching : uint8_t { Uncached, WriteCombined };

/// How long wait() may take. Each backend uses the clock it has: device cycles where time is simulated, wall time on a
/// card. Simulated time never depends on the speed of the host.
struct Deadline {
  uint64_t cycles = 0;
  std::chrono::milliseconds wall{0};

  /// `us` microseconds at the clock of a busy chip, and the same in wall time.
  static Deadline microseconds(uint64_t us) {
    return {us * arch::kAiclkBusyMhz, std::chrono::milliseconds((us + 999) / 1000)};
  }
  static Deadline milliseconds(uint64_t ms) { return microseconds(ms * 1000); }
};

enum class WaitResult : uint8_t {
  Done,       ///< the condition holds
  TimedOut,   ///< the deadline passed
  Quiescent,  ///< the condition does not hold and the device can do nothing more by itself
  Faulted,    ///< the device has stopped with a fault
};

struct DeviceStatus {
  enum class State : uint8_t { Running, Quiescent, Faulted };

  /// An agent on the device that waits, or a hart that runs.
  struct Waiting {
    arch::NocCoord tile;         ///< translated
    std::string agent;           ///< "NCRISC", "T1"
    int hart = -1;               ///< arch::Hart, or -1 for anything but a hart
    uint32_t pc = 0;             ///< of a hart
    std::string text;            ///< "polling at pc 0x86c4 on L1 0x196c0 (holds 0x0)"
    std::vector<uint32_t> l1{};  ///< words that a hart polls
    uint8_t semaphores = 0;      ///< hardware semaphores that a thread of the coprocessor waits for, a bit each
  };

  /// Who has done what silicon does not define, or what the device does not model.
  struct Faulted {
    arch::NocCoord tile;      ///< translated
    std::string agent;        ///< "NCRISC", "T1"
    int hart = -1;            ///< arch::Hart, or -1 for anything but a hart
    int thread = -1;          ///< of the coprocessor, 0 to 2: TRISC0 to TRISC2 feed it; or -1
    uint32_t pc = 0;          ///< of the hart; of a thread: where its TRISC is by now
    uint32_t word = 0;        ///< the hart's instruction, or the thread's
    std::string instruction;  ///< "lw t1, 0(t0)", or nothing
    std::string cause;        ///< a sentence without its full stop: "load of 0x00200000: nothing is mapped there"
  };

  State state = State::Running;
  Category category = Category::Deadlock;  ///< of the fault, when Faulted
  std::string report;                      ///< Quiescent: what each agent waits for. Faulted: where, what, what to do
  std::vector<Waiting> waiting;            ///< where the device can tell; not when Faulted
  std::vector<Faulted> faults;             ///< the first ones, where the device can tell

  /// What the programs hold that silicon takes no notice of, a line each; where the device can tell.
  std::vector<std::string> remarks;
  uint64_t further_remarks = 0;  ///< times that others came, of which there were too many to keep
};

/// "tile (1,2) BRISC at pc 0x86b4, lw t1, 0(t0): load of 0x00200000: nothing is mapped there", of the first fault; "the
/// device has stopped with a fault" if it does not say.
std::string first_fault(const DeviceStatus& status);

class ResetPort;  // host/device/reset_port.hpp

/// Shares a device's TLB windows out among processes.
class WindowOwner {
 public:
  /// The number of a free window of 4 GiB or 2 MiB, or nothing. The window may hold any configuration, and is the
  /// caller's until release_window().
  virtual std::optional<int> claim_window(bool large) = 0;
  virtual void release_window(int window) = 0;

 protected:
  ~WindowOwner() = default;
};

/// Every call is thread-safe and may throw DeviceError. Device time passes only inside wait().
class PcieDevice {
 public:
  virtual ~PcieDevice() = default;
  PcieDevice() = default;
  PcieDevice(const PcieDevice&) = delete;
  PcieDevice& operator=(const PcieDevice&) = delete;

  /// For messages: "emulated P100A", "library /path/libttsim_bh.so".
  virtual std::string name() const = 0;

  /// PCI configuration space, aligned 32-bit.
  virtual uint32_t config_read(uint32_t offset) = 0;
  virtual void config_write(uint32_t offset, uint32_t value) = 0;

  /// Size in bytes that this host sees of a BAR; 0 when the BAR is absent.
  virtual uint64_t bar_bytes(Bar bar) const = 0;

  /// A read sees every earlier write. Ranges must lie inside the BAR; registers are 4 aligned bytes.
  virtual void read(Bar bar, uint64_t offset, std::span<std::byte> out) = 0;
  /// Writes take effect in program order, except that write-combined ones may wait for flush() or the next read.
  virtual void write(Bar bar, uint64_t offset, std::span<const std::byte> bytes,
                     Caching caching = Caching::Uncached) = 0;
  /// Write-combined writes before this are on their way.
  virtual void flush() = 0;

  /// Makes page-aligned host memory reachable by the device and returns its 64-bit NoC address at the PCIe tile
  /// (bit 60 set; the low 58 bits are below 2^32 and the range does not cross a 4 GiB boundary,
  /// docs/hardware/fast-dispatch.md 2.1). The memory must stay valid until unpin().
  virtual uint64_t pin(std::span<std::byte> memory) = 0;
  /// `noc_address`: what pin() returned.
  virtual void unpin(uint64_t noc_address) = 0;

  /// Lets device time pass until `condition` holds. The condition may call this device; it is tested at least once,
  /// and before any time passes. Never hangs: one of the four results comes back.
  virtual WaitResult wait(const std::function<bool()>& condition, Deadline deadline) = 0;

  /// How it stands with the device now; a device that cannot tell is running.
  virtual DeviceStatus status() = 0;

  /// The host stack says what it does, if anybody wants to know. Changes nothing on the device.
  virtual bool wants_notes() const { return false; }
  virtual void note(const arch::note::Note&) {}
  /// A number for an allocation or a launch that is told.
  uint64_t number_note() { return ++numbered_notes_; }

  /// Whom to ask for windows; nullptr: all of them but the kernel driver's are this device's user's.
  virtual WindowOwner* window_owner() { return nullptr; }
  /// What a reset of the chip needs beside the calls above, or nullptr if this device cannot be reset. The port must
  /// not outlive the device.
  virtual std::unique_ptr<ResetPort> reset_port();

 private:
  friend class ChipClaim;
  std::atomic<bool> has_chip_ = false;
  std::atomic<uint64_t> numbered_notes_ = 0;
};

/// Held by the one Chip that a device can have at a time. Throws DeviceError (HostError) if there is one.
class ChipClaim {
 public:
  explicit ChipClaim(PcieDevice& device);
  ~ChipClaim() { device_.has_chip_ = false; }
  ChipClaim(const ChipClaim&) = delete;
  ChipClaim& operator=(const ChipClaim&) = delete;

 private:
  PcieDevice& device_;
};

inline constexpr uint64_t kPageBytes = 4096;  ///< granularity of pin()

/// Waits, and turns every outcome but kDone into a DeviceError that begins with `what` ("boot of tile (1,2)") and
/// carries the device's report. `progress`, when given, is any number that changes while useful work is done: the
/// deadline then runs from its last change (docs/hardware/fast-dispatch.md 20.3).
void await(PcieDevice& device, const std::string& what, const std::function<bool()>& condition, Deadline deadline,
           const std::function<uint64_t()>& progress = {});

}  // namespace kerr::host
