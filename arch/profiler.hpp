#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arch/memory_map.hpp"

// Times that cores leave behind: start and end of a program, which base firmware sends to the host, and zones inside
// kernels, which stay in L1. Both lie where the stock firmware's mailboxes have room for a profiler.
// docs/hardware/fast-dispatch.md 15.2, tile.md 7.2
namespace kerr::arch::profiler {

inline constexpr uint32_t kControl = 0x9C0;
inline constexpr uint32_t kArmed = 0xC710C0DE;
inline constexpr uint32_t kTransactionId = 3;

// Written by the host before programs run; `row` of a program is the host_assigned_id of its launch message, from 1 on.
struct Control {
  uint32_t start[2] = {};  // of the last program that was timed, low word first
  uint32_t end[2] = {};
  uint32_t pad[16] = {};
  uint32_t armed = 0;          // kArmed, or nothing is timed
  uint32_t noc_xy_addr = 0;    // where the two times go: host memory
  uint32_t base = 0;           // place of core 0 in row 1; multiples of 16
  uint32_t core_bytes = 16;
  uint32_t core = 0;           // this core's number
  uint32_t row_bytes = 0;      // ours
  uint32_t pad2[6] = {};
};
static_assert(sizeof(Control) == 128 && offsetof(Control, armed) == 4 * 20 && offsetof(Control, core) == 4 * 24);

// One buffer a hart: the number of bytes used, this word included, padded to kZoneHeaderBytes, then events.
inline constexpr uint32_t kZoneBuffers = 0xA40;
inline constexpr uint32_t kZoneBufferBytes = 2048;
inline constexpr uint32_t kZoneHeaderBytes = 16;
constexpr uint32_t zone_buffer(Hart hart) { return kZoneBuffers + kZoneBufferBytes * static_cast<uint32_t>(hart); }
static_assert(kControl + sizeof(Control) == kZoneBuffers);

struct ZoneEvent {
  uint32_t id = 0;     // with kZoneEnd at the end
  uint32_t clock = 0;  // low word of the wall clock
};
inline constexpr uint32_t kZoneEnd = 0x80000000;

// The id of a zone that a kernel in C++ names: a hash of the name, above the numbers of kernels::Zone.
constexpr uint32_t zone_id(const char* name) {
  uint32_t hash = 2166136261u;
  for (; *name != 0; ++name) hash = (hash ^ static_cast<uint8_t>(*name)) * 16777619u;
  return (hash & 0x3FFF'FFFF) | 0x4000'0000;
}

}  // namespace kerr::arch::profiler
