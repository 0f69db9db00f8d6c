// Registers of the vector unit to tiles of Dst and back.   docs/hardware/tensix-math.md 10.2
#pragma once

#include <cstdint>

#include "isa/tensix/instructions.hpp"

namespace kerr::kernels::vector {

inline constexpr uint32_t kTileRows = 64;                     // of the addresses of SFPLOAD and SFPSTORE
inline constexpr uint32_t kRowGroups = 8, kColumnGroups = 4;  // of lanes in a tile
inline constexpr uint32_t kPlainAddresses = 7;                // the address modifier that changes nothing

/// What SFPLOAD makes of a datum, and SFPSTORE of a register. Configured: FP16 if that is SrcB's format and the vector
/// unit does not see Dst as FP32 (mode 1 would be the same, but no simulator confirms it).
enum class DstMode : uint32_t { Configured = 0, Bf16 = 2, Fp32 = 3, Int32 = 4, Int8 = 5, Low16 = 6, HighOnly = 15 };

/// How numbers lie in Dst.
constexpr DstMode number_mode(bool dst32) { return dst32 ? DstMode::Fp32 : DstMode::Bf16; }

/// SFPLOAD or SFPSTORE of a group of lanes: `row` counts from the tile's first row, plus 2 for odd columns.
template <class T>
T dst_access(uint32_t reg, DstMode mode, uint32_t tile, uint32_t row = 0) {
  return {.dest_reg_addr = kTileRows * tile + row,
          .sfpu_addr_mode = kPlainAddresses,
          .instr_mod0 = static_cast<uint32_t>(mode),
          .lreg_ind = reg};
}

/// Where a group of lanes is in a tile: 4 rows, and the even or odd columns of the left or right half.
constexpr uint32_t place_of_group(uint32_t row_group, uint32_t column_group) {
  return row_group / 4 * 32 + row_group % 4 * 4 + column_group / 2 * 16 + column_group % 2 * 2;
}

/// Register 1 becomes register 0 moved on by 1, 2 and 4 lanes of its row of eight. `combine` is called for each.
template <class Emit, class Combine>
void along_lanes(Emit&& emit, Combine&& combine) {
  for (const int distance : {1, 2, 4}) {
    emit(isa::tensix::SFPMOV{.instr_mod1 = 2, .lreg_dest = 1, .lreg_c = 0});
    for (int step = 0; step < distance; ++step) {
      emit(isa::tensix::SFPSHFT2{.instr_mod1 = 3, .lreg_dest = 1, .lreg_src_c = 1});
      emit(isa::tensix::SFPNOP{});
    }
    combine();
  }
}

/// Stores all 32 bits of a register: to row `place` of the section if Dst has 32 bits, else the upper half there and
/// the lower half to row `low`. `emit` takes the instructions.
template <class Emit>
void store_exact(bool dst32, uint32_t reg, uint32_t place, uint32_t low, Emit&& emit) {
  using Store = isa::tensix::SFPSTORE;
  emit(dst_access<Store>(reg, dst32 ? DstMode::Int32 : DstMode::HighOnly, 0, place));
  if (!dst32) emit(dst_access<Store>(reg, DstMode::Low16, 0, low));
}
template <class Emit>
void load_exact(bool dst32, uint32_t reg, uint32_t place, uint32_t low, Emit&& emit) {
  using Load = isa::tensix::SFPLOAD;
  if (!dst32) emit(dst_access<Load>(reg, DstMode::Low16, 0, low));  // clears the upper half, which comes next
  emit(dst_access<Load>(reg, dst32 ? DstMode::Int32 : DstMode::HighOnly, 0, place));
}

}  // namespace kerr::kernels::vector
