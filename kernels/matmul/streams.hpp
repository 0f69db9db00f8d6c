// The five instruction streams of a matmul's cores. Those of the dataflow harts depend on the core's place in the grid.
#pragma once

#include "arch/firmware_layout.hpp"
#include "arch/memory_map.hpp"
#include "kernels/blocks/dataflow.hpp"
#include "kernels/matmul/arguments.hpp"
#include "kernels/matmul/buffers.hpp"
#include "kernels/matmul/plan.hpp"
#include "kernels/stream/stream.hpp"

namespace kerr::kernels::matmul {

inline constexpr int kReaderNoc = 0;  // NCRISC; multicast: BRISC, which feeds A
inline constexpr int kWriterNoc = 1;  // BRISC; multicast: NCRISC, which feeds B and writes C

/// Where the shards of A, B and C are found.
struct ShardTables {
  ShardTable a{}, b{}, c{};
};

/// An operand on its way to a row or a column of cores: its sender, and the tiles.   docs/hardware/kernels.md 4.3
struct OperandFeed {
  uint8_t buffer;
  uint32_t block_rows, row_tiles;     // of a K block
  uint32_t row_stride, block_stride;  // in tiles of the tensor
  int common_base;                    // argument: its address in DRAM
  uint32_t near, far;                 // receivers in the two rectangles
  uint32_t ready, valid;              // semaphores: counts the receivers, on the sender; set when a block has come
};
OperandFeed feed_of_a(const MatmulPlan& plan);
OperandFeed feed_of_b(const MatmulPlan& plan);
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
