// Numbers that kernels share with the host, under tt-metal's names.
#pragma once

#include <stdint.h>

namespace tt {

// clang-format off
/// Ids of circular buffers.
enum CBIndex : uint8_t {
  c_0 = 0, c_1 = 1, c_2 = 2, c_3 = 3, c_4 = 4, c_5 = 5, c_6 = 6, c_7 = 7,
  c_8 = 8, c_9 = 9, c_10 = 10, c_11 = 11, c_12 = 12, c_13 = 13, c_14 = 14, c_15 = 15,
  c_16 = 16, c_17 = 17, c_18 = 18, c_19 = 19, c_20 = 20, c_21 = 21, c_22 = 22, c_23 = 23,
  c_24 = 24, c_25 = 25, c_26 = 26, c_27 = 27, c_28 = 28, c_29 = 29, c_30 = 30, c_31 = 31,
  SIZE = 32,
};

/// The same by what they are used for: inputs, data movement, outputs, intermediate results.
enum CB : uint8_t {
  c_in0 = 0, c_in1, c_in2, c_in3, c_in4, c_in5, c_in6, c_in7,
  dataflow0 = 8, dataflow1, dataflow2, dataflow3, dataflow4, dataflow5, dataflow6, dataflow7,
  c_out0 = 16, c_out1, c_out2, c_out3, c_out4, c_out5, c_out6, c_out7,
  c_intermed0 = 24, c_intermed1, c_intermed2, c_intermed3, c_intermed4, c_intermed5, c_intermed6, c_intermed7,
};
// clang-format on

enum class DstMode : uint8_t { Full, Half, Tile };

namespace constants {

inline constexpr uint32_t TILE_HEIGHT = 32, TILE_WIDTH = 32, TILE_HW = TILE_HEIGHT * TILE_WIDTH;
inline constexpr uint32_t FACE_HEIGHT = 16, FACE_WIDTH = 16, FACE_HW = FACE_HEIGHT * FACE_WIDTH;
inline constexpr uint32_t BFP8_TILE_HW = 1088, BFP4_TILE_HW = 576;

}  // namespace constants
}  // namespace tt

/// What semaphores of tt-metal's kernels are set to.
inline constexpr uint32_t INVALID = 0, VALID = 1;
