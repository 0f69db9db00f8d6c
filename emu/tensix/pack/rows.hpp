// Input side of the packer: which rows of Dst, or datums of L1, one PACR reads.   docs/hardware/tensix-datapath.md 12.2
#pragma once

#include <array>
#include <cstdint>

#include "emu/memory/l1.hpp"
#include "emu/tensix/issue.hpp"
#include "emu/tensix/pack/settings.hpp"
#include "emu/tensix/state/adc.hpp"
#include "emu/tensix/state/dst.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

/// What one PACR reads: columns [column, column + per_row) of up to four logical rows, one for each enabled interface.
struct PackRows {
  static constexpr unsigned kInterfaces = 4;

  DstAddressing addressing;
  std::array<uint16_t, kInterfaces> row{};
  unsigned count = 0;
  unsigned column = 0;
  unsigned per_row = 0;
  uint32_t l1_address = 0;  // packing from L1: where the only row lies

  bool whole() const { return per_row == Dst::kColumns; }
};

/// `interfaces`: the mask, not 0. Sets all but rows.addressing, which must be set. Faults: UndefinedBehavior,
/// Unsupported.
Issue choose_rows(const PackSettings& settings, const Adc& adc, unsigned interfaces, bool strided, PackRows& rows);

/// The same for Source_interface_selection = 1: one row of consecutive datums of L1. Faults: OutOfBounds, Unsupported
/// for any mask but that of interface 0.
Issue choose_l1_row(const PackSettings& settings, const Adc& adc, unsigned interfaces, PackRows& rows);

/// Datums of row `k` of `rows` as stored, 32 or 16 bits each; an invalid row reads as 0.
void read_row(const Dst& dst, const PackRows& rows, unsigned k, bool read_32b, uint32_t* raw);
/// Datums that choose_l1_row() chose, 1 << `datum_shift` bytes each.
void read_l1_row(const L1& l1, const PackRows& rows, unsigned datum_shift, uint32_t* raw);

}  // namespace kerr::emu::tensix
