// The NIU registers of a node that never change after ARC has booted the chip: who and where it is, how it translates.
#pragma once

#include <cstdint>
#include <optional>

#include "arch/grid.hpp"
#include "arch/harvesting.hpp"
#include "emu/noc/geometry.hpp"

namespace kerr::emu {

/// The register that a read of `address` over `noc` reaches at the node `raw`, which is not a Tensix tile in working
/// order; nothing if the address is no NIU address there or the register is one that counts. docs/hardware/noc.md 2,
/// 2.5, 7.1
std::optional<uint32_t> id_register(const NocGeometry& geometry, arch::NocCoord raw, int noc, uint64_t address);

/// The same, by the offset in the NIU's block.
std::optional<uint32_t> id_register_at(const NocGeometry& geometry, arch::NocCoord raw, int noc, uint32_t offset);

}  // namespace kerr::emu
