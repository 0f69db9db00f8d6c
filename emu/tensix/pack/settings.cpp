#include "emu/tensix/pack/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace kerr::emu::tensix {

namespace cfg = arch::global_config;
using math::Format;

namespace {

struct Range {
  unsigned first, count;
};
constexpr Range kRead[] = {{0, 3}, {8, 1}, {12, 17}, {36, 4}, {68, 1}, {70, 2}, {100, 2}, {187, 1}, {220, 1}};

constexpr unsigned words_read() {
  unsigned n = 0;
  for (const Range& r : kRead) n += r.count;
  return n;
}
static_assert(words_read() == 32);

struct Named {
  arch::ConfigField field;
  const char* name;
  const char* why;
};

// What no public document describes well enough to be executed.
constexpr Named kMustBeZero[] = {
    {cfg::ALU_ROUNDING_MODE_Packer_srnd_en, "ALU_ROUNDING_MODE_Packer_srnd_en",
     "the ISA page of the packers' format conversion does not say which pseudo-random bits round a datum"},
    {cfg::ALU_ROUNDING_MODE_Gasket_srnd_en, "ALU_ROUNDING_MODE_Gasket_srnd_en",
     "the ISA page of the packers' format conversion does not say which pseudo-random bits round a datum"},
    {cfg::THCON_SEC0_REG1_Dis_shared_exp_assembler, "THCON_SEC0_REG1_Dis_shared_exp_assembler",
     "the ISA pages of the packers do not name it, and LLK only clears it"},
    {cfg::THCON_SEC0_REG1_Enable_out_fifo, "THCON_SEC0_REG1_Enable_out_fifo", "its effect is not documented"},
    {cfg::THCON_SEC0_REG1_pack_start_intf_pos, "THCON_SEC0_REG1_pack_start_intf_pos", "its effect is not documented"},
    {cfg::THCON_SEC0_REG1_Add_tile_header_size, "THCON_SEC0_REG1_Add_tile_header_size", "its effect is not documented"},
    {cfg::THCON_SEC0_REG1_pack_dis_y_pos_start_offset, "THCON_SEC0_REG1_pack_dis_y_pos_start_offset",
     "its effect is not documented"},
    {cfg::THCON_SEC0_REG1_Downsample_rate, "THCON_SEC0_REG1_Downsample_rate",
     "the ISA page of downsampling knows Downsample_mask only"},
};

Issue gather_int8_shift(const ConfigBank& c, math::PackFormat& f) {
  if (f.intermediate != Format::Int8 || !c.flag(cfg::INT_DESCALE_Enable)) return Issue::done();
  if (c.flag(cfg::INT_DESCALE_Mode)) {
    return Issue::unsupported(
        "packer: INT_DESCALE_Mode = 1 picks a shift by \"some value z\", as the ISA page of the packers' format "
        "conversion has it, and no other source names z");
  }
  f.int_shift = static_cast<uint8_t>(c.get(cfg::INT_DESCALE_VALUES_SEC0_Value) & 31);
  return Issue::done();
}

Issue gather_format(const ConfigBank& c, PackSettings& s) {
  math::PackFormat& f = s.format;
  f = {};
  f.intermediate = math::format_from_code(c.flag(cfg::ALU_FORMAT_SPEC_REG_Dstacc_override)
                                              ? c.get(cfg::ALU_FORMAT_SPEC_REG_Dstacc_val)
                                              : c.get(cfg::ALU_FORMAT_SPEC_REG2_Dstacc));
  f.out = math::format_from_code(c.get(cfg::THCON_SEC0_REG1_Out_data_format));
  f.from_l1 = c.flag(cfg::THCON_SEC0_REG1_Source_interface_selection);
  f.read_32b = c.flag(cfg::PCK_DEST_RD_CTRL_Read_32b_data);
  f.read_raw = c.flag(cfg::PCK_DEST_RD_CTRL_Read_int8);
  f.read_unsigned = c.flag(cfg::PCK_DEST_RD_CTRL_Read_unsigned);
  f.round_10b_mantissa = c.flag(cfg::PCK_DEST_RD_CTRL_Round_10b_mant);
  f.fp8_e4m3 = c.flag(cfg::THCON_SEC0_REG1_Pac_LF8_4b_exp);
  f.relu_mode = static_cast<uint8_t>(c.get(cfg::STACC_RELU_ApplyRelu));
  f.relu_threshold = static_cast<uint16_t>(c.get(cfg::STACC_RELU_ReluThreshold));

  const Format in = math::format_from_code(c.get(cfg::THCON_SEC0_REG1_In_data_format));
  f.late_tf32 = in == Format::Tf32 && f.intermediate == Format::Bf16 && f.round_10b_mantissa;
  if (in != f.intermediate && !f.late_tf32) {
    return Issue::undefined(fmt::format("packer: In_data_format = {} but ALU_FORMAT_SPEC_REG2_Dstacc = {}",
                                        math::code_of(in), math::code_of(f.intermediate)),
                            "Both name the intermediate format and must agree.");
  }
  if (Issue refused = gather_int8_shift(c, f); !refused.is_done()) return refused;
  if (const char* why = math::pack_refusal(f)) {
    return Issue::unsupported(fmt::format("packer: {}, intermediate format {}, output format {}, ApplyRelu {}: {}",
                                          f.from_l1    ? "from L1"
                                          : f.read_32b ? "32-bit Dst"
                                                       : "16-bit Dst",
                                          math::code_of(f.intermediate), math::code_of(f.out), f.relu_mode, why));
  }
  s.in_datum_shift = static_cast<unsigned>(std::countr_zero(arch::counted_bytes(in)));
  s.in_is_float = math::PackPath(f).is_float();
  s.bfp_out = math::has_shared_exponent(f.out);
  s.l1_accumulate = c.flag(cfg::THCON_SEC0_REG1_Pack_L1_Acc);
  if (s.l1_accumulate) {
    if (const char* why = math::l1_accumulate_refusal(f.out)) {
      return Issue::unsupported(
          fmt::format("packer: Pack_L1_Acc with output format {}: {}", math::name_of(f.out), why));
    }
  }
  s.exponent_threshold.reset();
  if (c.flag(cfg::THCON_SEC0_REG1_Exp_threshold_en) && s.in_is_float) {
    s.exponent_threshold = static_cast<uint8_t>(c.get(cfg::THCON_SEC0_REG1_Exp_threshold));
  }
  const unsigned mask = c.get(cfg::THCON_SEC0_REG1_Downsample_mask);
  s.downsample_mask = static_cast<uint16_t>(mask == 0 ? 0xFFFF : mask);
  return Issue::done();
}

void gather_addresses(const ConfigBank& c, PackSettings& s) {
  s.l1_source = c.get(cfg::THCON_SEC0_REG1_L1_source_addr) << 18;
  s.in_base = c.get(cfg::PCK0_ADDR_BASE_REG_0_Base);
  s.in_x_stride = c.get(cfg::PCK0_ADDR_CTRL_XY_REG_0_Xstride) & 15;
  s.in_y_stride = c.get(cfg::PCK0_ADDR_CTRL_XY_REG_0_Ystride);
  s.in_z_stride = c.get(cfg::PCK0_ADDR_CTRL_ZW_REG_0_Zstride);
  s.in_w_stride = c.get(cfg::PCK0_ADDR_CTRL_ZW_REG_0_Wstride);

  s.out_base = c.get(cfg::PCK0_ADDR_BASE_REG_1_Base);
  s.out_y_stride = c.get(cfg::PCK0_ADDR_CTRL_XY_REG_1_Ystride);
  s.out_z_stride = c.get(cfg::PCK0_ADDR_CTRL_ZW_REG_1_Zstride);
  s.out_w_stride = c.get(cfg::PCK0_ADDR_CTRL_ZW_REG_1_Wstride);
  s.skip_header = !c.flag(cfg::THCON_SEC0_REG1_Sub_l1_tile_header_size);
  s.add_dest_offset = c.flag(cfg::THCON_SEC0_REG1_Add_l1_dest_addr_offset);
  s.limit_16b = c.get(cfg::THCON_SEC0_REG9_Pack_0_2_limit_address) * 2 + 1;
  s.fifo_16b = c.get(cfg::THCON_SEC0_REG9_Pack_0_2_fifo_size) * 2;
  const bool narrow = (math::code_of(s.format.out) & 2) != 0;
  s.exp_section_16b = narrow ? c.get(cfg::THCON_SEC0_REG1_Exp_section_size) : 0;
}

Issue gather_edges(const ConfigBank& c, PackSettings& s) {
  for (unsigned n = 0; n < 4; ++n) {
    s.edge_mask[n] = static_cast<uint16_t>(c.words[cfg::PCK_EDGE_OFFSET_SEC0_mask.word + n]);
    s.row_set_mapping[n] = c.words[cfg::TILE_ROW_SET_MAPPING_0_row_set_mapping_0.word + n];
    s.face_set_mapping[n] = c.words[cfg::TILE_FACE_SET_MAPPING_0_face_set_mapping_0.word + n];
  }
  s.edge_minus_infinity = c.flag(cfg::PCK_EDGE_MODE_mode);
  s.edge_by_face = c.flag(cfg::PCK_EDGE_TILE_FACE_SET_SELECT_enable);
  s.edge_row_set = c.get(cfg::PCK_EDGE_TILE_ROW_SET_SELECT_select) & 3;
  s.edge_face_set = c.get(cfg::PCK_EDGE_TILE_FACE_SET_SELECT_select) & 3;
  s.reads_per_xy_plane = c.get(cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane);
  s.yz_transposed = c.flag(cfg::PACK_COUNTERS_SEC0_pack_yz_transposed);
  s.auto_last_interfaces = c.flag(cfg::THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel);
  // Masks are for datums of Dst.
  const bool all_pass =
      s.format.from_l1 || (s.edge_mask[0] & s.edge_mask[1] & s.edge_mask[2] & s.edge_mask[3]) == 0xFFFF;
  s.no_mask = all_pass || (s.edge_mask[0] == 0xFFFF && !s.edge_by_face && s.row_set_mapping[s.edge_row_set] == 0);
  if (!s.no_mask && s.edge_minus_infinity && !s.in_is_float) {
    return Issue::unsupported("packer: PCK_EDGE_MODE = 1 masks with minus infinity, which integers do not have");
  }
  return Issue::done();
}

}  // namespace

void PackWords::copy(const ConfigBank& config) {
  uint32_t* to = words_.data();
  for (const Range& r : kRead) to = std::copy_n(&config.words[r.first], r.count, to);
}

bool PackWords::same(const ConfigBank& config) const {
  const uint32_t* seen = words_.data();
  for (const Range& r : kRead) {
    if (std::memcmp(seen, &config.words[r.first], 4 * r.count) != 0) return false;
    seen += r.count;
  }
  return true;
}

Issue gather(const ConfigBank& c, PackSettings& s) {
  for (const Named& n : kMustBeZero) {
    if (const unsigned value = c.get(n.field))
      return Issue::unsupported(fmt::format("packer: {} = {} is not modelled: {}", n.name, value, n.why));
  }
  if (!c.flag(cfg::THCON_SEC0_REG1_Disable_zero_compress) &&
      !c.flag(cfg::THCON_SEC0_REG1_All_pack_disable_zero_compress_ovrd)) {
    return Issue::unsupported(
        "packer: writing compressed data is not modelled: no document specifies what the encoder emits",
        "Set THCON_SEC0_REG1_Disable_zero_compress.");
  }
  if (Issue refused = gather_format(c, s); !refused.is_done()) return refused;
  gather_addresses(c, s);
  if (Issue refused = gather_edges(c, s); !refused.is_done()) return refused;

  const bool plain = !s.format.from_l1 && s.no_mask && !s.exponent_threshold && s.downsample_mask == 0xFFFF;
  s.rows_function = plain ? math::pack_kernels()[0].find(s.format) : nullptr;
  s.relu = math::relu_bounds(s.format);
  const math::Middle middle = math::PackPath(s.format).middle();
  s.exponent_shift = middle == math::Middle::Fp16 ? 10 : middle == math::Middle::Int16 ? 0 : 7;
  s.row_bytes = 2 * math::datum_bits(s.format.out);
  s.adjacent_rows = s.rows_function != nullptr && !s.auto_last_interfaces &&
                    !c.flag(cfg::DEST_ACCESS_CFG_remap_addrs) && !c.flag(cfg::DEST_ACCESS_CFG_swizzle_32b);
  return Issue::done();
}

void follow(const ConfigBank& c, PackSettings& s) {
  s.l1_dest_16b = c.get(cfg::THCON_SEC0_REG1_L1_Dest_addr);
  s.dst_offset_rows = c.get(cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset);
  s.dst_z_offset = c.get(cfg::DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset);
}

}  // namespace kerr::emu::tensix
