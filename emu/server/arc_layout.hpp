// Where our ARC firmware keeps its tables in CSM. Hosts find them through SCRATCH_RAM 10 to 13.   docs/hardware/host-
// pcie.md 5
#pragma once

#include <cstdint>

#include "arch/boards.hpp"

namespace kerr::emu::arc {

inline constexpr uint64_t kTelemetryTable = 0x1000'1000;
inline constexpr uint64_t kTelemetryValues = 0x1000'1800;
inline constexpr uint64_t kQueueControl = 0x1000'2000;
inline constexpr uint64_t kQueues = 0x1000'2100;
inline constexpr uint64_t kSpiBuffer = 0x1000'4000;
inline constexpr uint32_t kSpiBufferLog2 = 12;

inline constexpr uint32_t kQueueCount = 4;
inline constexpr uint32_t kEntriesPerQueue = 4;

constexpr uint64_t telemetry_address(arch::Telemetry tag) { return kTelemetryValues + 4 * static_cast<uint64_t>(tag); }

}  // namespace kerr::emu::arc
