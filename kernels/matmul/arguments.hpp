// Where the streams of a matmul find their runtime arguments.
#pragma once

namespace kerr::kernels::matmul {

// Byte offsets for the dataflow harts. Their common arguments are DRAM addresses. Each core has the number of its first
// tile of C in the matrix, that tile's column, and then what only one of the dataflows has.
inline constexpr int kArgTile = 0;
inline constexpr int kArgColumn = 4;
inline constexpr int kArgFirst = 8;      // direct: first product
inline constexpr int kArgProducts = 12;  // direct, also of the compute harts: how many
inline constexpr int kArgRow = 16;       // direct: of the first tile of C
inline constexpr int kArgStart = 8;      // sender: first tile of the operand
inline constexpr int kArgSender = 8;     // receiver: the sender's coordinate
inline constexpr int kArgNear = 12;      // sender: rectangle of receivers, 0 if there are none
inline constexpr int kArgFar = 16;       // a second one, beyond the columns of DRAM and PCIe
inline constexpr int kCommonA = 0;
inline constexpr int kCommonB = 4;
inline constexpr int kCommonC = 8;
inline constexpr int kCommonOperands = 12;  // and up

}  // namespace kerr::kernels::matmul
