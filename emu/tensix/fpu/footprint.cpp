// For observers: which rows of Dst an instruction of the matrix unit is going to read and write.
#include "emu/tensix/fpu/fpu.hpp"
#include "emu/tensix/state/dst_footprint.hpp"

namespace kerr::emu::tensix {

namespace cfg = arch::global_config;
namespace thread_cfg = arch::thread_config;
using namespace isa::tensix;

// Rows that hold something become invalid, or with clear_zero_flags invalid ones valid, which tells nothing of them.
void Fpu::foresee_clear(int thread, const ZEROACC& i, Footprint& f) {
  enum : unsigned { kOneRow, kSixteenRows, kHalf };
  if (i.clear_zero_flags) return;
  const auto rows = [&](unsigned first, unsigned count) {
    f.rows[0] = {static_cast<uint16_t>(first), static_cast<uint16_t>(count)};
  };
  const ConfigBank& c = config(thread);
  f.writes_dst = f.clears_dst = true;
  switch (i.clear_mode) {
    case kOneRow: return place_rows(f, dst_.addressing(c), dst_row(thread, i.where), 1, settings(thread).mode.wide());
    case kSixteenRows: {
      const unsigned offset = own(thread).get(thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset) + rwc(thread).dst;
      const bool absolute = c.flag(cfg::DEST_ACCESS_CFG_zeroacc_absolute_tile_mode);
      unsigned block = i.where & 0xFF;
      if (i.use_32_bit_mode) {
        if (!absolute && (offset & 0x300)) block += 16;
        return rows(32 * block, block < 32 ? 32 : 0);
      }
      if (!absolute && ((offset + block) & 0x200)) block += 32;
      return rows(16 * block, block < 64 ? 16 : 0);
    }
    case kHalf: return rows(512 * (i.where & 1), 512);
    default: return rows(0, Dst::kRows);
  }
}

void Fpu::foresee(int thread, uint32_t word, Footprint& f) {
  const DstAddressing addressing = dst_.addressing(config(thread));
  const bool wide = settings(thread).mode.wide();
  const auto accumulates = [&](unsigned dst, unsigned mask, unsigned count, bool reads) {
    place_rows(f, addressing, dst_row(thread, dst) & mask, count, wide);
    f.writes_dst = true;
    f.reads_dst = reads;
  };
  const auto tf32 = [](math::Format format) {
    return math::is_named(format) && math::style_of(format) == math::Style::Tf32;
  };
  const auto moves_in = [&](unsigned dst, unsigned count, bool to_wide) {
    const unsigned mask = count == 8 ? 0x3F8 : count == 4 ? 0x3FC : 0x3FF;
    place_rows(f, addressing, dst_row(thread, dst) & mask, count, to_wide);
    f.writes_dst = true;
  };
  const auto moves_out = [&](unsigned dst, bool four, bool low_half) {
    place_rows(f, addressing, dst_row(thread, dst) & (four ? 0x3FC : 0x3FF), four ? 4 : 1, wide || low_half);
    f.reads_dst = true;
  };
  switch (opcode_of(word)) {
    case Opcode::MVMUL:
    case Opcode::DOTPV: return accumulates(MVMUL::decode(word).dst, 0x3F8, 8, true);
    case Opcode::ELWMUL: return accumulates(ELWMUL::decode(word).dst, 0x3F8, 8, true);
    case Opcode::ELWADD:
    case Opcode::ELWSUB: {
      const ELWADD i = ELWADD::decode(word);
      return accumulates(i.dst, 0x3F8, 8, i.dest_accum_en != 0);
    }
    case Opcode::GAPOOL:
    case Opcode::GMPOOL: return accumulates(GAPOOL::decode(word).dst, 0x3FC, 4, true);
    case Opcode::MOVA2D:
    case Opcode::MOVDBGA2D: {
      const MOVA2D i = MOVA2D::decode(word);
      const bool to_wide = settings(thread).mode.fp32_dst || i.dest_32b_lo || tf32(format_a(thread));
      moves_in(i.dst, i.instr_mod & 2 ? 8 : 1, to_wide);
      f.scattered |= i.dest_32b_lo && !wide;  // mark_rows_of_16_bits()
      return;
    }
    case Opcode::MOVB2D: {
      const MOVB2D i = MOVB2D::decode(word);
      const unsigned count = i.movb2d_instr_mod & 2 ? 8 : i.movb2d_instr_mod & 4 ? 4 : 1;
      return moves_in(i.dst, count, i.dest_32b_lo || tf32(format_of_b_moves(thread)));
    }
    case Opcode::MOVD2A:
    case Opcode::MOVD2B: {
      const MOVD2A i = MOVD2A::decode(word);
      return moves_out(i.dst, (i.instr_mod & 2) != 0, i.dest_32b_lo != 0);
    }
    case Opcode::ZEROACC: return foresee_clear(thread, ZEROACC::decode(word), f);
    default: return;
  }
}

}  // namespace kerr::emu::tensix
