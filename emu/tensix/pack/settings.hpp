// What the configuration says to the packer, gathered under the names of docs/hardware/tensix-datapath.md 12.
#pragma once

#include <array>
#include <cstdint>

#include "emu/tensix/issue.hpp"
#include "emu/tensix/math/pack_convert.hpp"
#include "emu/tensix/state/config.hpp"

namespace kerr::emu::tensix {

/// All that PACR needs of one configuration bank, except what the instruction and the counters add.
struct PackSettings {
  math::PackFormat format;
  bool bfp_out = false;  // shared exponents are assembled
  bool l1_accumulate = false;

  // input side, 12.2
  std::uint32_t in_base = 0, in_x_stride = 0, in_y_stride = 0, in_z_stride = 0, in_w_stride = 0;
  unsigned in_bytes_per_datum = 2;  // by In_data_format, whatever the width of Dst
  unsigned dst_offset_rows = 0;     // DEST_TARGET_REG_CFG_PACK_SEC0_Offset
  unsigned dst_z_offset = 0;

  // output side, 12.3
  std::uint32_t out_base = 0, out_y_stride = 0, out_z_stride = 0, out_w_stride = 0;  // bytes
  std::uint32_t l1_dest_16b = 0;
  bool skip_header = true;  // one 16-byte unit in front of the tile
  std::uint32_t limit_16b = 0, fifo_16b = 0;
  std::uint32_t exp_section_16b = 0;

  // edge masking, 12.5
  std::array<std::uint16_t, 4> edge_mask{};
  bool edge_minus_infinity = false;
  bool edge_by_face = false;
  unsigned edge_row_set = 0;  // TILE_ROW_SET_SELECT of packer 0
  unsigned edge_face_set = 0;
  std::array<std::uint32_t, 4> row_set_mapping{}, face_set_mapping{};
  unsigned reads_per_xy_plane = 0;

  /// True if no datum can be masked, whatever its place.
  bool no_mask() const {
    return edge_mask[0] == 0xFFFF && !edge_by_face && edge_row_set == 0 && row_set_mapping[0] == 0;
  }
};

/// Faults: what the configuration asks for that Kerr does not model (Unsupported) or that has no meaning
/// (UndefinedBehavior).
Issue gather(const ConfigBank& config, PackSettings& settings);

}  // namespace kerr::emu::tensix
