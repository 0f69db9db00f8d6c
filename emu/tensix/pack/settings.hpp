// What the configuration says to the packer, gathered under the names of docs/hardware/tensix-datapath.md 12.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "emu/math/pack_kernels.hpp"
#include "emu/tensix/issue.hpp"
#include "emu/tensix/state/config.hpp"

namespace kerr::emu::tensix {

/// All that PACR needs of one configuration bank, except what the instruction and the counters add.
struct PackSettings {
  // what software changes with every tile: follow()
  uint32_t l1_dest_16b = 0;
  unsigned dst_offset_rows = 0;  // DEST_TARGET_REG_CFG_PACK_SEC0_Offset
  unsigned dst_z_offset = 0;

  math::PackFormat format;
  math::PackFunction rows_function = nullptr;  // vector form of the whole conversion, if it does all that is asked for
  math::ReluBounds relu;                       // for rows_function, as are:
  unsigned exponent_shift = 7;                 // of the exponent in the patterns that rows_function compares
  unsigned row_bytes = 0;                      // of sixteen datums in L1
  bool adjacent_rows = false;                  // and rows that follow each other lie side by side in Dst
  bool bfp_out = false;                        // shared exponents are assembled
  bool l1_accumulate = false;
  bool in_is_float = true;                    // In_data_format has an exponent to compare with the threshold
  std::optional<uint8_t> exponent_threshold;  // datums with a smaller exponent become 0
  uint16_t downsample_mask = 0xFFFF;          // datum k of a row is kept if bit k mod 16 is set

  // input side, 12.2
  uint32_t l1_source = 0;  // the bits above the low 18 of an address in L1, if the datums come from there
  uint32_t in_base = 0, in_x_stride = 0, in_y_stride = 0, in_z_stride = 0, in_w_stride = 0;
  unsigned in_datum_shift = 1;  // log2 of the bytes per datum, by In_data_format, whatever the width of Dst

  // output side, 12.3
  uint32_t out_base = 0, out_y_stride = 0, out_z_stride = 0, out_w_stride = 0;  // bytes
  bool skip_header = true;                                                      // one 16-byte unit in front of the tile
  bool add_dest_offset = false;
  uint32_t limit_16b = 0, fifo_16b = 0;
  uint32_t exp_section_16b = 0;  // 0 for 16-bit and wider formats

  // edge masking, 12.5
  std::array<uint16_t, 4> edge_mask{};
  bool no_mask = false;  // no datum can be masked, whatever its place
  bool edge_minus_infinity = false;
  bool edge_by_face = false;
  unsigned edge_row_set = 0;  // TILE_ROW_SET_SELECT of packer 0
  unsigned edge_face_set = 0;
  std::array<uint32_t, 4> row_set_mapping{}, face_set_mapping{};
  unsigned reads_per_xy_plane = 0;
  bool yz_transposed = false;
  bool auto_last_interfaces = false;  // Auto_set_last_pacr_intf_sel
};

/// Faults: what the configuration asks for that Kerr does not model (Unsupported) or that has no meaning
/// (UndefinedBehavior).
Issue gather(const ConfigBank& config, PackSettings& settings);
/// Only what changes with every tile.
void follow(const ConfigBank& config, PackSettings& settings);

/// The words that gather() reads, to see whether it would say anything new.
class PackWords {
 public:
  void copy(const ConfigBank& config);
  bool same(const ConfigBank& config) const;

 private:
  std::array<uint32_t, 32> words_{};
};

}  // namespace kerr::emu::tensix
