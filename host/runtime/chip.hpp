// A booted chip: its tiles, its memory, and programs one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "arch/banks.hpp"
#include "host/driver/noc_io.hpp"
#include "host/driver/telemetry.hpp"
#include "host/runtime/allocators.hpp"
#include "host/runtime/buffer.hpp"
#include "host/runtime/launch_ledger.hpp"
#include "host/runtime/loader.hpp"
#include "host/runtime/program/launch_plan.hpp"
#include "host/runtime/program/program.hpp"

namespace kerr::host {

struct ChipOptions {
  MissingHarvesting missing_harvesting = MissingHarvesting::Refuse;
  Deadline boot_deadline{5'000'000, std::chrono::milliseconds(2000)};
  /// Command queues, 1 or 2; each takes two tiles away from programs.
  uint32_t queues = 1;
  /// Firmware to run; nothing = ours for this chip (built_in_firmware()).
  const BaseFirmware* firmware = nullptr;
  /// allocators() of an earlier chip on the same device, whose buffers then keep their places. Nothing: all is free.
  std::shared_ptr<Allocators> allocators = nullptr;
};

/// Limit for programs that spin without end; a program in which nothing moves is reported at once.
inline constexpr Deadline kProgramDeadline{2'000'000'000, std::chrono::milliseconds(10'000)};

/// Resets all Tensix tiles, loads firmware and waits until it runs: a Chip is always ready. Thread-safe.
/// After a DeviceError other than HostError the device is in an unknown state: make a new Chip.
class Chip {
 public:
  /// The device must outlive the chip. Throws DeviceError (HostError) if it has a live Chip already.
  explicit Chip(PcieDevice& device, const ChipOptions& options = {});
  ~Chip();

  PcieDevice& device() { return io_.device(); }
  /// Any tile's memory and registers.
  NocIo& io() { return io_; }
  /// For those who launch programs.
  LaunchLedger& ledger() { return ledger_; }
  /// "p100a" (Telemetry::board_name()).
  const std::string& board_name() const { return board_name_; }
  /// Which columns and banks are missing, as the device says.
  const arch::Harvesting& harvesting() const { return harvesting_; }
  /// Where the firmware that runs keeps its mailboxes; what programs are made for.
  const arch::FirmwareLayout& layout() const { return layout_; }

  /// All Tensix tiles, row-major; those that fast dispatch leaves to programs; and the two that a queue takes.
  std::span<const arch::NocCoord> tiles() const { return {tiles_.begin(), tiles_.size()}; }
  std::span<const arch::NocCoord> workers() const { return {workers_.begin(), workers_.size()}; }
  /// How many command queues the chip was made for, and the tiles of one of them.
  uint32_t queues() const { return queues_; }
  arch::DispatchPair dispatch_pair(uint32_t queue = 0) const {
    return arch::dispatch_pair(harvesting_, static_cast<int>(queue));
  }
  /// Banks that are not harvested: 7 or 8.
  uint32_t dram_banks() const { return static_cast<uint32_t>(dram_banks_.size()); }

  /// Memory for `bytes`, in pages of `page_bytes` (a multiple of 16 for L1, of 64 for kernels that read DRAM pages
  /// whole). Contents are whatever was there. Throws OutOfDeviceMemory when it does not fit.
  Buffer allocate(Memory memory, uint64_t bytes, uint32_t page_bytes);
  /// The same cut into equal shards of whole pages, one after the other in each of `cores` (L1), or in each bank (DRAM;
  /// `cores` is empty). The last shards may be shorter.
  Buffer allocate_sharded(Memory memory, uint64_t bytes, uint32_t page_bytes,
                          std::span<const arch::NocCoord> cores = {});

  /// Names a buffer in what others say of it (arch/host_notes.hpp); does nothing if nobody watches the device.
  void name(const Buffer& buffer, const std::string& name);

  /// Who has what of the memory.
  const std::shared_ptr<Allocators>& allocators() const { return allocators_; }
  /// `page_bytes`: of the largest buffer. Of L1: of all banks of interleaved buffers.
  MemoryUse memory_use(Memory memory, uint32_t page_bytes) const;

  /// Copies through the PCI windows; at return a write is on the device, ordered before every later message. The last
  /// page may be partial. Throws DeviceError (HostError) when the range does not fit the buffer.
  void write(const Buffer& buffer, std::span<const std::byte> bytes, uint64_t offset = 0);
  void read(const Buffer& buffer, std::span<std::byte> out, uint64_t offset = 0);

  /// What a deadline of run() is for.
  enum class DeadlineOf : uint8_t { EachCore, All };
  /// Slow dispatch: the host itself writes images and go words, and waits for every core. Not while a command queue has
  /// work for the same cores. Throws DeviceError: HostError if a core is busy; Deadlock as soon as nothing can move
  /// any more, with who waits for what; Timeout after `deadline` without a core finishing, or in all.
  void run(const Program& program, Deadline deadline = kProgramDeadline, DeadlineOf of = DeadlineOf::EachCore);

  /// Throws DeviceError (HostError) if the program needs a tile that is not there or L1 that a buffer holds.
  void check(const Program& program) const;
  /// The second of these alone: it may change while a program is prepared.
  void check_memory(const Program& program) const;
  /// True if the firmware of a tile has nothing to run.
  bool is_idle(arch::NocCoord tile);

 private:
  Buffer allocate(Memory memory, uint64_t bytes, uint32_t page_bytes, std::span<const arch::NocCoord> banks,
                  bool sharded);

  ChipClaim claim_;
  NocIo io_;
  std::string board_name_;
  arch::Harvesting harvesting_;
  arch::FirmwareLayout layout_;
  arch::List<arch::NocCoord, arch::kTensixTiles> tiles_;
  arch::List<arch::NocCoord, arch::kTensixTiles> workers_;
  uint32_t queues_;
  std::vector<arch::NocCoord> dram_banks_;
  std::shared_ptr<Allocators> allocators_;  // buffers may outlive the chip
  mutable std::mutex run_mutex_;
  LaunchLedger ledger_{layout_};
};

}  // namespace kerr::host
