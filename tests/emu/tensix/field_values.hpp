// Configuration as tests write it: fields by their names, the others keep their values.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/data_format.hpp"
#include "arch/tensix_config.hpp"

namespace kerr::emu {

namespace cfg = arch::global_config;
namespace thread_cfg = arch::thread_config;
using arch::DataFormat;

struct FieldValue {
  FieldValue(arch::ConfigField f, uint32_t v) : field(f), value(v) {}
  FieldValue(arch::ConfigField f, DataFormat v) : field(f), value(arch::code_of(v)) {}

  arch::ConfigField field;
  uint32_t value;
};

/// All fields of a word, for many small ones at once.
constexpr arch::ConfigField whole(arch::ConfigField field) { return {field.word, 0, 32}; }

/// BF16 everywhere: unpackers read from `in`, SrcA from row 0 on, the packer writes rows of 16 to `out`; no masks.
inline std::vector<FieldValue> bf16_data_path(uint32_t in, uint32_t out, uint32_t faces) {
  std::vector<FieldValue> fields{{cfg::ALU_FORMAT_SPEC_REG2_Dstacc, DataFormat::Bf16},
                                 {cfg::PCK0_ADDR_CTRL_XY_REG_0_Xstride, 2},
                                 {cfg::PCK0_ADDR_CTRL_XY_REG_0_Ystride, 2 * 16},
                                 {cfg::PCK0_ADDR_CTRL_ZW_REG_0_Zstride, 2 * 256},
                                 {cfg::PCK0_ADDR_CTRL_ZW_REG_0_Wstride, 2 * 1024},
                                 {cfg::PCK_EDGE_OFFSET_SEC0_mask, 0xFFFF},
                                 {cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 16},
                                 {cfg::THCON_SEC0_REG1_L1_Dest_addr, out / 16 - 1},
                                 {cfg::THCON_SEC0_REG1_Disable_zero_compress, 1},
                                 {cfg::THCON_SEC0_REG1_Out_data_format, DataFormat::Bf16},
                                 {cfg::THCON_SEC0_REG1_In_data_format, DataFormat::Bf16},
                                 {cfg::THCON_SEC0_REG5_Dest_cntx0_address, 4 * 16},
                                 {cfg::THCON_SEC0_REG5_Dest_cntx1_address, 4 * 16},
                                 {cfg::THCON_SEC0_REG5_Tile_x_dim_cntx0, 16},
                                 {cfg::THCON_SEC0_REG5_Tile_x_dim_cntx1, 16}};
  for (unsigned unpacker = 0; unpacker < 2; ++unpacker) {
    const auto add = [&](arch::ConfigField field, auto value) {
      fields.emplace_back(arch::of_unpacker(field, unpacker), value);
    };
    add(cfg::THCON_SEC0_REG0_TileDescriptor_in_data_format, DataFormat::Bf16);
    add(cfg::THCON_SEC0_REG0_TileDescriptor_is_uncompressed, 1u);
    add(cfg::THCON_SEC0_REG0_TileDescriptor_x_dim, 16u);
    add(cfg::THCON_SEC0_REG0_TileDescriptor_y_dim, 16u);
    add(cfg::THCON_SEC0_REG0_TileDescriptor_z_dim, faces);
    add(cfg::THCON_SEC0_REG2_Out_data_format, DataFormat::Bf16);
    add(cfg::THCON_SEC0_REG2_Throttle_mode, 2u);
    add(joined(cfg::THCON_SEC0_REG2_Disable_zero_compress_cntx0, cfg::THCON_SEC0_REG2_Disable_zero_compress_cntx3),
        0xFu);
    add(cfg::THCON_SEC0_REG3_Base_address, in / 16 - 1);
  }
  return fields;
}

}  // namespace kerr::emu
