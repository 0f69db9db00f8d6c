// Moves between SrcA, SrcB and Dst: data only, the format decides how a cell is shaped.
// docs/hardware/tensix-math.md 7.1 to 7.3; BLOCK_DEST_MOV: 7
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "emu/tensix/fpu/dst_block.hpp"
#include "emu/tensix/fpu/fpu.hpp"

namespace kerr::emu::tensix {

using namespace isa::tensix;
using math::Cell;
using math::Format;
using math::Style;

namespace {

constexpr unsigned kManyRows = 2;                                     // bit of instr_mod; the other one has no meaning
constexpr unsigned kColumnToAll = 1, kRowToEight = 2, kFourRows = 4;  // bits of movb2d_instr_mod

// Codes 8 and 9 are opaque bits in BF16's places.
Style shape_of(Format f) { return math::style_of(f); }

Cell flushed(Cell c, bool flush) { return flush && math::cell_exponent(c) == 0 ? 0 : c; }

// The format may be anything that some unpacker left in the bank; two codes have no meaning.
Issue check_format(const char* name, Format f) {
  if (math::is_named(f)) return Issue::done();
  return Issue::unsupported(fmt::format("{} with reserved data format code {}", name, math::code_of(f)));
}

// MOVA2D and MOVDBGA2D take their data as TF32 while Fp32_enabled is 1, so a low half is an erratum of the chip then
// (TEN-4245). Sources disagree about what it leaves in Dst: nothing is written (tt-metal 47311), zeros (tt-llk 449),
// corrupt data (ISA page).
Issue check_low_half_of_a(const char* name, bool wide_float_dst, bool low_half) {
  if (!low_half || !wide_float_dst) return Issue::done();
  return Issue::unsupported(
      fmt::format("{} with dest_32b_lo = 1 while Fp32_enabled = 1: an erratum of the chip, which takes the data as "
                  "TF32 then; what it leaves in Dst is not known",
                  name),
      "Set ALU_ACC_CTRL_Fp32_enabled to 0 around moves of low halves, as LLK does.");
}

Issue check_low_half(const char* name, Format shape, bool low_half) {
  if (low_half && shape_of(shape) == Style::Tf32) {
    return Issue::undefined(fmt::format("{} of TF32 data with dest_32b_lo = 1: an erratum of the chip", name));
  }
  return Issue::done();
}

// One row on its way to Dst: cell(column) without the columns of `blocked`, shaped.
template <class CellOf>
void put_row(const math::DstRows& rows, unsigned r, uint32_t blocked, Style shape, bool low_half, CellOf cell_of) {
  uint16_t* high = rows.high + r * math::kColumns;
  uint16_t* low = rows.low == nullptr ? nullptr : rows.low + r * math::kColumns;
  const auto put = [&](auto shaped) {
    uint16_t* to = low_half ? low : high;
    if (blocked == 0) {
      std::array<uint16_t, math::kColumns> row;
      for (unsigned c = 0; c < math::kColumns; ++c) row[c] = shaped(cell_of(c));
      std::copy(row.begin(), row.end(), to);
    } else {
      for (unsigned c = 0; c < math::kColumns; ++c) {
        if (!(blocked >> c & 1)) to[c] = shaped(cell_of(c));
      }
    }
  };
  if (shape == Style::Tf32) {
    for (unsigned c = 0; c < math::kColumns; ++c) {
      if (blocked >> c & 1) continue;
      const uint32_t v = math::encode_32(math::fp32_from_cell(cell_of(c)));
      high[c] = static_cast<uint16_t>(v >> 16);
      low[c] = static_cast<uint16_t>(v);
    }
  } else if (shape == Style::Fp16) {
    put([](Cell c) { return math::encode_fp16(math::fp16_from_cell(c)); });
  } else {
    put([](Cell c) { return math::encode_bf16(math::bf16_from_cell(c)); });
  }
}

}  // namespace

template <class Instruction>
Issue Fpu::move_a_to_dst(int thread, const Instruction& i, Needs needs) {
  constexpr const char* kName = Instruction::kMnemonic;
  if (Issue no = ready(thread, needs, i.addr_mode); !no.is_done()) return no;
  if (odd_rows(i.instr_mod)) return Issue::odd(Oddity::MoveMode, i.instr_mod);
  const Settings& s = settings(thread);
  if (Issue no = refuse_forced_tf32(thread, s.implied_a ? src_a_.fpu_format() : s.configured_a, kName); !no.is_done()) {
    return no;
  }
  const bool low_half = i.dest_32b_lo != 0;
  if (Issue no = check_format(kName, format_a(thread)); !no.is_done()) return no;
  if (Issue no = check_low_half_of_a(kName, s.mode.fp32_dst, low_half); !no.is_done()) return no;
  if (Issue no = check_low_half(kName, format_a(thread), low_half); !no.is_done()) return no;
  // Blackhole takes every datum as TF32 while Dst has floats of 32 bits, whatever the format.
  const Format format = s.mode.fp32_dst ? Format::Tf32 : format_a(thread);

  const bool eight = (i.instr_mod & kManyRows) != 0;
  const unsigned rows = eight ? 8 : 1;
  const unsigned row = dst_row(thread, i.dst) & (eight ? 0x3F8 : 0x3FF);
  const unsigned from = (i.src + rwc(thread).a) & (eight ? 0x38 : 0x3F);
  if (Issue no = known(kName, from, rows, 0, 0); !no.is_done()) return no;
  const bool flush = s.mode.flush_src;
  const Style shape = shape_of(format);
  const uint32_t blocked = blocked_columns();
  {
    DstBlock block(dst_, dst_.addressing(config(thread)), shape == Style::Tf32 || low_half, row, rows);
    for (unsigned r = 0; r < rows; ++r) {
      const Cell* cells = src_a_.fpu_bank().cells[from + r];
      put_row(block.rows(), r, blocked, shape, low_half, [&](unsigned c) { return flushed(cells[c], flush); });
    }
  }
  if (low_half && !s.mode.wide()) mark_rows_of_16_bits(thread, row, rows);
  return Issue::done().wrote_dst(row, rows);
}

// What a move of low halves does besides while Dst is configured for 16 bits: the chip finds the flags by the
// configuration and the data by the instruction, so rows that were cleared show their old cells again (tt-metal 47311).
void Fpu::mark_rows_of_16_bits(int thread, unsigned row, unsigned rows) {
  const DstAddressing addressing = dst_.addressing(config(thread));
  for (unsigned r = 0; r < rows; ++r) dst_.set_valid(addressing.row_16(row + r), true);
}

Issue Fpu::exec(int thread, const MOVA2D& i) {
  Issue moved = move_a_to_dst(thread, i, Needs::SrcA);
  if (moved.is_done()) advance(thread, i.addr_mode, i.src);
  return moved;
}

// MOVA2D that does not wait for its bank. It is not among those that SHIFTXA takes its rows from.
Issue Fpu::exec(int thread, const MOVDBGA2D& i) {
  Issue moved = move_a_to_dst(thread, i, Needs::Nothing);
  if (moved.is_done()) rwc(thread).apply(own(thread), i.addr_mode);
  return moved;
}

Issue Fpu::exec(int thread, const MOVB2D& i) {
  if (Issue no = ready(thread, Needs::SrcB, i.addr_mode); !no.is_done()) return no;
  const Settings& s = settings(thread);
  if (Issue no = refuse_forced_tf32(thread, s.implied_a ? src_b_.fpu_format() : s.configured_a, "MOVB2D");
      !no.is_done()) {
    return no;
  }
  const Format format = format_of_b_moves(thread);
  const bool low_half = i.dest_32b_lo != 0;
  if (Issue no = check_format("MOVB2D", format); !no.is_done()) return no;
  if (Issue no = check_low_half("MOVB2D", format, low_half); !no.is_done()) return no;

  const bool one_to_eight = (i.movb2d_instr_mod & kRowToEight) != 0;  // wins over four rows
  const bool four = !one_to_eight && (i.movb2d_instr_mod & kFourRows) != 0;
  const bool one_column = (i.movb2d_instr_mod & kColumnToAll) != 0;
  const unsigned rows = one_to_eight ? 8 : four ? 4 : 1;
  const unsigned row = dst_row(thread, i.dst) & (one_to_eight ? 0x3F8 : four ? 0x3FC : 0x3FF);
  const unsigned from = (i.src + rwc(thread).b) & (four ? 0x3C : 0x3F);
  if (Issue no = known("MOVB2D", 0, 0, from, one_to_eight ? 1 : rows); !no.is_done()) return no;
  const bool flush = s.mode.flush_src;
  const Style shape = shape_of(format);
  const uint32_t blocked = blocked_columns();
  {
    DstBlock block(dst_, dst_.addressing(config(thread)), shape == Style::Tf32 || low_half, row, rows);
    for (unsigned r = 0; r < rows; ++r) {
      const Cell* cells = src_b_.fpu_bank().cells[one_to_eight ? from : from + r];
      put_row(block.rows(), r, blocked, shape, low_half,
              [&](unsigned c) { return flushed(cells[one_column ? 0 : c], flush); });
    }
  }
  advance(thread, i.addr_mode);
  return Issue::done().wrote_dst(row, rows);
}

// One or four rows of Dst to the matrix unit's bank of `to`. Nothing is flushed, nothing is rounded.
Issue Fpu::move_from_dst(int thread, unsigned dst, unsigned src_row, unsigned instr_mod, bool low_half, Format format,
                         SrcRegister& to, const char* name) {
  if (odd_rows(instr_mod)) return Issue::odd(Oddity::MoveMode, instr_mod);
  if (Issue no = check_format(name, format); !no.is_done()) return no;
  const bool wide = settings(thread).mode.wide();
  const Style shape = shape_of(format);
  if (shape == Style::Tf32 && !wide) {
    return Issue::undefined(fmt::format("{} of TF32 data from a 16-bit Dst", name), "Set ALU_ACC_CTRL_Fp32_enabled.");
  }

  const bool four = (instr_mod & kManyRows) != 0;
  const unsigned row = dst_row(thread, dst) & (four ? 0x3FC : 0x3FF);
  const unsigned into = src_row & (four ? 0x3C : 0x3F);
  const DstAddressing addressing = dst_.addressing(config(thread));
  math::SrcBank& bank = to.fpu_bank();
  const uint32_t blocked = blocked_columns();
  for (unsigned r = 0; r < (four ? 4u : 1u); ++r) {
    const bool is_32 = wide || low_half;
    const unsigned physical = is_32 ? addressing.row_32(row + r) : addressing.row_16(row + r);
    const bool valid = dst_.valid(physical);
    const uint16_t* high = dst_.row(physical);
    const uint16_t* low = dst_.row(physical + Dst::kLowHalf);
    for (unsigned c = 0; c < math::kColumns; ++c) {
      if (blocked >> c & 1) continue;
      Cell cell = 0;
      const uint16_t half = !valid ? 0 : low_half ? low[c] : high[c];
      if (shape == Style::Tf32) {
        // The discarded 13 bits go raw into the low bits of the cell, in the chip's order.
        cell = low_half ? math::cell_from_hardware_order(half & 0x1FFF)
                        : math::decode_32(valid ? uint32_t{high[c]} << 16 | low[c] : 0) >> 13;
      } else if (shape == Style::Fp16) {
        cell = math::cell_from_fp16(math::decode_fp16(half));
      } else {
        cell = math::cell_from_bf16(math::decode_bf16(half));
      }
      bank.cells[into + r][c] = cell;
    }
  }
  bank.changed();
  if (blocked == 0) to.learn(to.fpu_index(), uint64_t{four ? 0xFu : 1u} << into);
  return Issue::done();
}

Issue Fpu::exec(int thread, const MOVD2A& i) {
  if (Issue no = ready(thread, Needs::Nothing, i.addr_mode); !no.is_done()) return no;
  Issue moved = move_from_dst(thread, i.dst, i.src + rwc(thread).a, i.instr_mod, i.dest_32b_lo != 0, format_a(thread),
                              src_a_, "MOVD2A");
  if (moved.is_done()) advance(thread, i.addr_mode, i.src);
  return moved;
}

Issue Fpu::exec(int thread, const MOVD2B& i) {
  if (Issue no = ready(thread, Needs::Nothing, i.addr_mode); !no.is_done()) return no;
  Issue moved = move_from_dst(thread, i.dst, i.src + rwc(thread).b, i.instr_mod, i.dest_32b_lo != 0,
                              format_of_b_moves(thread), src_b_, "MOVD2B");
  if (moved.is_done()) advance(thread, i.addr_mode);
  return moved;
}

Issue Fpu::exec(int thread, const MOVB2A& i) {
  if (Issue no = ready(thread, Needs::SrcB, i.addr_mode); !no.is_done()) return no;
  if (odd_rows(i.instr_mod)) return Issue::odd(Oddity::MoveMode, i.instr_mod);
  const bool four = (i.instr_mod & kManyRows) != 0;
  const unsigned mask = four ? 0x3C : 0x3F;
  const unsigned from = (i.srcb + rwc(thread).b) & mask, into = (i.srca + rwc(thread).a) & mask;
  if (Issue no = known("MOVB2A", 0, 0, from, four ? 4 : 1); !no.is_done()) return no;
  src_a_.learn(src_a_.fpu_index(), uint64_t{four ? 0xFu : 1u} << into);
  const bool flush = settings(thread).mode.flush_src;
  for (unsigned r = 0; r < (four ? 4u : 1u); ++r) {
    const Cell* b = src_b_.fpu_bank().cells[from + r];
    std::transform(b, b + math::kColumns, src_a_.fpu_bank().cells[into + r], [&](Cell c) { return flushed(c, flush); });
  }
  src_a_.fpu_bank().changed();
  advance(thread, i.addr_mode, i.srca);
  return Issue::done();
}

}  // namespace kerr::emu::tensix
