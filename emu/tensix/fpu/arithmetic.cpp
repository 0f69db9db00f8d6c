// MVMUL, pools and element-wise instructions.   docs/hardware/tensix-math.md 4, 5, 6
#include <fmt/format.h>

#include <array>

#include "emu/tensix/fpu/dst_block.hpp"
#include "emu/tensix/fpu/fpu.hpp"
#include "emu/tensix/math/dot_product.hpp"
#include "emu/tensix/math/elementwise.hpp"

namespace kerr::emu::tensix {

using namespace isa::tensix;

namespace {

constexpr unsigned kEightRowsOfSrc = 0x38, kRowOfSrc = 0x3F, kBlockOfSrc = 0x30;
constexpr unsigned kEightRowsOfDst = 0x3F8, kFourRowsOfDst = 0x3FC;

Issue refused_mode(const char* mnemonic, const math::FpuMode& mode, const char* why) {
  return Issue::unsupported(fmt::format("{} with SrcA {} and SrcB {}, phase {}: {}", mnemonic,
                                        math::name_of(mode.src_a), math::name_of(mode.src_b), mode.phase, why));
}

}  // namespace

// SrcB x SrcA accumulated into eight rows of Dst.
Issue Fpu::exec(int thread, const MVMUL& i) {
  if (Issue no = ready(thread, Needs::Both, i.addr_mode, true); !no.is_done()) return no;
  if (i.instr_mod19) return Issue::unsupported("MVMUL with instr_mod19 = 1 (one SrcB row for all) is not modelled");
  const math::FpuMode m = mode(thread);
  if (const char* why = math::dot_product_refusal(m)) return refused_mode("MVMUL", m, why);

  const unsigned row = dst_row(thread, i.dst) & kEightRowsOfDst;
  {
    DstBlock block(dst_, dst_.addressing(config(thread)), m.wide(), row, 8);
    math::dot_product(m, src_a_.fpu_bank(), rwc(thread).a & kEightRowsOfSrc, src_b_.fpu_bank(),
                      rwc(thread).b & kEightRowsOfSrc, block.rows(), 8);
  }
  ++mvmuls_;
  advance(thread, i.addr_mode);
  release_sources(thread, i.clear_dvalid);
  return Issue::done().wrote_dst(row, 8);
}

// MVMUL under another name.
Issue Fpu::exec(int thread, const DOTPV& i) {
  if (i.instr_mod19 || i.dest_accum_en)
    return Issue::unsupported("DOTPV with instr_mod19 or dest_accum_en is not modelled");
  return exec(thread, MVMUL{.dst = i.dst, .addr_mode = i.addr_mode, .clear_dvalid = i.clear_dvalid});
}

// MVMUL with four rows of SrcB.
Issue Fpu::exec(int thread, const GAPOOL& i) {
  if (Issue no = ready(thread, Needs::Both, i.pool_addr_mode, true); !no.is_done()) return no;
  if (!i.instr_mod19) return Issue::unsupported("GAPOOL with instr_mod19 = 0 is not modelled");
  if (i.max_pool_index_en) return Issue::unsupported("GAPOOL with max_pool_index_en = 1 is not modelled");
  const math::FpuMode m = mode(thread);
  if (const char* why = math::dot_product_refusal(m)) return refused_mode("GAPOOL", m, why);

  const unsigned row = dst_row(thread, i.dst) & kFourRowsOfDst;
  {
    DstBlock block(dst_, dst_.addressing(config(thread)), m.wide(), row, 4);
    math::dot_product(m, src_a_.fpu_bank(), rwc(thread).a & kEightRowsOfSrc, src_b_.fpu_bank(),
                      rwc(thread).b & kEightRowsOfSrc, block.rows(), 4);
  }
  advance(thread, i.pool_addr_mode);
  release_sources(thread, i.clear_dvalid);
  return Issue::done().wrote_dst(row, 4);
}

// The largest of Dst and sixteen rows of SrcA, column by column. SrcB scales them; only a scale of 1 is modelled.
Issue Fpu::exec(int thread, const GMPOOL& i) {
  if (Issue no = ready(thread, Needs::Both, i.pool_addr_mode, true); !no.is_done()) return no;
  if (!i.instr_mod19) return Issue::unsupported("GMPOOL with instr_mod19 = 0 is not modelled");
  if (i.max_pool_index_en) return Issue::unsupported("GMPOOL with max_pool_index_en = 1 (ArgMax) is not modelled");
  const math::FpuMode m = mode(thread);
  const bool known_format = !m.int8_math && math::is_named(m.src_a) && math::style_of(m.src_a) != math::Style::Fp16 &&
                            m.src_a != math::Format::Int32 && m.src_a != math::Format::Int16;
  if (!known_format) return refused_mode("GMPOOL", m, "known for FP32, TF32, BF16 and BFP data without int8 math only");
  constexpr math::Cell kOne = math::make_cell(false, 127, 0);
  const math::Cell* scale = src_b_.fpu_bank().cells[rwc(thread).b & kEightRowsOfSrc];
  for (unsigned c = 0; c < math::kColumns; ++c) {
    if (scale[c] != kOne) {
      return Issue::unsupported(
          fmt::format("GMPOOL with a scale other than 1.0 is not modelled (SrcB column {} holds {:#x})", c,
                      math::fp32_from_cell(scale[c])));
    }
  }

  const auto order = [](std::uint32_t v) {
    return static_cast<std::int32_t>(v >> 31 ? v ^ 0x7FFFFFFF : v);
  };  // -0 below +0
  const unsigned row = dst_row(thread, i.dst) & kFourRowsOfDst;
  const DstAddressing addressing = dst_.addressing(config(thread));
  const bool was_valid = dst_.valid(m.wide() ? addressing.row_32(row) : addressing.row_16(row));
  {
    DstBlock block(dst_, addressing, m.wide(), row, 4);
    for (unsigned c = 0; c < math::kColumns; ++c) {
      std::uint32_t best;
      if (!was_valid) {
        best = m.wide() ? 0xFFFFE000 : 0xFFFF0000;  // below every number
      } else if (m.wide()) {
        best = math::decode_32(std::uint32_t{block.high(0)[c]} << 16 | block.low(0)[c]) & 0xFFFFE000;
      } else {
        best = std::uint32_t{math::decode_bf16(block.high(0)[c])} << 16;
      }
      for (unsigned r = 0; r < 16; ++r) {
        math::Cell a = math::trim(src_a_.fpu_bank().cells[(rwc(thread).a & kBlockOfSrc) + r][c], m.src_a);
        if (math::cell_exponent(a) == 0) a = 0;
        if (order(math::fp32_from_cell(a)) > order(best)) best = math::fp32_from_cell(a);
      }
      const std::uint32_t cell = math::encode_32(best);
      block.high(0)[c] = static_cast<std::uint16_t>(cell >> 16);
      if (m.wide()) block.low(0)[c] = static_cast<std::uint16_t>(cell);
    }
    for (unsigned r = 1; r < 4; ++r) {
      std::fill_n(block.high(r), math::kColumns, 0);
      if (m.wide()) std::fill_n(block.low(r), math::kColumns, 0);
    }
  }
  advance(thread, i.pool_addr_mode);
  release_sources(thread, i.clear_dvalid);
  return Issue::done().wrote_dst(row, 4);
}

// Eight rows: Dst += SrcA * SrcB. It always accumulates.
Issue Fpu::exec(int thread, const ELWMUL& i) {
  if (Issue no = ready(thread, Needs::Both, i.addr_mode, true); !no.is_done()) return no;
  const math::FpuMode m = mode(thread);
  if (const char* why = math::elementwise_multiply_refusal(m)) return refused_mode("ELWMUL", m, why);

  const math::Broadcast broadcast{.column = (i.instr_mod19 & 1) != 0, .row = (i.instr_mod19 & 2) != 0};
  const unsigned row = dst_row(thread, i.dst) & kEightRowsOfDst;
  {
    DstBlock block(dst_, dst_.addressing(config(thread)), m.wide(), row, 8);
    math::elementwise_multiply(m, src_a_.fpu_bank(), rwc(thread).a & kEightRowsOfSrc, src_b_.fpu_bank(),
                               rwc(thread).b & (broadcast.row ? kRowOfSrc : kEightRowsOfSrc), broadcast, block.rows());
  }
  advance(thread, i.addr_mode);
  release_sources(thread, i.clear_dvalid);
  return Issue::done().wrote_dst(row, 8);
}

// Eight rows: Dst (+)= SrcA +- SrcB.
template <class Instruction>
Issue Fpu::elementwise_add(int thread, const Instruction& i, bool subtract) {
  if (Issue no = ready(thread, Needs::Both, i.addr_mode, true); !no.is_done()) return no;
  const math::FpuMode m = mode(thread);
  if (const char* why = math::elementwise_add_refusal(m)) return refused_mode(Instruction::kMnemonic, m, why);

  const math::Broadcast broadcast{.column = (i.instr_mod19 & 1) != 0, .row = (i.instr_mod19 & 2) != 0};
  const unsigned row = dst_row(thread, i.dst) & kEightRowsOfDst;
  {
    DstBlock block(dst_, dst_.addressing(config(thread)), m.wide(), row, 8);
    math::elementwise_add(m, src_a_.fpu_bank(), rwc(thread).a & kEightRowsOfSrc, src_b_.fpu_bank(),
                          rwc(thread).b & (broadcast.row ? kRowOfSrc : kEightRowsOfSrc), broadcast, subtract,
                          i.dest_accum_en != 0, block.rows());
  }
  advance(thread, i.addr_mode);
  release_sources(thread, i.clear_dvalid);
  return Issue::done().wrote_dst(row, 8);
}

Issue Fpu::exec(int thread, const ELWADD& i) { return elementwise_add(thread, i, false); }
Issue Fpu::exec(int thread, const ELWSUB& i) { return elementwise_add(thread, i, true); }

}  // namespace kerr::emu::tensix
