#include "tests/timing/marked.hpp"

#include "arch/memory_map.hpp"
#include "arch/sync.hpp"
#include "arch/tile_registers.hpp"
#include "kernels/blocks/compute.hpp"

namespace kerr::timing_tests {

using namespace isa::reg;
using emu::Kernel;
namespace tx = isa::tensix;

namespace {

constexpr NocCoord kTile{1, 2};
constexpr uint32_t kMarks = kResults + 0x104;  // takes two instructions to load, as the reports' address does

void mark(Kernel& k, uint32_t address, bool last) {
  k.li(a7, arch::kWallClockL);
  k.lw(a6, a7);
  k.li(a7, address);
  k.sw(a6, a7);
  if (last) k.fence();
}

}  // namespace

double marked_cycles(const Payload& prepare, const Payload& section) {
  LoneChip chip;
  const Payload between = [](Kernel& k) {
    // Both sources are the matrix unit's; nothing of the preparation is left to do.
    k.tensix(tx::SETDVALID{.setvalid = 3});
    k.tensix(tx::SETRWC{.bit_mask = 0xF});
    wait_for(k, kernels::until::kMath | kernels::until::kSfpu);
  };
  const Payload timed = [&section](Kernel& k) {
    mark(k, kMarks, false);
    section(k);
    mark(k, kMarks + 4, true);
  };
  chip.load(kTile, {arch::Hart::Trisc1, sequence({prepare, between, timed}), nothing}, 1);
  chip.finish(kTile, arch::Hart::Trisc1);
  return chip.host().read32(kTile, kMarks + 4) - chip.host().read32(kTile, kMarks);
}

void fuse_pushes(Kernel& k) {
  k.li(t0, 0x20008);
  k.csrw(0x7C0, t0);
}

double marked_slope(uint32_t few, uint32_t many, const std::function<Payload(uint32_t)>& section) {
  return (marked_cycles(fuse_pushes, section(many)) - marked_cycles(fuse_pushes, section(few))) / (many - few);
}

void wait_for(Kernel& k, uint32_t units) {
  k.tensix(tx::STALLWAIT{.wait_res = units, .stall_res = kernels::stall::kSync});
  k.li(t0, arch::kTtSyncThreadIdle);
  k.sw(zero, t0);
  k.lw(t1, t0);
  k.and_(zero, zero, t1);
}

void play(Kernel& k, uint32_t length) { k.tensix(tx::REPLAY{.len = length}); }

}  // namespace kerr::timing_tests
