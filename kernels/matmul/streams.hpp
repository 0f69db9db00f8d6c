// The five instruction streams of a matmul's cores. Those of the dataflow harts depend on the core's place in the grid.
#pragma once

#include "arch/firmware_layout.hpp"
#include "arch/memory_map.hpp"
#include "kernels/emit/dataflow.hpp"
#include "kernels/ir/stream.hpp"
#include "kernels/matmul/plan.hpp"

namespace kerr::kernels::matmul {

// Circular buffers. Direct: blocks of A (sub_rows x k_block tiles), of B (k_block x sub_columns), of C (one sub-block); all twice.
// Multicast: blocks of the core's rows and columns, twice; all of the core's C once. Partial sums: all of the core's, in the pages of C if
// they are of its format. Numbers without gaps, for a launch writes a table up to the highest one.
inline constexpr uint8_t kBufferA = 0;
inline constexpr uint8_t kBufferB = 1;
inline constexpr uint8_t kBufferC = 2;
inline constexpr uint8_t kBufferPartial = 3;
inline constexpr uint8_t kBufferOperands = 4;  // of the epilogue: those of a sub-block, one after the other; twice

inline uint32_t block_rows(const MatmulPlan& p) { return p.multicast() ? p.core_rows : p.sub_rows; }
inline uint32_t block_columns(const MatmulPlan& p) { return p.multicast() ? p.core_columns : p.sub_columns; }
inline uint32_t pages_a(const MatmulPlan& p) { return 2 * block_rows(p) * p.k_block; }
inline uint32_t pages_b(const MatmulPlan& p) { return 2 * block_columns(p) * p.k_block; }
/// Partial sums and C take turns in the same pages.
inline bool partials_alias(const MatmulPlan& p) {
  return p.has_partials() && partial_format(p.options) == p.options.out;
}
inline uint32_t pages_operands(const MatmulPlan& p) { return 2 * p.operands() * p.sub_tiles(); }
inline uint32_t pages_partial(const MatmulPlan& p) { return p.core_rows * p.core_columns; }
inline uint32_t pages_c(const MatmulPlan& p) {
  const bool all = p.multicast() && (!p.has_partials() || partials_alias(p));
  return all ? p.core_rows * p.core_columns : 2 * p.sub_rows * p.sub_columns;
}
/// How blocks of A and B, and those of C, go through their buffers.
inline Flow flow_of_operands(const MatmulPlan& p) {
  const uint32_t blocks = p.k_blocks() * (p.multicast() ? 1 : p.sub_blocks());
  return p.batch() > 1 || blocks > 2 ? Flow::Around : blocks > 1 ? Flow::Straight : Flow::Once;
}
inline Flow flow_of_c(const MatmulPlan& p) {
  const bool fits = p.core_rows * p.core_columns <= pages_c(p);
  return p.batch() > 1 || !fits ? Flow::Around : p.sub_blocks() > 1 ? Flow::Straight : Flow::Once;
}
/// A sub-block at least as wide as high holds A's tile of a row in SrcB while B's tiles pass through SrcA; a higher one
/// the other way round (docs/hardware/kernels.md 3.5).
inline bool holds_a(const MatmulPlan& p) { return p.sub_columns >= p.sub_rows; }

// Runtime arguments of the dataflow harts, byte offsets. Common: DRAM addresses. Per core: number of the first tile of
// C in the matrix, and its column; then what only one of the dataflows has.
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

inline constexpr int kReaderNoc = 0;  // NCRISC; multicast: BRISC, which feeds A
inline constexpr int kWriterNoc = 1;  // BRISC; multicast: NCRISC, which feeds B and writes C

/// Where the shards of A, B and C are found.
struct ShardTables {
  ShardTable a{}, b{}, c{};
};

/// An operand on its way to a row or a column of cores: its sender, and the tiles.   docs/hardware/kernels.md 4.3
struct OperandStream {
  uint8_t buffer;
  uint32_t block_rows, row_tiles;     // of a K block
  uint32_t row_stride, block_stride;  // in tiles of the tensor
  int common_base;                    // argument: its address in DRAM
  uint32_t near, far;                 // receivers in the two rectangles
  uint32_t ready, valid;              // semaphores: counts the receivers, on the sender; set when a block has come
};
OperandStream stream_a(const MatmulPlan& plan);
OperandStream stream_b(const MatmulPlan& plan);
inline constexpr uint32_t kSemaphores = 4;
/// Columns of worker cores on both sides of those of DRAM and PCIe (8 and 9).
inline constexpr uint8_t kFirstFarColumn = 10;

// Direct.
Kernel reader(const MatmulPlan& plan, const arch::FirmwareLayout& layout,
              const ShardTables& shards = {});  // NCRISC: A and B from DRAM
Kernel writer(const MatmulPlan& plan, const arch::FirmwareLayout& layout,
              const ShardTables& shards = {});  // BRISC: C to DRAM
// Multicast.
Kernel feed_a(const MatmulPlan& plan, const arch::FirmwareLayout& layout, bool sender,
              const ShardTables& shards = {});  // BRISC
Kernel feed_b_and_write(const MatmulPlan& plan, const arch::FirmwareLayout& layout, bool sender,
                        const ShardTables& shards = {});  // NCRISC
// Both.
Kernel unpack(const MatmulPlan& plan);  // TRISC0
Kernel math(const MatmulPlan& plan);    // TRISC1
Kernel pack(const MatmulPlan& plan);    // TRISC2

// Parts of these. They expect a0 to a3 as they are on entry, and leave them so.
/// The operands of the sub-block of C whose first tile, of all products, is in register `tile`, while no read is under
/// way; `column` is that tile's column in the matrix. The others are the kernel's to be clobbered.
struct OperandRegisters {
  isa::Reg tile, column, base, row_tile, rows;
};
void read_operands(Stream& a, const MatmulPlan& plan, const DramTiles& dram, const OperandRegisters& registers,
                   const DataflowBuffer& buffer);
/// The operands of all sub-blocks, row by row.
void read_all_operands(Stream& a, const MatmulPlan& plan, const arch::FirmwareLayout& layout, arch::Hart hart);
void write_product(Stream& a, const MatmulPlan& plan, const arch::FirmwareLayout& layout, arch::Hart hart,
                   const ShardTable& shards = {});

}  // namespace kerr::kernels::matmul
