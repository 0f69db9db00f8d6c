// What all instructions of the matrix unit share: waiting, formats, rows, side effects.   docs/hardware/tensix-math.md
// 3
#include "emu/tensix/fpu/fpu.hpp"

#include <fmt/format.h>

#include <iterator>

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

Issue Fpu::check_configuration(int thread, bool arithmetic) const {
  struct Named {
    arch::ConfigField field;
    const char* name;
  };
  // Stochastic rounding and the like; no source says what they do to the result.
  static constexpr Named kMustBeZero[] = {
      {cfg::ALU_ROUNDING_MODE_Fpu_srnd_en, "ALU_ROUNDING_MODE_Fpu_srnd_en"},
      {cfg::ALU_ROUNDING_MODE_Gasket_srnd_en, "ALU_ROUNDING_MODE_Gasket_srnd_en"},
      {cfg::ALU_ROUNDING_MODE_GS_LF, "ALU_ROUNDING_MODE_GS_LF"},
      {cfg::ALU_ROUNDING_MODE_Bfp8_HF, "ALU_ROUNDING_MODE_Bfp8_HF"},
      {cfg::ALU_FORMAT_SPEC_REG_SrcB_override, "ALU_FORMAT_SPEC_REG_SrcB_override"},
      {cfg::DEST_OFFSET_Enable, "DEST_OFFSET_Enable"},
      {cfg::SRC_ACCESS_CFG_math_view_srca_as_one_bank, "SRC_ACCESS_CFG_math_view_srca_as_one_bank"},
      {cfg::SRC_ACCESS_CFG_math_view_srcb_as_one_bank, "SRC_ACCESS_CFG_math_view_srcb_as_one_bank"},
      {cfg::SRC_ACCESS_CFG_disable_contig_srca_dvalid_phase, "SRC_ACCESS_CFG_disable_contig_srca_dvalid_phase"},
      {cfg::SRC_ACCESS_CFG_disable_contig_srcb_dvalid_phase, "SRC_ACCESS_CFG_disable_contig_srcb_dvalid_phase"},
  };
  constexpr auto bits_of = [](unsigned word) {
    std::uint32_t bits = 0;
    for (const Named& n : kMustBeZero) bits |= n.field.word == word ? n.field.mask() : 0;
    return bits;
  };
  constexpr unsigned kWords[] = {cfg::ALU_FORMAT_SPEC_REG_SrcB_override.word, cfg::ALU_ROUNDING_MODE_Fpu_srnd_en.word,
                                 cfg::DEST_OFFSET_Enable.word, cfg::SRC_ACCESS_CFG_math_view_srca_as_one_bank.word};
  constexpr std::uint32_t kBits[] = {bits_of(kWords[0]), bits_of(kWords[1]), bits_of(kWords[2]), bits_of(kWords[3])};
  const ConfigBank& c = config(thread);
  std::uint32_t any = 0;
  for (std::size_t w = 0; w < std::size(kWords); ++w) any |= c.words[kWords[w]] & kBits[w];
  if (any != 0) {
    for (const Named& n : kMustBeZero) {
      if (const unsigned value = c.get(n.field))
        return Issue::unsupported(fmt::format("{} = {} is not modelled", n.name, value));
    }
  }
  if (own(thread).flag(thread_cfg::FP16A_FORCE_Enable))
    return Issue::unsupported("FP16A_FORCE_Enable = 1 is not modelled");
  if (arithmetic && c.flag(cfg::ALU_FORMAT_SPEC_REG_SrcA_override)) {
    return Issue::unsupported("ALU_FORMAT_SPEC_REG_SrcA_override = 1 is modelled for moves only");
  }
  return Issue::done();
}

Issue Fpu::check_modifier(int thread, unsigned modifier) const {
  if (rwcs_[static_cast<std::size_t>(thread)].extra_modifier_bit) {
    return Issue::unsupported("the extra address modifier bit (ADDR_MOD_BIAS) is set: its effect is not modelled");
  }
  const std::uint16_t seventh_bits = own(thread).words[thread_cfg::ADDR_MOD_AB2_SEC0_SrcAIncr.word + modifier];
  if (seventh_bits != 0) {
    return Issue::unsupported(
        fmt::format("ADDR_MOD_AB2_SEC{} = {}: a seventh increment bit is not modelled", modifier, seventh_bits));
  }
  return Issue::done();
}

Issue Fpu::ready(int thread, Needs needs, unsigned modifier, bool arithmetic) const {
  if (Issue waiting = wait_for(needs); !waiting.is_done()) return waiting;
  if (Issue refused = check_configuration(thread, arithmetic); !refused.is_done()) return refused;
  return check_modifier(thread, modifier);
}

bool Fpu::implied_a(int thread) const { return !own(thread).flag(thread_cfg::DISABLE_IMPLIED_SRCA_FMT_Base); }

math::Format Fpu::configured_a(int thread) const {
  const ConfigBank& c = config(thread);
  return math::format_from_code(c.flag(cfg::ALU_FORMAT_SPEC_REG_SrcA_override)
                                    ? c.get(cfg::ALU_FORMAT_SPEC_REG_SrcA_val)
                                    : c.get(cfg::ALU_FORMAT_SPEC_REG0_SrcA));
}

math::Format Fpu::format_a(int thread) const { return implied_a(thread) ? src_a_.fpu_format() : configured_a(thread); }

math::Format Fpu::format_b(int thread) const {
  if (!own(thread).flag(thread_cfg::DISABLE_IMPLIED_SRCB_FMT_Base)) return src_b_.fpu_format();
  return math::format_from_code(config(thread).get(cfg::ALU_FORMAT_SPEC_REG1_SrcB));
}

math::Format Fpu::format_of_b_moves(int thread) const {
  return implied_a(thread) ? src_b_.fpu_format() : configured_a(thread);
}

bool Fpu::wide_dst(int thread) const {
  const ConfigBank& c = config(thread);
  return c.flag(cfg::ALU_ACC_CTRL_Fp32_enabled) || c.flag(cfg::ALU_ACC_CTRL_INT8_math_enabled);
}

math::FpuMode Fpu::mode(int thread) const {
  const ConfigBank& c = config(thread);
  math::FpuMode m;
  m.src_a = format_a(thread);
  m.src_b = format_b(thread);
  m.fp32_dst = c.flag(cfg::ALU_ACC_CTRL_Fp32_enabled);
  m.int8_math = c.flag(cfg::ALU_ACC_CTRL_INT8_math_enabled);
  m.flush_src = !c.flag(cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src);
  m.phase = static_cast<std::uint8_t>(rwcs_[static_cast<std::size_t>(thread)].phase(own(thread)));
  return m;
}

unsigned Fpu::dst_row(int thread, unsigned dst) const {
  return (dst + rwcs_[static_cast<std::size_t>(thread)].dst +
          own(thread).get(thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset) + config(thread).get(cfg::DEST_REGW_BASE_Base)) &
         (Dst::kRows - 1);
}

void Fpu::advance(int thread, unsigned modifier) { rwc(thread).apply(own(thread), modifier); }

void Fpu::release_sources(int thread, unsigned clear_dvalid) {
  if (clear_dvalid & 1) src_a_.release(own(thread).flag(thread_cfg::CLR_DVALID_SrcA_Disable));
  if (clear_dvalid & 2) src_b_.release(own(thread).flag(thread_cfg::CLR_DVALID_SrcB_Disable));
}

}  // namespace kerr::emu::tensix
