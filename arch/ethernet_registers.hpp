#pragma once

#include <stdint.h>

#include "arch/array.hpp"

// What an Ethernet tile has and a Tensix tile has not; debug page, NIUs and overlay are at the same addresses.
// docs/hardware/noc.md 9, host-pcie.md 6.9
namespace kerr::arch::ethernet {

inline constexpr int kHarts = 2;     // E0 and E1
inline constexpr int kStreams = 32;  // of the overlay

// SOFT_RESET_0: bits 11 and 12 hold E0 and E1; the tile has no others.
inline constexpr Array<uint8_t, kHarts> kSoftResetBit = {11, 12};
inline constexpr uint32_t kSoftResetMask = 0x1800;
inline constexpr Array<uint32_t, kHarts> kResetPc = {0xFFB1'4000, 0xFFB1'4008};

inline constexpr uint32_t kPicBase = 0xFFB1'4020;
inline constexpr uint32_t kPicBytes = 0x44;

inline constexpr int kQueues = 3;
inline constexpr uint32_t kQueueStride = 0x1000;
inline constexpr uint32_t kTxQueueBase = 0xFFB9'0000;
inline constexpr uint32_t kTxCommand = 0x04;
inline constexpr uint32_t kRxQueueBase = 0xFFB9'4000;
inline constexpr uint32_t kControlBase = 0xFFB9'8000;
inline constexpr uint32_t kPcsStatus = 0xFFB9'800C;
inline constexpr uint32_t kRxRouting = 0xFFB9'8150;
inline constexpr uint32_t kRxAddressRouting = 0xFFB9'8154;
inline constexpr uint32_t kTxHeaderBase = 0xFFB9'8200;
inline constexpr uint32_t kTxHeaderStride = 0x80;
inline constexpr int kTxHeaders = 10;
inline constexpr uint32_t kClassifierBase = 0xFFB9'C000;
inline constexpr uint32_t kClassifierBytes = 0x2A20;
inline constexpr uint32_t kMacBase = 0xFFBA'0000;
inline constexpr uint32_t kMacBytes = 0x1'0000;

// In L1: left there by Tenstorrent's base firmware, which starts on E0 before anybody else.
inline constexpr uint32_t kPostCode = 0x7'CC00;
inline constexpr uint32_t kPostCodePass = 0xC0DE'A000;
inline constexpr uint32_t kPortStatus = 0x7'CC04;
inline constexpr uint32_t kPortDown = 2;
inline constexpr uint32_t kTraining = 0x7'CC08;
inline constexpr uint32_t kTrainingPass = 2;
inline constexpr uint32_t kHeartbeat = 0x7'CC70;
inline constexpr uint32_t kFirmwareVersion = 0x7'CFBC;  // 0, major, minor, patch from the top
inline constexpr uint32_t kFirmwareVersionValue = 0x0001'0600;

}  // namespace kerr::arch::ethernet
