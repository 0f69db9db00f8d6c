// DeviceZoneScopedN: begin and end of a scope, with the clock, in the hart's buffer in L1. Compiled in by KERR_ZONES;
// marks are dropped when the buffer is full, or if the host has not called host::clear_zones().
// arch/profiler.hpp
#pragma once

#include "arch/profiler.hpp"
#include "arch/tile_registers.hpp"
#include "device/access.hpp"

#ifdef KERR_ZONES
namespace kerr::device {

FORCE_INLINE void mark_zone(uint32_t id) {
  namespace profiler = arch::profiler;
  constexpr uint32_t buffer = profiler::zone_buffer(kHart);
  const uint32_t used = load(buffer);
  if (used < profiler::kZoneHeaderBytes || used > profiler::kZoneBufferBytes - sizeof(profiler::ZoneEvent)) return;
  store(buffer + used + offsetof(profiler::ZoneEvent, id), id);
  store(buffer + used + offsetof(profiler::ZoneEvent, clock), load(arch::kWallClockL));
  store(buffer, used + static_cast<uint32_t>(sizeof(profiler::ZoneEvent)));
}

struct ScopedZone {
  uint32_t id;
  FORCE_INLINE explicit ScopedZone(uint32_t zone) : id(zone) { mark_zone(id); }
  FORCE_INLINE ~ScopedZone() { mark_zone(id | arch::profiler::kZoneEnd); }
};

}  // namespace kerr::device

#define KERR_JOINED_(a, b) a##b
#define KERR_JOINED(a, b) KERR_JOINED_(a, b)
#define DeviceZoneScopedN(name)                                      \
  const kerr::device::ScopedZone KERR_JOINED(kerr_zone_, __LINE__) { \
    []() consteval { return kerr::arch::profiler::zone_id(name); }   \
    ()                                                               \
  }
#else
#define DeviceZoneScopedN(name) static_assert(true)
#endif
#define DeviceZoneScopedMainN(name) DeviceZoneScopedN(name)
