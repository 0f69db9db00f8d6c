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
  BoardIdHigh = 1,
  BoardIdLow = 2,
  AsicId = 3,
  HarvestingState = 4,
  AsicTemperature = 11,
  BoardTemperature = 13,
  AiclkMhz = 14,
  AxiclkMhz = 15,
  ArcclkMhz = 16,
  EthLiveStatus = 21,
  GddrStatus = 22,
  GddrSpeed = 23,
  FlashBundleVersion = 28,
  TimerHeartbeat = 32,
  TelemEnumCount = 33,
  EnabledTensixCol = 34,
  EnabledEth = 35,
  EnabledGddr = 36,
  EnabledL2Cpu = 37,
  PcieUsage = 38,
  NocTranslation = 40,
  AsicLocation = 52,
  AsicIdHigh = 61,
  AsicIdLow = 62,
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
    case Telemetry::BoardIdHigh: return static_cast<uint32_t>(b.board_id >> 32);
    case Telemetry::BoardIdLow: return static_cast<uint32_t>(b.board_id);
    case Telemetry::AsicId: return 1;
    case Telemetry::AsicTemperature: return 40u << 16;
    case Telemetry::BoardTemperature: return 35u << 16;
    case Telemetry::AiclkMhz: return kAiclkIdleMhz;
    case Telemetry::AxiclkMhz: return kAxiclkMhz;
    case Telemetry::ArcclkMhz: return kArcclkMhz;
    case Telemetry::EthLiveStatus: return h.ethernet;
    case Telemetry::GddrStatus: {
      uint32_t trained = 0;
      for (int bank = 0; bank < kDramBanks; ++bank)
        if ((h.dram_banks >> bank) & 1) trained |= 1u << (2 * bank);
      return trained;
    }
    case Telemetry::GddrSpeed: return kGddrSpeedMbps;
    case Telemetry::FlashBundleVersion: return b.flash_bundle_version;
    case Telemetry::TimerHeartbeat: return 1;
    case Telemetry::TelemEnumCount: return kTelemetryEntries;
    case Telemetry::EnabledTensixCol: return h.tensix_columns;
    case Telemetry::EnabledEth: return h.ethernet;
    case Telemetry::EnabledGddr: return h.dram_banks;
    case Telemetry::EnabledL2Cpu: return 0xF;
    case Telemetry::PcieUsage: return 1u << (2 * h.pcie_instance);
    case Telemetry::NocTranslation: return 1;
    case Telemetry::AsicIdLow: return 1;
    default: return 0;
  }
}

}  // namespace kerr::arch
