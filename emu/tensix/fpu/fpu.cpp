// What all instructions of the matrix unit share: waiting, formats, rows, side effects.   docs/hardware/tensix-math.md
// 3
#include "emu/tensix/fpu/fpu.hpp"

#include <fmt/format.h>

#include "emu/math/unpack_convert.hpp"
#include "isa/disassembler.hpp"

namespace kerr::emu::tensix {

namespace cfg = arch::global_config;
namespace thread_cfg = arch::thread_config;

Issue Fpu::wait_for(Needs needs) const {
  if ((needs == Needs::SrcA || needs == Needs::Both) && !src_a_.fpu_may_read()) {
    return Issue::wait(wait::kSrcA, "the SrcA bank of the matrix unit is not valid");
  }
  if ((needs == Needs::SrcB || needs == Needs::Both) && !src_b_.fpu_may_read()) {
    return Issue::wait(wait::kSrcB, "the SrcB bank of the matrix unit is not valid");
  }
  return Issue::done();
}

namespace {

struct Named {
  arch::ConfigField field;
  const char* name;
};

// Stochastic rounding and the like; no source says what they do to the result.
constexpr Named kMustBeZero[] = {
    {cfg::ALU_ROUNDING_MODE_Fpu_srnd_en, "ALU_ROUNDING_MODE_Fpu_srnd_en"},
    {cfg::ALU_ROUNDING_MODE_Gasket_srnd_en, "ALU_ROUNDING_MODE_Gasket_srnd_en"},
    {cfg::ALU_ROUNDING_MODE_GS_LF, "ALU_ROUNDING_MODE_GS_LF"},
    {cfg::ALU_ROUNDING_MODE_Bfp8_HF, "ALU_ROUNDING_MODE_Bfp8_HF"},
    {cfg::DEST_OFFSET_Enable, "DEST_OFFSET_Enable"},
    {cfg::SRC_ACCESS_CFG_math_view_srca_as_one_bank, "SRC_ACCESS_CFG_math_view_srca_as_one_bank"},
    {cfg::SRC_ACCESS_CFG_math_view_srcb_as_one_bank, "SRC_ACCESS_CFG_math_view_srcb_as_one_bank"},
    {cfg::SRC_ACCESS_CFG_disable_contig_srca_dvalid_phase, "SRC_ACCESS_CFG_disable_contig_srca_dvalid_phase"},
    {cfg::SRC_ACCESS_CFG_disable_contig_srcb_dvalid_phase, "SRC_ACCESS_CFG_disable_contig_srcb_dvalid_phase"},
};

}  // namespace

// TF32 data with FP16A_FORCE_Enable: the pages make a mixture of both formats of it, in the 32-bit view.
Issue Fpu::refuse_forced_tf32(int thread, math::Format unforced, const char* name) {
  if (!settings(thread).forced_fp16 || unforced != math::Format::Tf32) return Issue::done();
  return Issue::unsupported(fmt::format("{} of TF32 data with FP16A_FORCE_Enable = 1", name), "Use one of them.");
}

Issue Fpu::check_configuration(int thread) const {
  const ConfigBank& c = config(thread);
  for (const Named& n : kMustBeZero) {
    if (const unsigned value = c.get(n.field))
      return Issue::unsupported(fmt::format("{} = {}: no source says what it does to a result", n.name, value));
  }
  return Issue::done();
}

void Fpu::refresh(int thread, Settings& s) const {
  const ConfigBank& c = config(thread);
  const ThreadConfig& t = own(thread);
  s.version = config_.version();
  s.refused = !check_configuration(thread).is_done();
  s.forced_fp16 = t.flag(thread_cfg::FP16A_FORCE_Enable);
  s.implied_a = !t.flag(thread_cfg::DISABLE_IMPLIED_SRCA_FMT_Base);
  s.implied_b = !t.flag(thread_cfg::DISABLE_IMPLIED_SRCB_FMT_Base);
  s.configured_a =
      math::format_from_code(c.get(c.flag(cfg::ALU_FORMAT_SPEC_REG_SrcA_override) ? cfg::ALU_FORMAT_SPEC_REG_SrcA_val
                                                                                  : cfg::ALU_FORMAT_SPEC_REG0_SrcA));
  s.configured_b =
      math::format_from_code(c.get(c.flag(cfg::ALU_FORMAT_SPEC_REG_SrcB_override) ? cfg::ALU_FORMAT_SPEC_REG_SrcB_val
                                                                                  : cfg::ALU_FORMAT_SPEC_REG1_SrcB));
  s.mode.fp32_dst = !s.forced_fp16 && c.flag(cfg::ALU_ACC_CTRL_Fp32_enabled);
  s.mode.int8_math = !s.forced_fp16 && c.flag(cfg::ALU_ACC_CTRL_INT8_math_enabled);
  s.mode.flush_src = !c.flag(cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src);
  s.dst_base = t.get(thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset) + c.get(cfg::DEST_REGW_BASE_Base);
}

Issue Fpu::why_not_ready(int thread, Needs needs, unsigned modifier) {
  if (Issue waiting = wait_for(needs); !waiting.is_done()) return waiting;
  const Settings& s = settings(thread);
  if (s.refused) return check_configuration(thread);
  return check_modifier(rwc(thread), own(thread), modifier);
}

Issue Fpu::known(const char* name, const SrcRegister& src, const char* which, unsigned first, unsigned count) {
  const SrcRegister::Unknown& unknown = src.unknown();
  for (unsigned row = first; row < first + count; ++row) {
    if (!(unknown.rows >> row % math::kSrcRows & 1)) continue;
    const char* why = math::unpack_to_src_refusal({.in = unknown.in, .out = unknown.out});
    return Issue::unsupported(
        fmt::format("{} reads row {} of {}, which nobody knows: {} ({:#010x}) of T{} unpacked {} to {} there, and {}",
                    name, row % math::kSrcRows, which, isa::disassemble_tensix(unknown.word), unknown.word,
                    unknown.thread, math::name_of(unknown.in), math::name_of(unknown.out),
                    why ? why : "that has no form there"),
        "Unpack 32-bit data to Dst, or FP32 as TF32, BF16 or FP16.");
  }
  return Issue::done();
}

math::Format Fpu::format_of_b_moves(int thread) {
  const Settings& s = settings(thread);
  if (s.forced_fp16) return math::Format::Fp16;
  return s.implied_a ? src_b_.fpu_format() : s.configured_a;
}

void Fpu::release_sources(int thread, unsigned clear_dvalid) {
  if (clear_dvalid & 1) src_a_.release(own(thread).flag(thread_cfg::CLR_DVALID_SrcA_Disable));
  if (clear_dvalid & 2) src_b_.release(own(thread).flag(thread_cfg::CLR_DVALID_SrcB_Disable));
}

}  // namespace kerr::emu::tensix
