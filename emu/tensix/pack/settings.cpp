#include "emu/tensix/pack/settings.hpp"

#include <fmt/format.h>

namespace kerr::emu::tensix {

namespace cfg = arch::global_config;
using math::Format;

namespace {

struct Named {
  arch::ConfigField field;
  const char* name;
};

constexpr Named kMustBeZero[] = {
    {cfg::ALU_FORMAT_SPEC_REG_Dstacc_override, "ALU_FORMAT_SPEC_REG_Dstacc_override"},
    {cfg::ALU_ROUNDING_MODE_Packer_srnd_en, "ALU_ROUNDING_MODE_Packer_srnd_en"},
    {cfg::ALU_ROUNDING_MODE_Gasket_srnd_en, "ALU_ROUNDING_MODE_Gasket_srnd_en"},
    {cfg::THCON_SEC0_REG1_Add_l1_dest_addr_offset, "THCON_SEC0_REG1_Add_l1_dest_addr_offset"},
    {cfg::THCON_SEC0_REG1_Dis_shared_exp_assembler, "THCON_SEC0_REG1_Dis_shared_exp_assembler"},
    {cfg::THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel, "THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel"},
    {cfg::THCON_SEC0_REG1_Enable_out_fifo, "THCON_SEC0_REG1_Enable_out_fifo"},
    {cfg::THCON_SEC0_REG1_Source_interface_selection, "THCON_SEC0_REG1_Source_interface_selection (pack from L1)"},
    {cfg::THCON_SEC0_REG1_pack_start_intf_pos, "THCON_SEC0_REG1_pack_start_intf_pos"},
    {cfg::THCON_SEC0_REG1_Add_tile_header_size, "THCON_SEC0_REG1_Add_tile_header_size"},
    {cfg::THCON_SEC0_REG1_pack_dis_y_pos_start_offset, "THCON_SEC0_REG1_pack_dis_y_pos_start_offset"},
    {cfg::THCON_SEC0_REG1_Downsample_rate, "THCON_SEC0_REG1_Downsample_rate"},
    {cfg::THCON_SEC0_REG1_Exp_threshold_en, "THCON_SEC0_REG1_Exp_threshold_en"},
    {cfg::PACK_COUNTERS_SEC0_pack_yz_transposed, "PACK_COUNTERS_SEC0_pack_yz_transposed"},
};

unsigned bytes_per_datum(unsigned in_format) {
  const unsigned size_class = in_format & 3;
  return size_class == 0 ? 4 : size_class == 1 ? 2 : 1;
}

Issue gather_format(const ConfigBank& c, PackSettings& s) {
  s.format.intermediate = math::format_from_code(c.get(cfg::ALU_FORMAT_SPEC_REG2_Dstacc));
  s.format.out = math::format_from_code(c.get(cfg::THCON_SEC0_REG1_Out_data_format));
  s.format.read_32b = c.flag(cfg::PCK_DEST_RD_CTRL_Read_32b_data);
  s.format.read_raw = c.flag(cfg::PCK_DEST_RD_CTRL_Read_int8);
  s.format.read_unsigned = c.flag(cfg::PCK_DEST_RD_CTRL_Read_unsigned);
  s.format.round_10b_mantissa = c.flag(cfg::PCK_DEST_RD_CTRL_Round_10b_mant);
  s.format.fp8_e4m3 = c.flag(cfg::THCON_SEC0_REG1_Pac_LF8_4b_exp);
  s.format.relu_mode = static_cast<std::uint8_t>(c.get(cfg::STACC_RELU_ApplyRelu));
  s.format.relu_threshold = static_cast<std::uint16_t>(c.get(cfg::STACC_RELU_ReluThreshold));

  const unsigned in_format = c.get(cfg::THCON_SEC0_REG1_In_data_format);
  if (in_format != math::code_of(s.format.intermediate)) {
    return Issue::undefined(fmt::format("packer: In_data_format = {} but ALU_FORMAT_SPEC_REG2_Dstacc = {}", in_format,
                                        math::code_of(s.format.intermediate)),
                            "Both name the intermediate format and must agree.");
  }
  if (const char* why = math::pack_refusal(s.format)) {
    return Issue::unsupported(fmt::format(
        "packer: {}-bit Dst, intermediate format {}, output format {}, ApplyRelu {}: {}", s.format.read_32b ? 32 : 16,
        math::code_of(s.format.intermediate), math::code_of(s.format.out), s.format.relu_mode, why));
  }
  if (s.format.intermediate == Format::Int8 && c.flag(cfg::INT_DESCALE_Enable)) {
    return Issue::unsupported("packer: INT_DESCALE_Enable = 1 is not modelled");
  }
  s.bfp_out = math::has_shared_exponent(s.format.out);
  s.l1_accumulate = c.flag(cfg::THCON_SEC0_REG1_Pack_L1_Acc);
  if (s.l1_accumulate) {
    if (const char* why = math::l1_accumulate_refusal(s.format.out)) {
      return Issue::unsupported(
          fmt::format("packer: Pack_L1_Acc with output format {}: {}", math::name_of(s.format.out), why));
    }
  }
  s.in_bytes_per_datum = bytes_per_datum(in_format);
  return Issue::done();
}

void gather_addresses(const ConfigBank& c, PackSettings& s) {
  s.in_base = c.get(cfg::PCK0_ADDR_BASE_REG_0_Base);
  s.in_x_stride = c.get(cfg::PCK0_ADDR_CTRL_XY_REG_0_Xstride) & 15;
  s.in_y_stride = c.get(cfg::PCK0_ADDR_CTRL_XY_REG_0_Ystride);
  s.in_z_stride = c.get(cfg::PCK0_ADDR_CTRL_ZW_REG_0_Zstride);
  s.in_w_stride = c.get(cfg::PCK0_ADDR_CTRL_ZW_REG_0_Wstride);
  s.dst_offset_rows = c.get(cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset);
  s.dst_z_offset = c.get(cfg::DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset);

  s.out_base = c.get(cfg::PCK0_ADDR_BASE_REG_1_Base);
  s.out_y_stride = c.get(cfg::PCK0_ADDR_CTRL_XY_REG_1_Ystride);
  s.out_z_stride = c.get(cfg::PCK0_ADDR_CTRL_ZW_REG_1_Zstride);
  s.out_w_stride = c.get(cfg::PCK0_ADDR_CTRL_ZW_REG_1_Wstride);
  s.l1_dest_16b = c.get(cfg::THCON_SEC0_REG1_L1_Dest_addr);
  s.skip_header = !c.flag(cfg::THCON_SEC0_REG1_Sub_l1_tile_header_size);
  s.limit_16b = c.get(cfg::THCON_SEC0_REG9_Pack_0_2_limit_address) * 2 + 1;
  s.fifo_16b = c.get(cfg::THCON_SEC0_REG9_Pack_0_2_fifo_size) * 2;
  s.exp_section_16b = c.get(cfg::THCON_SEC0_REG1_Exp_section_size);
}

void gather_edges(const ConfigBank& c, PackSettings& s) {
  for (unsigned n = 0; n < 4; ++n) {
    s.edge_mask[n] = static_cast<std::uint16_t>(c.words[cfg::PCK_EDGE_OFFSET_SEC0_mask.word + n]);
    s.row_set_mapping[n] = c.words[cfg::TILE_ROW_SET_MAPPING_0_row_set_mapping_0.word + n];
    s.face_set_mapping[n] = c.words[cfg::TILE_FACE_SET_MAPPING_0_face_set_mapping_0.word + n];
  }
  s.edge_minus_infinity = c.flag(cfg::PCK_EDGE_MODE_mode);
  s.edge_by_face = c.flag(cfg::PCK_EDGE_TILE_FACE_SET_SELECT_enable);
  s.edge_row_set = c.get(cfg::PCK_EDGE_TILE_ROW_SET_SELECT_select) & 3;
  s.edge_face_set = c.get(cfg::PCK_EDGE_TILE_FACE_SET_SELECT_select) & 3;
  s.reads_per_xy_plane = c.get(cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane);
}

}  // namespace

Issue gather(const ConfigBank& c, PackSettings& s) {
  for (const Named& n : kMustBeZero) {
    if (const unsigned value = c.get(n.field))
      return Issue::unsupported(fmt::format("packer: {} = {} is not modelled", n.name, value));
  }
  const unsigned downsample = c.get(cfg::THCON_SEC0_REG1_Downsample_mask);
  if (downsample != 0 && downsample != 0xFFFF) {
    return Issue::unsupported(
        fmt::format("packer: THCON_SEC0_REG1_Downsample_mask = {:#x} is not modelled", downsample));
  }
  if (!c.flag(cfg::THCON_SEC0_REG1_Disable_zero_compress) &&
      !c.flag(cfg::THCON_SEC0_REG1_All_pack_disable_zero_compress_ovrd)) {
    return Issue::unsupported("packer: writing compressed data is not modelled",
                              "Set THCON_SEC0_REG1_Disable_zero_compress.");
  }
  if (Issue refused = gather_format(c, s); !refused.is_done()) return refused;
  gather_addresses(c, s);
  gather_edges(c, s);
  return Issue::done();
}

}  // namespace kerr::emu::tensix
