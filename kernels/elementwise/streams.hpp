// The five instruction streams of an element-wise program, which programs that take one tile after the other share. All
// cores run the same ones.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "arch/firmware_layout.hpp"
#include "arch/memory_map.hpp"
#include "kernels/blocks/compute.hpp"
#include "kernels/blocks/dst_section.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "kernels/stream/checked_program.hpp"
#include "kernels/stream/stream.hpp"

namespace kerr::kernels::elementwise {

// A page of the first buffer for each operand of a tile, in their order; the second holds results.
inline constexpr uint8_t kBufferIn = 0;
inline constexpr uint8_t kBufferOut = 1;

// Tiles that a dataflow hart moves between two barriers. Both buffers hold this twice.
inline constexpr uint32_t kBlock = 4;

// Runtime arguments, byte offsets. Per core: first tile; tiles; of these, whole blocks and the rest.
inline constexpr int kArgFirst = 0, kArgTiles = 4, kArgBlocks = 8, kArgRest = 12;
// Common: the DRAM address of the output, then those of the inputs.
inline constexpr int kCommonOutput = 0, kCommonInputs = 4;

inline constexpr int kReaderNoc = 0, kWriterNoc = 1;

/// What moves: `inputs` tiles at once, `passes` times for each tile of the output.
struct Traffic {
  Format format;  // of the operands
  uint32_t inputs;
  uint32_t passes = 1;
  bool transposed = false;            // in the unpacker; BF16 only
  std::optional<Format> result = {};  // if it is another one
  /// Blocks of 32 x 32 elements are row by row instead of in faces. rows_in: in the first buffer, for the unpacker's
  /// tilize mode; rows_out: in the second, written by the packer row by row. Formats of 16 or 32 bits.
  bool rows_in = false, rows_out = false;
  Format out() const { return result.value_or(format); }
  uint32_t in_bytes() const { return tile_bytes(format); }  // a tile
  uint32_t out_bytes() const { return tile_bytes(out()); }
  bool dst32() const { return is_wide(format); }  // operands go straight to Dst
  uint32_t pages_in() const { return 2 * kBlock * inputs; }
  uint32_t pages_out() const { return 2 * kBlock; }
};

/// How the packer takes results from Dst.   docs/hardware/tensix-datapath.md 12.6, 12.8
struct PackedFrom {
  arch::DataFormat format;  // the intermediate format
  bool dst32;               // Dst holds 32 bits a datum
};
PackedFrom packed_from(Format out);

/// Where the operands of an expression and its result lie in a section of Dst, and what is left for spilled values.
struct DstPlaces {
  std::vector<DstNumber> inputs;
  DstNumber output;
  vector::DstUse use;
};
/// How one operand, or the result, is in tile 0 of Dst.
DstNumber operand_in_dst(Format format, Type type);
DstNumber result_in_dst(Format format);
/// The first operand's tile. A result that is wider than the operands lies in front of them.
uint32_t first_operand(ElementwiseFormats formats);
DstPlaces dst_places(const Expression& expression, ElementwiseFormats formats);

/// The common arguments of `inputs` operands, and where in them shards are found: of each operand, and of the output.
struct CommonArguments {
  std::vector<uint32_t> words;
  std::vector<ShardTable> inputs;
  ShardTable output;
};
CommonArguments common_arguments(const ElementwiseBuffers& buffers, uint32_t inputs);

/// NCRISC; passes must be 1. `shards`: by operand; those beyond its end are in DRAM.
Kernel reader(const Traffic& traffic, const arch::FirmwareLayout& layout, const ElementwiseShape& shape = {},
              std::span<const ShardTable> shards = {});
Kernel writer(const Traffic& traffic, const arch::FirmwareLayout& layout, const ShardTable& shards = {});  // BRISC
Kernel unpack(const Traffic& traffic);                                                                     // TRISC0
/// TRISC1; passes must be 1. `shape` counts if the code reads place().
Kernel math(const Traffic& traffic, const vector::Emitted& code, const ElementwiseShape& shape = {});
Kernel pack(const Traffic& traffic);  // TRISC2

/// What math kernels share: settings of Dst, operands and the vector unit; then the operands of a pass in tiles 0 ..
/// inputs - 1 of the section that `dst` has acquired, with tile 0 selected.
void configure_math(Stream& a, const Traffic& traffic, const DstSection& dst);
void take_operands(Stream& a, const Traffic& traffic, const DstSection& dst);

/// Fills operand `input`'s tile with copies of its one row, column or element. Clobbers LRegs, t0 and t1.
void repeat_elements(Stream& a, const Traffic& traffic, uint32_t input, Repeat repeat, isa::Reg outer, isa::Reg inner);

/// Both buffers, the five streams on `cores`, and their arguments: core i makes the i-th share of `tiles` tiles of the
/// output. Without `writer_code` the writer is writer().
void add_streams(CheckedProgram& program, const Traffic& traffic, const Kernel& reader_code, const Kernel& math_code,
                 uint32_t tiles, std::span<const arch::NocCoord> cores, const ElementwiseBuffers& buffers,
                 const std::optional<Kernel>& writer_code = {});
/// Only NCRISC, which makes the output's tiles, and the writer: nothing is computed.
void add_dataflow(CheckedProgram& program, const Traffic& traffic, const Kernel& reader_code, uint32_t tiles,
                  std::span<const arch::NocCoord> cores, const ElementwiseBuffers& buffers);

}  // namespace kerr::kernels::elementwise
