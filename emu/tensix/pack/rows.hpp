// Input side of the packer: which rows of Dst one PACR reads.   docs/hardware/tensix-datapath.md 12.2
#pragma once

#include <array>
#include <cstdint>

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
  std::array<std::uint16_t, kInterfaces> row{};
  unsigned count = 0;
  unsigned column = 0;
  unsigned per_row = 0;

  bool whole() const { return per_row == Dst::kColumns; }
};

/// `interfaces`: the mask, not 0. Sets all but rows.addressing, which must be set. Faults: UndefinedBehavior,
/// Unsupported.
Issue choose_rows(const PackSettings& settings, const Adc& adc, unsigned interfaces, bool strided, PackRows& rows);

/// Datums of row `k` of `rows` as stored, 32 or 16 bits each; an invalid row reads as 0.
void read_row(const Dst& dst, const PackRows& rows, unsigned k, bool read_32b, std::uint32_t* raw);

}  // namespace kerr::emu::tensix
