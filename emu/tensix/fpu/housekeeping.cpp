// Clears and the transposition.   docs/hardware/tensix-math.md 2 (ZEROACC), 7.4; tensix-datapath.md 9, 10
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emu/tensix/fpu/fpu.hpp"

namespace kerr::emu::tensix {

namespace cfg = arch::global_config;
namespace thread_cfg = arch::thread_config;
using namespace isa::tensix;

// Clears no cells, only the rows' valid flags (clear_zero_flags sets them). Modes 1 to 3 mean physical rows.
Issue Fpu::exec(int thread, const ZEROACC& i) {
  enum : unsigned { kOneRow, kSixteenRows, kHalf, kAll };
  if (Issue no = ready(thread, Needs::Nothing, i.addr_mode, false); !no.is_done()) return no;
  const bool valid = i.clear_zero_flags != 0;
  if (valid && !(i.clear_mode == kSixteenRows && i.use_32_bit_mode)) {
    return Issue::undefined(fmt::format("ZEROACC with clear_zero_flags = 1 in mode {}", i.clear_mode),
                            "It is known in mode 1 with use_32_bit_mode only.");
  }
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
      unsigned tile = i.where & 0xFF;
      if (!i.use_32_bit_mode) {
        if (!absolute && (offset & 0x200)) tile += 32;
        if (tile < 64) dst_.set_valid(16 * tile, 16, valid);
        first = 16 * tile;
      } else {
        if (!absolute && (offset & 0x300)) tile += 16;
        if (tile < 32) {  // eight rows of high halves and their neighbours behind the low halves
          dst_.set_valid(32 * tile, 8, valid);
          dst_.set_valid(32 * tile + 16, 8, valid);
        }
        first = 16 * tile;
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
  if (i.clear_mode == kOneRow || i.clear_mode == kSixteenRows) advance(thread, i.addr_mode);
  return Issue::done().wrote_dst(first % Dst::kRows, count);
}

Issue Fpu::exec(int, const ZEROSRC& i) {
  const auto clear = [&](SrcRegister& src, math::Cell value) {
    for (unsigned bank = 0; bank < 2; ++bank) {
      const unsigned own_bank = i.write_mode ? src.fpu_index() : src.unpack_index();
      if (!i.bank_mask && bank != own_bank) continue;
      std::fill_n(&src.bank(bank).cells[0][0], math::kSrcRows * math::kColumns, value);
      src.bank(bank).changed();
    }
  };
  if (i.src_mask & 1) clear(src_a_, i.zero_val ? math::kCellMask : 0);
  if (i.src_mask & 2) clear(src_b_, 0);
  return Issue::done();
}

// Rows 16..31 of the current SrcB bank, in place.
Issue Fpu::exec(int, const TRNSPSRCB&) {
  if (Issue waiting = wait_for(Needs::SrcB); !waiting.is_done()) return waiting;
  math::SrcBank& bank = src_b_.fpu_bank();
  for (unsigned r = 0; r < 16; ++r) {
    for (unsigned c = 0; c < r; ++c) std::swap(bank.cells[16 + r][c], bank.cells[16 + c][r]);
  }
  bank.changed();
  return Issue::done();
}

}  // namespace kerr::emu::tensix
