// LaneConfig: 18 bits for each of the eight columns of lanes.   docs/hardware/tensix-math.md 9.3
#pragma once

#include <array>
#include <cstdint>

#include "emu/snapshot/archive.hpp"
#include "emu/tensix/sfpu/lanes.hpp"

namespace kerr::emu::tensix {

class LaneConfig {
 public:
  static constexpr uint32_t kBits = 0x3FFFF;

  uint32_t column(unsigned c) const { return columns_[c % kLaneColumns]; }
  void set(unsigned c, uint32_t value) {
    columns_[c % kLaneColumns] = value & kBits;
    fp16a_inf = lanes_with(0);
    disable_backdoor_load = lanes_with(1);
    enable_dest_index = lanes_with(2);
    capture_default_dest_index = lanes_with(3);
    block_dest_write = lanes_with(4);
    block_dest_read = lanes_with(5);
    dest_read_exchange = lanes_with(6);
    dest_write_exchange = lanes_with(7);
    exchange_b_c = lanes_with(8);
    for (unsigned odd = 0; odd < 2; ++odd) {
      const uint32_t column = uint32_t{1} << (2 * (c % kLaneColumns) + odd);
      blocked_move_columns = (value >> (9 + odd) & 1) ? blocked_move_columns | column : blocked_move_columns & ~column;
    }
    rows_masked = 0;
    for (unsigned row = 0; row < 4; ++row) rows_masked |= lanes_with(12 + row) & 0xFFu << 8 * row;
  }
  void reset() { *this = {}; }
  void serialize(Archive& a) {
    a(columns_);
    if (!a.loading()) return;
    for (unsigned c = 0; c < kLaneColumns; ++c) set(c, columns_[c]);  // derives the masks
  }

  // Lanes in which a bit is set.
  LaneMask fp16a_inf = 0, disable_backdoor_load = 0, enable_dest_index = 0, capture_default_dest_index = 0;
  LaneMask block_dest_write = 0, block_dest_read = 0, dest_read_exchange = 0, dest_write_exchange = 0;
  LaneMask exchange_b_c = 0;
  LaneMask rows_masked = 0;  // by ROW_MASK
  /// BLOCK_DEST_MOV: the columns of Dst (not lanes) that MOVA2D, MOVB2D, MOVD2A and MOVD2B leave alone.
  uint32_t blocked_move_columns = 0;

 private:
  LaneMask lanes_with(unsigned bit) const {
    unsigned columns = 0;
    for (unsigned c = 0; c < kLaneColumns; ++c) columns |= (columns_[c] >> bit & 1) << c;
    return lanes_of_columns(columns);
  }

  std::array<uint32_t, kLaneColumns> columns_{};
};

}  // namespace kerr::emu::tensix
