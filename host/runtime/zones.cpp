#include "host/runtime/zones.hpp"

#include <algorithm>
#include <cstring>

#include "arch/profiler.hpp"

namespace kerr::host {

namespace profiler = arch::profiler;

void clear_zones(NocIo& io, std::span<const arch::NocCoord> cores) {
  for (arch::NocCoord core : cores) {
    for (int h = 0; h < arch::kHarts; ++h) {
      io.write32(core, profiler::zone_buffer(static_cast<arch::Hart>(h)), profiler::kZoneHeaderBytes);
    }
  }
}

Zones read_zones(NocIo& io, std::span<const arch::NocCoord> cores) {
  Zones out;
  std::vector<std::byte> bytes(profiler::kZoneBufferBytes * arch::kHarts);
  for (arch::NocCoord core : cores) {
    io.read(core, profiler::kZoneBuffers, bytes);
    for (int h = 0; h < arch::kHarts; ++h) {
      const std::byte* buffer = bytes.data() + profiler::kZoneBufferBytes * static_cast<uint32_t>(h);
      uint32_t used;
      std::memcpy(&used, buffer, sizeof used);
      if (used >= profiler::kZoneBufferBytes) {
        out.complete = false;
        used = profiler::kZoneBufferBytes;
      }
      std::vector<profiler::ZoneEvent> open;
      for (uint32_t at = profiler::kZoneHeaderBytes; at + sizeof(profiler::ZoneEvent) <= used;
           at += sizeof(profiler::ZoneEvent)) {
        profiler::ZoneEvent event;
        std::memcpy(&event, buffer + at, sizeof event);
        if ((event.id & profiler::kZoneEnd) == 0) {
          open.push_back(event);
          continue;
        }
        const uint32_t id = event.id & ~profiler::kZoneEnd;
        const auto begin = std::find_if(open.rbegin(), open.rend(), [&](const auto& e) { return e.id == id; });
        if (begin == open.rend()) continue;
        out.all.push_back({core, static_cast<arch::Hart>(h), id, begin->clock, event.clock});
        open.erase(std::next(begin).base(), open.end());
      }
    }
  }
  return out;
}

}  // namespace kerr::host
