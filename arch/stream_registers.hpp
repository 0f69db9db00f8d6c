#pragma once

#include <stdint.h>

#include "arch/memory_map.hpp"

// NoC overlay stream registers, used as plain storage and as accumulators.       docs/hardware/tile.md 5
namespace kerr::arch {

inline constexpr int kStreams = 64;
inline constexpr uint32_t kStreamStride = 0x1000;
inline constexpr int kStreamRegisters = 512;

namespace stream {
inline constexpr int kRemoteSrc = 4;                // 24 bits
inline constexpr int kRemoteDestBufStart = 8;       // 17 bits; CB tiles_acked. A write zeroes register 11
inline constexpr int kRemoteDestBufStartHi = 9;     // 15 bits, streams 0..3 and 8..11
inline constexpr int kRemoteDestBufSize = 10;       // 17 bits; CB tiles_received. A write also sets 297
inline constexpr int kRemoteDestWrPtr = 11;         // 17 bits
inline constexpr int kCurrPhaseBase = 28;           // 20 bits
inline constexpr int kCurrPhase = 29;               // 20 bits; base added on write, subtracted on read
inline constexpr int kPhaseAutoCfgPtrBase = 30;     // 17 bits
inline constexpr int kPhaseAutoCfgPtr = 31;         // 17 bits; general-purpose sync word of stream 0
inline constexpr int kPhaseAutoCfgHeader = 34;      // a write adds [11:0] to CURR_PHASE
inline constexpr int kPerfConfig = 35;
inline constexpr int kScratch0 = 36;                // ..41, 24 bits, streams 0..3 and 8..11
inline constexpr int kFirmwareScratch = 208;
inline constexpr int kScratch32 = 256;
inline constexpr int kWaitStatus = 257;             // read only; 1 when idle
inline constexpr int kNumMsgsReceived = 259;        // read only; 0 when idle
inline constexpr int kPhaseAdvance = 267;           // write only; would start the stream
inline constexpr int kSpaceAvailableUpdate = 270;   // write only; adds bits [22:6] to register 297
inline constexpr int kReset = 271;                  // write only
inline constexpr int kSpaceAvailable = 297;         // read only, 17 bits; the accumulator
}  // namespace stream

// A worker reports "done" to stream kFirstDispatchStream + dispatch_message_offset of the dispatch tile. tile.md 5.5
inline constexpr int kFirstDispatchStream = 48;

inline constexpr uint32_t kStreamCounterMask = 0x1'FFFF;
inline constexpr int kStreamIncrementShift = 6;

constexpr uint32_t stream_address(int stream_id, int reg) {
  return kOverlayBase + kStreamStride * static_cast<uint32_t>(stream_id) + 4u * static_cast<uint32_t>(reg);
}
// The word that adds `n` (may be negative) when written to register 270.
constexpr uint32_t stream_increment(int32_t n) { return static_cast<uint32_t>(n) << kStreamIncrementShift; }
// Wrap-safe "counter has reached n" on 17 bits.
constexpr bool stream_reached(uint32_t counter, uint32_t n) { return static_cast<int32_t>((counter - n) << 15) >= 0; }

static_assert(stream_address(48, stream::kSpaceAvailableUpdate) == 0xFFB7'0438);
static_assert(stream_address(48, stream::kSpaceAvailable) == 0xFFB7'04A4);

}  // namespace kerr::arch
