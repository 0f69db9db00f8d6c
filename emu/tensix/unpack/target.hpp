// Output side of an unpacker: where in SrcA, SrcB or Dst the datums of one UNPACR go.
// docs/hardware/tensix-datapath.md 11.4
#pragma once

#include <cstdint>

#include "emu/math/src_bank.hpp"
#include "emu/tensix/issue.hpp"
#include "emu/tensix/state/adc.hpp"
#include "emu/tensix/state/dst.hpp"
#include "emu/tensix/unpack/settings.hpp"
#include "emu/tensix/unpack/source.hpp"

namespace kerr::emu::tensix {

/// SrcA and Dst have four rows too many in front: a destination of 64 datums is row 0. SrcB has not.
inline constexpr uint32_t kBiasDatums = 64;

struct UnpackTarget {
  enum class Kind : uint8_t { SrcA, SrcB, Dst };

  Kind kind = Kind::SrcA;
  uint64_t datum = 0;         // index of the first datum; row * 16 + column, with the bias
  unsigned row_base = 0;      // SrcRow of the thread, added to SrcB rows and, without SetOvrdWithAddr, to SrcA rows
  bool row_as_is = true;      // SetOvrdWithAddr: SrcA rows wrap at 64 instead
  bool transpose = false;     // within each 16 x 16 block
  unsigned column_shift = 0;  // SrcA columns below it are dropped, the others move down
};

/// `row_base` is SrcRow of the issuing thread in the target's register. Faults: UndefinedBehavior for rows that do not
/// exist.
Issue aim(const ConfigBank& config, const ThreadConfig& thread, const UnpackSettings& settings, const Adc& adc,
          unsigned row_base, const UnpackSource& source, UnpackTarget& target);

/// Rows of a bank, one bit each, that write_src() may touch; `whole`: those of which it writes all cells.
uint64_t rows_of(const UnpackSource& source, const UnpackTarget& target, bool whole);
/// Moves all datums of `source`, or zeros, into a bank. `target` is SrcA or SrcB.
void write_src(const UnpackSource& source, const UnpackTarget& target, bool zeros, const L1& l1, math::SrcBank& bank);
/// The same into Dst; touched rows become valid.
void write_dst(const UnpackSource& source, const UnpackTarget& target, bool zeros, const L1& l1,
               const DstAddressing& addressing, Dst& dst);

}  // namespace kerr::emu::tensix
