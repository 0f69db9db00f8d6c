// The five instruction streams of an element-wise program. All cores run the same ones.
#pragma once

#include "arch/firmware_layout.hpp"
#include "arch/memory_map.hpp"
#include "isa/code.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "kernels/emit/compute.hpp"

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

struct Kernel {
  ElementFormat format;
  std::uint32_t inputs;
  const vector::Emitted& code;
  std::uint32_t tile_bytes() const { return kernels::tile_bytes(format); }
  std::uint32_t code_of_format() const { return format == ElementFormat::Bf16 ? kFormatBf16 : kFormatFp32; }
  std::uint32_t pages_in() const { return 2 * kBlock * inputs; }
  std::uint32_t pages_out() const { return 2 * kBlock; }
};

isa::Code reader(const Kernel& kernel, const arch::FirmwareLayout& layout);  // NCRISC
isa::Code writer(const Kernel& kernel, const arch::FirmwareLayout& layout);  // BRISC
isa::Code unpack(const Kernel& kernel);                                      // TRISC0
isa::Code math(const Kernel& kernel);                                        // TRISC1
isa::Code pack(const Kernel& kernel);                                        // TRISC2

}  // namespace kerr::kernels::elementwise
