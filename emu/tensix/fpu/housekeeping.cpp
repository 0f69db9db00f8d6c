// Clears, the transposition and the shifts.   docs/hardware/tensix-math.md 2 (ZEROACC), 7.4; tensix-datapath.md 9, 10
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emu/tensix/fpu/fpu.hpp"
#include "emu/tensix/fpu/modifier.hpp"

namespace kerr::emu::tensix {

namespace cfg = arch::global_config;
namespace thread_cfg = arch::thread_config;
using namespace isa::tensix;

// Clears no cells, only the rows' valid flags (clear_zero_flags sets them). Modes 1 to 3 mean physical rows.
// Mode 1 counts blocks within a half of Dst. The chip takes the half from the sum of the row offset and the block
// number, although a block has sixteen rows: near the end of the lower half a block lands in the upper one. That is
// measured for 16 bits; for 32 bits only the reference simulator tells the half, by the row offset.
Issue Fpu::exec(int thread, const ZEROACC& i) {
  enum : unsigned { kOneRow, kSixteenRows, kHalf, kAll };
  if (Issue no = ready(thread, Needs::Nothing, i.addr_mode); !no.is_done()) return no;
  if (const WaitMask due = DueHandOvers::before(due_, i.clear_dvalid, src_a_, src_b_)) return DueHandOvers::wait(due);
  const bool valid = i.clear_zero_flags != 0;
  if (valid && i.clear_mode != kSixteenRows) {
    return Issue::undefined(fmt::format("ZEROACC with clear_zero_flags = 1 in mode {}", i.clear_mode),
                            "It is known in mode 1 only.");
  }
  if (valid && !i.use_32_bit_mode && !tolerance_.has(Oddity::FlagsOf16BitRows))
    return Issue::odd(Oddity::FlagsOf16BitRows, 1);
  const ConfigBank& c = config(thread);
  const unsigned offset = own(thread).get(thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset) + rwc(thread).dst;
  const bool absolute = c.flag(cfg::DEST_ACCESS_CFG_zeroacc_absolute_tile_mode);
  unsigned first = 0, count = 0;
  switch (i.clear_mode) {
    case kOneRow: {
      const DstAddressing addressing = dst_.addressing(c);
      first = dst_row(thread, i.where);
      count = 1;
      dst_.set_valid(settings(thread).mode.wide() ? addressing.row_32(first) : addressing.row_16(first), valid);
      break;
    }
    case kSixteenRows: {
      unsigned block = i.where & 0xFF;
      if (!i.use_32_bit_mode) {
        if (!absolute && ((offset + block) & 0x200)) block += 32;
        if (block < 64) dst_.set_valid(16 * block, 16, valid);
        first = 16 * block;
      } else {
        if (!absolute && (offset & 0x300)) block += 16;
        if (block < 32) {  // eight rows of high halves and their neighbours behind the low halves
          dst_.set_valid(32 * block, 8, valid);
          dst_.set_valid(32 * block + 16, 8, valid);
        }
        first = 16 * block;
      }
      count = 16;
      break;
    }
    case kHalf:
      first = 512 * (i.where & 1);
      count = 512;
      dst_.set_valid(first, count, false);
      break;
    default:
      count = Dst::kRows;
      dst_.set_valid(0, count, false);
      break;
  }
  if (i.clear_mode == kOneRow || i.clear_mode == kSixteenRows) rwc(thread).apply(own(thread), i.addr_mode);
  release_sources(thread, i.clear_dvalid);
  return Issue::done().wrote_dst(first % Dst::kRows, count);
}

Issue Fpu::exec(int, const ZEROSRC& i) {
  const auto clear = [&](SrcRegister& src, math::Cell value) {
    for (unsigned bank = 0; bank < 2; ++bank) {
      const unsigned own_bank = i.write_mode ? src.fpu_index() : src.unpack_index();
      if (!i.bank_mask && bank != own_bank) continue;
      std::fill_n(&src.bank(bank).cells[0][0], math::kSrcRows * math::kColumns, value);
      src.bank(bank).changed();
      src.learn(bank, ~uint64_t{0});
    }
  };
  if (i.src_mask & 1) clear(src_a_, i.zero_val ? math::kCellMask : 0);
  if (i.src_mask & 2) clear(src_b_, 0);
  return Issue::done();
}

// Rows 16..31 of the current SrcB bank, in place.
Issue Fpu::exec(int, const TRNSPSRCB&) {
  if (Issue waiting = wait_for(Needs::SrcB); !waiting.is_done()) return waiting;
  if (Issue no = known("TRNSPSRCB", 0, 0, 16, 16); !no.is_done()) return no;
  math::SrcBank& bank = src_b_.fpu_bank();
  for (unsigned r = 0; r < 16; ++r) {
    for (unsigned c = 0; c < r; ++c) std::swap(bank.cells[16 + r][c], bank.cells[16 + c][r]);
  }
  bank.changed();
  return Issue::done();
}

// Sixteen rows of SrcA by a column, to its first sixteen rows. Which rows it reads is a bug of the chip: those where
// the last instruction of any thread that computed a row of SrcA began.
Issue Fpu::exec(int, const SHIFTXA& i) {
  constexpr unsigned kToHigherColumns = 2, kToLowerColumns = 3;
  if (Issue waiting = wait_for(Needs::SrcA); !waiting.is_done()) return waiting;
  if ((i.shift_mode != kToHigherColumns && i.shift_mode != kToLowerColumns) || i.log2_amount2 != 0) {
    return Issue::unsupported(
        fmt::format("SHIFTXA with shift_mode = {} and log2_amount2 = {}: its ISA page knows modes "
                    "2 and 3, by one column",
                    i.shift_mode, i.log2_amount2));
  }
  math::SrcBank& bank = src_a_.fpu_bank();
  const unsigned from = last_a_row_ & 0x30;
  if (Issue no = known("SHIFTXA", from, 16, 0, 0); !no.is_done()) return no;
  src_a_.learn(src_a_.fpu_index(), 0xFFFF);
  for (unsigned r = 0; r < 16; ++r) {
    math::Cell row[math::kColumns + 2] = {};  // a zero on either side
    std::copy_n(bank.cells[from + r], math::kColumns, row + 1);
    std::copy_n(i.shift_mode == kToHigherColumns ? row : row + 2, math::kColumns, bank.cells[r]);
  }
  bank.changed();
  return Issue::done();
}

// One row of SrcB by a column; what falls out comes in again at the end, or a zero does. The loop of the ISA page stops
// one column early: taken for a slip (tensix-math.md 7.4).
Issue Fpu::exec(int thread, const SHIFTXB& i) {
  if (Issue waiting = wait_for(Needs::SrcB); !waiting.is_done()) return waiting;
  if (Issue no = check_modifier(rwc(thread), own(thread), i.addr_mode); !no.is_done()) return no;
  if (Issue no = known("SHIFTXB", 0, 0, i.shift_row + rwc(thread).b, 1); !no.is_done()) return no;
  math::SrcBank& bank = src_b_.fpu_bank();
  math::Cell* row = bank.cells[(i.shift_row + rwc(thread).b) % math::kSrcRows];
  std::rotate(row, row + 1, row + math::kColumns);
  if (i.rot_shift) row[math::kColumns - 1] = 0;
  bank.changed();
  rwc(thread).apply(own(thread), i.addr_mode);
  return Issue::done();
}

}  // namespace kerr::emu::tensix
