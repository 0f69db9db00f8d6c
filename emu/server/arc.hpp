// The ARC tile as hosts see it: scratch registers, telemetry, and a message queue that its firmware would answer.
// docs/hardware/noc.md 8, host-pcie.md 5
#pragma once

#include <array>
#include <cstdint>

#include "arch/boards.hpp"
#include "emu/memory/sparse_memory.hpp"
#include "emu/server/server.hpp"

namespace kerr::emu {

/// Firmware has booted when the chip is made: boot status 5, queues and telemetry published. Messages are answered
/// inside the write that rings the bell.
class Arc final : public Server {
 public:
  static constexpr uint64_t kCsmBase = 0x1000'0000;
  static constexpr uint64_t kCsmBytes = 512 * 1024;
  static constexpr uint64_t kApbBase = 0x8000'0000;
  static constexpr uint64_t kApbBytes = 0x10'0000;

  Arc(const NocGeometry& geometry, const arch::Board& board);

  bool read(const ServerAccess& access, std::span<uint8_t> out) override;
  bool write(const ServerAccess& access, std::span<const uint8_t> bytes) override;
  void serialize(Archive& archive) override;

 private:
  using Words = std::array<uint32_t, 8>;

  Cycle ready(Cycle arrival, bool, size_t) override { return arrival + 41; }  // as L1: timing.md 13.5
  bool in_csm(const ServerAccess& access, const char* verb, size_t bytes);
  uint32_t* scratch_at(uint64_t address);
  bool read_apb(const ServerAccess& access, uint32_t& value);
  bool write_apb(const ServerAccess& access, uint32_t value);
  void publish();

  // messages (arc_messages.cpp)
  void serve_queues();
  void serve_queue(uint64_t queue, uint32_t entries);
  Words handle(const Words& request);
  void set_aiclk(uint32_t mhz);
  void power_setting(uint32_t word);
  uint32_t read_eeprom(const Words& request);
  bool csm_holds(uint64_t address, uint64_t bytes) const {
    return address >= kCsmBase && address - kCsmBase <= kCsmBytes && bytes <= kCsmBytes - (address - kCsmBase);
  }
  uint32_t csm_word(uint64_t address) const { return csm_.load32(address - kCsmBase); }
  void set_csm_word(uint64_t address, uint32_t value) { csm_.store32(address - kCsmBase, value); }

  const arch::Board board_;
  SparseMemory csm_;
  std::array<uint32_t, 8> scratch_{};
  std::array<uint32_t, 64> scratch_ram_{};
  uint32_t misc_control_ = 0;
  uint32_t aiclk_mhz_ = arch::kAiclkIdleMhz;
  uint32_t last_serial_ = 0;
};

}  // namespace kerr::emu
