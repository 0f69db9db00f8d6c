#pragma once

#include <stdint.h>

// The ARC tile as a NoC target: memory, registers, message queue.          docs/hardware/noc.md 8, host-pcie.md 5
namespace kerr::arch::arc {

inline constexpr uint32_t kCsmBase = 0x10000000;
inline constexpr uint32_t kCsmBytes = 512 * 1024;
inline constexpr uint32_t kApbBase = 0x80000000;
inline constexpr uint32_t kApbBytes = 1 << 20;

inline constexpr uint32_t kScratch0 = 0x80030060;  // + 4 n, n 0..7; [0] post code
inline constexpr uint32_t kRefclkCounterLow = 0x800300E0;
inline constexpr uint32_t kRefclkCounterHigh = 0x800300E4;
inline constexpr uint32_t kMiscCntl = 0x80030100;
inline constexpr uint32_t kMiscCntlFirmwareInterrupt = 1u << 16;
inline constexpr uint32_t kScratchRam0 = 0x80030400;  // + 4 n
inline constexpr uint32_t kNiu0Base = 0x80050000;
inline constexpr uint32_t kNiu1Base = 0x80058000;
inline constexpr uint32_t kMsiFifo = 0x800B0000;

constexpr uint32_t scratch_ram(uint32_t n) { return kScratchRam0 + 4 * n; }
inline constexpr uint32_t kBootStatus = scratch_ram(2);  // ready when (value & 7) == 5
inline constexpr uint32_t kErrorStatus0 = scratch_ram(4);
inline constexpr uint32_t kSpiBufferInfo = scratch_ram(10);
inline constexpr uint32_t kQueueControlPointer = scratch_ram(11);
inline constexpr uint32_t kTelemetryValuesPointer = scratch_ram(12);
inline constexpr uint32_t kTelemetryTablePointer = scratch_ram(13);
inline constexpr uint32_t kBootStatusMask = 7;
inline constexpr uint32_t kBootStatusReady = 5;

// Message queues: pointers run modulo 2 * entries, slot = pointer modulo entries.
inline constexpr uint32_t kQueues = 4;
inline constexpr uint32_t kQueueHeaderBytes = 32;
inline constexpr uint32_t kQueueEntryBytes = 32;
inline constexpr uint32_t kQueueRequestWrite = 0;   // word indices in the header
inline constexpr uint32_t kQueueResponseRead = 1;
inline constexpr uint32_t kQueueRequestRead = 4;
inline constexpr uint32_t kQueueResponseWrite = 5;

enum class Message : uint8_t {
  Nop = 0x11,
  PowerSetting = 0x21,
  GetAiclk = 0x34,
  AiclkBusy = 0x52,
  LongIdle = 0x54,
  Reset = 0x56,
  GetHarvesting = 0x57,
  DramTrained = 0x58,
  Test = 0x90,
};
inline constexpr uint8_t kStatusUnknownMessage = 0xFF;

}  // namespace kerr::arch::arc
