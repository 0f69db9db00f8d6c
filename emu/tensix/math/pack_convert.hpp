// What the packer does to a datum on its way from Dst to L1: early conversion, ReLU, late conversion, shared exponents,
// accumulation in L1. docs/hardware/tensix-datapath.md 12.6 to 12.8.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emu/tensix/math/formats.hpp"

namespace kerr::emu::math {

struct PackFormat {
  Format intermediate = Format::Bf16;  ///< ALU_FORMAT_SPEC_REG2_Dstacc = In_data_format; 2 is E5M6 and 6 is E8M6 here
  Format out = Format::Bf16;           ///< Out_data_format, in L1
  bool read_32b = false;               ///< Read_32b_data: Dst is read through its 32-bit view
  bool read_raw = false;               ///< Read_int8
  bool read_unsigned = false;          ///< Read_unsigned
  bool round_10b_mantissa = false;     ///< Round_10b_mant
  bool fp8_e4m3 = false;               ///< Pac_LF8_4b_exp
  std::uint8_t relu_mode = 0;          ///< STACC_RELU_ApplyRelu 0..3
  std::uint16_t relu_threshold = 0;    ///< non-negative, in the intermediate format's 16-bit family
};

/// A sentence why this combination has no known result, or nullptr.
const char* pack_refusal(const PackFormat& f);

/// Converts one datum. `raw`: the Dst cell as stored, 32 bits (high half first) or 16. The result is the L1 datum
/// right-aligned; for formats with a shared exponent it is a BF16 pattern, to be given to assemble_bfp(). `f` must
/// not be refused.
std::uint32_t pack_datum(const PackFormat& f, std::uint32_t raw);

/// pack_datum() for many.
void pack_datums(const PackFormat& f, const std::uint32_t* raw, std::size_t count, std::uint32_t* out);

/// Sixteen BF16 patterns to one exponent byte and 16, 8 or 4 data bytes of BFP8, BFP4 or BFP2.
/// Returns the exponent.
std::uint8_t assemble_bfp(Format out, const std::uint32_t* bf16, std::uint8_t* data);

/// Pack_L1_Acc: what is written when `added` meets `old` in L1. FP32, BF16 and FP16 only.
const char* l1_accumulate_refusal(Format out);
std::uint32_t l1_accumulate(Format out, std::uint32_t old, std::uint32_t added);

}  // namespace kerr::emu::math
