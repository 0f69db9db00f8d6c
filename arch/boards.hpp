#pragma once

#include <stdint.h>

#include "arch/grid.hpp"
#include "arch/harvesting.hpp"

// The boards that the emulator can be. docs/hardware/noc.md 1.2, 8, host-pcie.md 5.6
namespace kerr::arch {

struct Board {
  const char* name;
  Harvesting harvesting;
  uint64_t board_id;              // telemetry tags 1, 2; the card type is bits [55:36]
  uint32_t flash_bundle_version;  // telemetry tag 28
};

// Two Tensix columns and DRAM bank 3 off, no Ethernet: 120 tiles, 7 banks.
inline constexpr Board kP100a = {
    .name = "p100a",
    .harvesting = {.tensix_columns = 0x3EF7, .ethernet = 0, .dram_banks = 0xF7, .pcie_instance = 0},
    .board_id = (0x43ull << 36) | 1,
    .flash_bundle_version = 0x12050000,
};

// The 140-tile form (board firmware before 19.5, so the bundle version stays below 0x13050000).
inline constexpr Board kP150 = {
    .name = "p150",
    .harvesting = {.tensix_columns = 0x3FFF, .ethernet = 0x3EDF, .dram_banks = 0xFF, .pcie_instance = 0},
    .board_id = (0x40ull << 36) | 1,
    .flash_bundle_version = 0x12050000,
};

inline constexpr Board kBoards[] = {kP100a, kP150};

constexpr uint32_t board_type(const Board& b) { return static_cast<uint32_t>(b.board_id >> 36) & 0xFFFFF; }

// Telemetry tags with the meaning and unit of host-pcie.md 5.6.
enum class Telemetry : uint16_t {
  kBoardIdHigh = 1,
  kBoardIdLow = 2,
  kAsicId = 3,
  kHarvestingState = 4,
  kAsicTemperature = 11,
  kBoardTemperature = 13,
  kAiclkMhz = 14,
  kAxiclkMhz = 15,
  kArcclkMhz = 16,
  kEthLiveStatus = 21,
  kGddrStatus = 22,
  kGddrSpeed = 23,
  kFlashBundleVersion = 28,
  kTimerHeartbeat = 32,
  kTelemEnumCount = 33,
  kEnabledTensixCol = 34,
  kEnabledEth = 35,
  kEnabledGddr = 36,
  kEnabledL2Cpu = 37,
  kPcieUsage = 38,
  kNocTranslation = 40,
  kAsicLocation = 52,
  kAsicIdHigh = 61,
  kAsicIdLow = 62,
};
inline constexpr int kTelemetryEntries = 71;

inline constexpr uint32_t kAiclkBusyMhz = 1350;
inline constexpr uint32_t kAiclkIdleMhz = 800;
inline constexpr uint32_t kAxiclkMhz = 960;
inline constexpr uint32_t kArcclkMhz = 800;
inline constexpr uint32_t kRefclkMhz = 50;
inline constexpr uint32_t kGddrSpeedMbps = 16000;

// The value of one tag at power-up with an idle chip; 0 for a tag that this board does not fill.
constexpr uint32_t telemetry_value(const Board& b, int tag) {
  const Harvesting& h = b.harvesting;
  switch (static_cast<Telemetry>(tag)) {
    case Telemetry::kBoardIdHigh: return static_cast<uint32_t>(b.board_id >> 32);
    case Telemetry::kBoardIdLow: return static_cast<uint32_t>(b.board_id);
    case Telemetry::kAsicId: return 1;
    case Telemetry::kAsicTemperature: return 40u << 16;
    case Telemetry::kBoardTemperature: return 35u << 16;
    case Telemetry::kAiclkMhz: return kAiclkIdleMhz;
    case Telemetry::kAxiclkMhz: return kAxiclkMhz;
    case Telemetry::kArcclkMhz: return kArcclkMhz;
    case Telemetry::kEthLiveStatus: return h.ethernet;
    case Telemetry::kGddrStatus: {
      uint32_t trained = 0;
      for (int bank = 0; bank < kDramBanks; ++bank)
        if ((h.dram_banks >> bank) & 1) trained |= 1u << (2 * bank);
      return trained;
    }
    case Telemetry::kGddrSpeed: return kGddrSpeedMbps;
    case Telemetry::kFlashBundleVersion: return b.flash_bundle_version;
    case Telemetry::kTimerHeartbeat: return 1;
    case Telemetry::kTelemEnumCount: return kTelemetryEntries;
    case Telemetry::kEnabledTensixCol: return h.tensix_columns;
    case Telemetry::kEnabledEth: return h.ethernet;
    case Telemetry::kEnabledGddr: return h.dram_banks;
    case Telemetry::kEnabledL2Cpu: return 0xF;
    case Telemetry::kPcieUsage: return 1u << (2 * h.pcie_instance);
    case Telemetry::kNocTranslation: return 1;
    case Telemetry::kAsicIdLow: return 1;
    default: return 0;
  }
}

}  // namespace kerr::arch
