// Soft reset and reset PCs of Tensix tiles. docs/hardware/tile.md 3.1, 3.2; fast-dispatch.md 17.1
#pragma once

#include <span>

#include "arch/firmware_layout.hpp"
#include "arch/grid.hpp"
#include "host/driver/noc_io.hpp"

namespace kerr::host {

/// All five harts held in reset. Nothing else of the tiles changes.
void hold_in_reset(NocIo& io, std::span<const arch::NocCoord> tiles);

/// Where NCRISC and the TRISCs start, with the override bits without which the registers have no effect. BRISC has no
/// such register: it starts at L1 address 0.
void set_reset_pcs(NocIo& io, std::span<const arch::NocCoord> tiles, const arch::FirmwareLayout& layout);

/// BRISC runs, the others stay held. Only base firmware on BRISC releases them: a subordinate that runs early would
/// find uninitialised counters and buffers (fast-dispatch.md 18, defect 3).
void release_brisc(NocIo& io, std::span<const arch::NocCoord> tiles);

}  // namespace kerr::host
