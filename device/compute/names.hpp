// Enumerations that tt-metal's kernels name.
#pragma once

#include <stdint.h>

namespace ckernel {

enum EltwiseBinaryType { ELWMUL, ELWDIV, ELWADD, ELWSUB, ELWLESS };
/// What of the second operand's tile is used: all of it, its first column or row for all others, or its first element.
enum class BroadcastType { NONE = 0, COL = 1, ROW = 2, SCALAR = 3 };
enum class EltwiseBinaryReuseDestType { NONE = 0, DEST_TO_SRCA = 1, DEST_TO_SRCB = 2 };
enum class PoolType { SUM, AVG, MAX, MIN };
/// Along what is reduced: a row becomes its first element, a column its first, a tile its first.
enum class ReduceDim { REDUCE_ROW, REDUCE_COL, REDUCE_SCALAR };
/// The part of a tile that a vector function works on: its upper faces, its left ones, all. An int to tt-metal.
struct VectorMode {
  enum Faces : int { None = 0, R = 1, C = 2, RC = 4, RC_custom = 6 };
};
enum class DataLayout { TILE = 0, ROW_MAJOR = 1 };
enum class RoundingMode { None = 0, Trunc = 1, Floor = 2 };

enum ReluType { NO_RELU, ZERO_RELU, MIN_THRESHOLD_RELU, MAX_THRESHOLD_RELU };

}  // namespace ckernel
