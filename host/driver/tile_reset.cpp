#include "host/driver/tile_reset.hpp"

#include <cstring>

#include "arch/tile_registers.hpp"

namespace kerr::host {
namespace {

void write_register(NocIo& io, std::span<const arch::NocCoord> tiles, uint32_t address, uint32_t value) {
  for (arch::NocCoord tile : tiles) io.write32(tile, address, value);
}

uint32_t base(const arch::FirmwareLayout& layout, arch::Hart hart) {
  return layout.firmware_base[static_cast<size_t>(hart)];
}

}  // namespace

void hold_in_reset(NocIo& io, std::span<const arch::NocCoord> tiles) {
  write_register(io, tiles, arch::kSoftReset0, arch::kSoftResetAllHarts);
}

void set_reset_pcs(NocIo& io, std::span<const arch::NocCoord> tiles, const arch::FirmwareLayout& layout) {
  write_register(io, tiles, arch::kTrisc0ResetPc, base(layout, arch::Hart::Trisc0));
  write_register(io, tiles, arch::kTrisc1ResetPc, base(layout, arch::Hart::Trisc1));
  write_register(io, tiles, arch::kTrisc2ResetPc, base(layout, arch::Hart::Trisc2));
  write_register(io, tiles, arch::kTriscResetPcOverride, 7);
  write_register(io, tiles, arch::kNcriscResetPc, base(layout, arch::Hart::Ncrisc));
  write_register(io, tiles, arch::kNcriscResetPcOverride, 1);
}

void release_brisc(NocIo& io, std::span<const arch::NocCoord> tiles) {
  write_register(io, tiles, arch::kSoftReset0, arch::kSoftResetBriscRuns);
}

}  // namespace kerr::host
