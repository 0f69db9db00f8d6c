// MVMUL, pools and element-wise instructions.   docs/hardware/tensix-math.md 4, 5, 6
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "emu/math/dot_product.hpp"
#include "emu/math/elementwise.hpp"
#include "emu/tensix/fpu/dst_block.hpp"
#include "emu/tensix/fpu/fpu.hpp"
#include "emu/tensix/fpu/max_pool.hpp"

namespace kerr::emu::tensix {

using namespace isa::tensix;

namespace {

constexpr unsigned kEightRowsOfSrc = 0x38, kRowOfSrc = 0x3F, kBlockOfSrc = 0x30;
constexpr unsigned kEightRowsOfDst = 0x3F8, kFourRowsOfDst = 0x3FC, kOddOrEvenRowsOfDst = 0x3F9;

Issue refused_mode(const char* mnemonic, const math::FpuMode& mode, const char* why) {
  return Issue::unsupported(fmt::format("{} with SrcA {} and SrcB {}, phase {}: {}", mnemonic,
                                        math::name_of(mode.src_a), math::name_of(mode.src_b), mode.phase, why));
}

}  // namespace

// SrcB x SrcA accumulated into eight rows of Dst.
Issue Fpu::exec(int thread, const MVMUL& i) {
  if (Issue no = ready(thread, Needs::Both, i.addr_mode); !no.is_done()) return no;
  const math::FpuMode m = mode(thread);
  if (const char* why = math::arithmetic_refusal(m)) return refused_mode("MVMUL", m, why);
  if (Issue no = known("MVMUL", rwc(thread).a & kEightRowsOfSrc, 16,
                       rwc(thread).b & (i.instr_mod19 ? kRowOfSrc : kEightRowsOfSrc), i.instr_mod19 ? 1 : 8);
      !no.is_done()) {
    return no;
  }
  if (i.instr_mod19) return multiply_one_row(thread, i, m);

  const unsigned row = dst_row(thread, i.dst) & kEightRowsOfDst;
  {
    DstBlock block(dst_, dst_.addressing(config(thread)), m.wide(), row, 8);
    math::dot_product(m, src_a_.fpu_bank(), rwc(thread).a & kEightRowsOfSrc, src_b_.fpu_bank(),
                      rwc(thread).b & kEightRowsOfSrc, block.rows(), 8);
  }
  ++mvmuls_;
  return computed(thread, i.addr_mode, i.clear_dvalid, row, 8);
}

// MVMUL with instr_mod19: one row of SrcB for all, added to the even (or the odd) rows of an aligned block of eight.
// The rows between them keep their cells; the flags of some are wrong on the chip (tensix-math.md 4.6): the second row
// that is written keeps its flag, so a cleared one goes on reading as zero, and two rows that are not written get
// theirs.
Issue Fpu::multiply_one_row(int thread, const MVMUL& i, const math::FpuMode& m) {
  const unsigned row = dst_row(thread, i.dst) & kOddOrEvenRowsOfDst;
  const DstAddressing addressing = dst_.addressing(config(thread));
  const auto physical = [&](unsigned r) { return m.wide() ? addressing.row_32(r) : addressing.row_16(r); };
  const bool second_was_valid = dst_.valid(physical(row + 2));
  for (unsigned r = 0; r < 8; r += 2) {
    DstBlock block(dst_, dst_.addressing(config(thread)), m.wide(), row + r, 1);
    math::dot_product_reference(m, src_a_.fpu_bank(), rwc(thread).a & kEightRowsOfSrc, src_b_.fpu_bank(),
                                rwc(thread).b & kRowOfSrc, block.rows(), 1);
  }
  dst_.set_valid(physical(row + 2), second_was_valid);
  for (const unsigned r : {4u, 6u}) dst_.set_valid(physical((row ^ 1) + r), true);
  ++mvmuls_;
  return computed(thread, i.addr_mode, i.clear_dvalid, row & ~1u, 8);
}

// MVMUL under another name. Its ISA page sets dest_accum_en; it always accumulates, so the bit makes no difference.
Issue Fpu::exec(int thread, const DOTPV& i) {
  if (i.instr_mod19 && !tolerance_.has(Oddity::DotBroadcast)) return Issue::odd(Oddity::DotBroadcast, i.instr_mod19);
  return exec(thread, MVMUL{.dst = i.dst, .addr_mode = i.addr_mode, .clear_dvalid = i.clear_dvalid});
}

// MVMUL with four rows of SrcB.
Issue Fpu::exec(int thread, const GAPOOL& i) {
  if (Issue no = ready(thread, Needs::Both, i.pool_addr_mode); !no.is_done()) return no;
  if (!i.instr_mod19) return Issue::unsupported("GAPOOL with instr_mod19 = 0: no source says what it does");
  if (i.max_pool_index_en) return Issue::unsupported("GAPOOL with max_pool_index_en: a sum has no index");
  const math::FpuMode m = mode(thread);
  if (const char* why = math::arithmetic_refusal(m)) return refused_mode("GAPOOL", m, why);
  if (Issue no = known("GAPOOL", rwc(thread).a & kEightRowsOfSrc, 16, rwc(thread).b & kEightRowsOfSrc, 4);
      !no.is_done())
    return no;

  const unsigned row = dst_row(thread, i.dst) & kFourRowsOfDst;
  {
    DstBlock block(dst_, dst_.addressing(config(thread)), m.wide(), row, 4);
    math::dot_product(m, src_a_.fpu_bank(), rwc(thread).a & kEightRowsOfSrc, src_b_.fpu_bank(),
                      rwc(thread).b & kEightRowsOfSrc, block.rows(), 4);
  }
  return computed(thread, i.pool_addr_mode, i.clear_dvalid, row, 4);
}

// The largest of Dst and sixteen rows of SrcA, column by column, each row of SrcA scaled by the exponent of one column
// of SrcB; with max_pool_index_en also, or only, where it stood. The result goes to the first of four rows.
Issue Fpu::exec(int thread, const GMPOOL& i) {
  if (Issue no = ready(thread, Needs::Both, i.pool_addr_mode); !no.is_done()) return no;
  if (!i.instr_mod19) return Issue::unsupported("GMPOOL with instr_mod19 = 0: no source says what it does");
  const math::FpuMode m = mode(thread);
  MaxPoolMode pool;
  if (const char* why = choose_max_pool_mode(m, i.max_pool_index_en != 0, pool)) return refused_mode("GMPOOL", m, why);
  if (Issue no = known("GMPOOL", rwc(thread).a & kBlockOfSrc, 16, rwc(thread).b & kEightRowsOfSrc, 1); !no.is_done())
    return no;

  const unsigned row = dst_row(thread, i.dst) & kFourRowsOfDst;
  const DstAddressing addressing = dst_.addressing(config(thread));
  std::array<bool, 4> was_valid;
  for (unsigned r = 0; r < 4; ++r) {
    was_valid[r] = dst_.valid(pool.wide ? addressing.row_32(row + r) : addressing.row_16(row + r));
  }
  math::Cell scale[math::kColumns];
  std::copy_n(src_b_.fpu_bank().cells[rwc(thread).b & kEightRowsOfSrc], math::kColumns, scale);
  const auto* a_rows = &src_a_.fpu_bank().cells[rwc(thread).a & kBlockOfSrc];
  {
    DstBlock block(dst_, addressing, pool.wide, row, 4);
    // Invalid rows read as all ones, below every number.
    const auto raw = [&](unsigned r, unsigned c) -> uint32_t {
      if (!was_valid[r]) return pool.wide ? 0xFFFFFFFF : 0xFFFF0000;
      return uint32_t{block.high(r)[c]} << 16 | (pool.wide ? block.low(r)[c] : 0);
    };
    const auto put = [&](unsigned r, unsigned c, uint32_t value) {
      block.high(r)[c] = static_cast<uint16_t>(value >> 16);
      if (pool.wide) block.low(r)[c] = static_cast<uint16_t>(value);
    };
    for (unsigned c = 0; c < math::kColumns; ++c) {
      math::Cell a[16];
      for (unsigned r = 0; r < 16; ++r) a[r] = a_rows[r][c];
      put(0, c, max_pool(pool, raw(0, c), a, scale));
      for (unsigned r = 1; r < 4; ++r) put(r, c, pool.wide && pool.index ? (raw(r, c) + 0x100) & 0xF00 : 0);
    }
  }
  return computed(thread, i.pool_addr_mode, i.clear_dvalid, row, 4);
}

// Eight rows of Dst from eight of SrcA and one or eight of SrcB: arithmetic(mode, a, b, broadcast, rows of Dst).
template <class Instruction, class Arithmetic>
Issue Fpu::elementwise(int thread, const Instruction& i, Arithmetic arithmetic) {
  if (Issue no = ready(thread, Needs::Both, i.addr_mode); !no.is_done()) return no;
  const math::FpuMode m = mode(thread);
  if (const char* why = math::arithmetic_refusal(m)) return refused_mode(Instruction::kMnemonic, m, why);
  const math::Broadcast broadcast{.column = (i.instr_mod19 & 1) != 0, .row = (i.instr_mod19 & 2) != 0};
  const unsigned a = rwc(thread).a & kEightRowsOfSrc;
  const unsigned b = rwc(thread).b & (broadcast.row ? kRowOfSrc : kEightRowsOfSrc);
  if (Issue no = known(Instruction::kMnemonic, a, 8, b, broadcast.row ? 1 : 8); !no.is_done()) return no;
  const unsigned row = dst_row(thread, i.dst) & kEightRowsOfDst;
  {
    DstBlock block(dst_, dst_.addressing(config(thread)), m.wide(), row, 8);
    arithmetic(m, a, b, broadcast, block.rows());
  }
  return computed(thread, i.addr_mode, i.clear_dvalid, row, 8);
}

// Dst += SrcA * SrcB. It always accumulates.
Issue Fpu::exec(int thread, const ELWMUL& i) {
  return elementwise(thread, i, [&](const auto& m, unsigned a, unsigned b, math::Broadcast broadcast, const auto& dst) {
    math::elementwise_multiply(m, src_a_.fpu_bank(), a, src_b_.fpu_bank(), b, broadcast, dst);
  });
}

// Dst (+)= SrcA + SrcB.
Issue Fpu::exec(int thread, const ELWADD& i) {
  return elementwise(thread, i, [&](const auto& m, unsigned a, unsigned b, math::Broadcast broadcast, const auto& dst) {
    math::elementwise_add(m, src_a_.fpu_bank(), a, src_b_.fpu_bank(), b, broadcast, false, i.dest_accum_en != 0, dst);
  });
}

// Dst (+)= SrcA - SrcB.
Issue Fpu::exec(int thread, const ELWSUB& i) {
  return elementwise(thread, i, [&](const auto& m, unsigned a, unsigned b, math::Broadcast broadcast, const auto& dst) {
    math::elementwise_add(m, src_a_.fpu_bank(), a, src_b_.fpu_bank(), b, broadcast, true, i.dest_accum_en != 0, dst);
  });
}

}  // namespace kerr::emu::tensix
