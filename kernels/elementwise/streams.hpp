// The five instruction streams of an element-wise program, which programs that take one tile after the other share. All cores run
// the same ones.
#pragma once

#include "arch/firmware_layout.hpp"
#include "arch/memory_map.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "kernels/emit/compute.hpp"
#include "kernels/emit/dst_section.hpp"
#include "kernels/ir/checked_program.hpp"
#include "kernels/ir/stream.hpp"

namespace kerr::kernels::elementwise {

// A page of the first buffer for each operand of a tile, in their order; the second holds results.
inline constexpr std::uint8_t kBufferIn = 0;
inline constexpr std::uint8_t kBufferOut = 16;

// Tiles that a dataflow hart moves between two barriers. Both buffers hold this twice.
inline constexpr std::uint32_t kBlock = 4;

// Runtime arguments, byte offsets. Per core: first tile; tiles; of these, whole blocks and the rest.
inline constexpr int kArgFirst = 0, kArgTiles = 4, kArgBlocks = 8, kArgRest = 12;
// Common: the DRAM address of the output, then those of the inputs.
inline constexpr int kCommonOutput = 0, kCommonInputs = 4;

inline constexpr int kReaderNoc = 0, kWriterNoc = 1;

/// What moves: `inputs` tiles at once, `passes` times for each tile of the output.
struct Traffic {
  Format format;
  std::uint32_t inputs;
  std::uint32_t passes = 1;
  bool transposed = false;  // in the unpacker; BF16 only
  std::uint32_t tile_bytes() const { return kernels::tile_bytes(format); }
  bool dst32() const { return format == Format::Fp32; }
  std::uint32_t pages_in() const { return 2 * kBlock * inputs; }
  std::uint32_t pages_out() const { return 2 * kBlock; }
};

Kernel reader(const Traffic& traffic, const arch::FirmwareLayout& layout);  // NCRISC; passes must be 1
Kernel writer(const Traffic& traffic, const arch::FirmwareLayout& layout);  // BRISC
Kernel unpack(const Traffic& traffic);                                      // TRISC0
Kernel math(const Traffic& traffic, const vector::Emitted& code);           // TRISC1; passes must be 1
Kernel pack(const Traffic& traffic);                                        // TRISC2

/// What math kernels share: settings of Dst, operands and the vector unit; then the operands of a pass in tiles 0 .. inputs - 1 of
/// the section that `dst` has acquired, with tile 0 selected.
void configure_math(Stream& a, const Traffic& traffic, const DstSection& dst);
void take_operands(Stream& a, const Traffic& traffic, const DstSection& dst);

/// Both buffers, the five streams on `cores`, and their arguments: core i makes the i-th share of `tiles` tiles of the output.
void add_streams(CheckedProgram& program, const Traffic& traffic, const Kernel& reader_code, const Kernel& math_code,
                 std::uint32_t tiles, std::span<const arch::NocCoord> cores, const ElementwiseBuffers& buffers);

}  // namespace kerr::kernels::elementwise
