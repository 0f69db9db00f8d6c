#include "kernels/blocks/zone.hpp"

#include "arch/tile_registers.hpp"

namespace kerr::kernels {

using namespace isa::reg;
namespace profiler = arch::profiler;

void ZoneMarks::mark(isa::Assembler& a, uint32_t id) const {
  if (!on) return;
  const uint32_t buffer = profiler::zone_buffer(hart);
  const isa::Label full = a.label();
  a.li(t0, buffer);
  a.lw(t1, t0);
  a.li(t2, profiler::kZoneBufferBytes);
  a.bgeu(t1, t2, full);
  a.add(t0, t0, t1);
  a.li(t2, id);
  a.sw(t2, t0, offsetof(profiler::ZoneEvent, id));
  a.li(t2, arch::kWallClockL);
  a.lw(t2, t2);
  a.sw(t2, t0, offsetof(profiler::ZoneEvent, clock));
  a.addi(t1, t1, sizeof(profiler::ZoneEvent));
  a.li(t0, buffer);
  a.sw(t1, t0);
  a.bind(full);
}

}  // namespace kerr::kernels
