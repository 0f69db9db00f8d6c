// What the packer does to a datum on its way from Dst to L1: early conversion, ReLU, late conversion, shared exponents,
// accumulation in L1. docs/hardware/tensix-datapath.md 12.4 to 12.8.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emu/math/formats.hpp"

namespace kerr::emu::math {

struct PackFormat {
  Format intermediate = Format::Bf16;  ///< ALU_FORMAT_SPEC_REG2_Dstacc = In_data_format; 2 is E5M6 and 6 is E8M6 here
  Format out = Format::Bf16;           ///< Out_data_format, in L1
  bool from_l1 = false;                ///< Source_interface_selection: datums of L1, which no early conversion changes
  bool read_32b = false;               ///< Read_32b_data: Dst is read through its 32-bit view
  bool read_raw = false;               ///< Read_int8
  bool read_unsigned = false;          ///< Read_unsigned
  bool round_10b_mantissa = false;     ///< Round_10b_mant
  bool late_tf32 = false;              ///< In_data_format is TF32 though the intermediate format is BF16
  bool fp8_e4m3 = false;               ///< Pac_LF8_4b_exp
  uint8_t int_shift = 0;               ///< INT_DESCALE: magnitudes of INT32 move right by it on the way to INT8
  uint8_t relu_mode = 0;               ///< STACC_RELU_ApplyRelu 0..3
  uint16_t relu_threshold = 0;         ///< non-negative, in the intermediate format's 16-bit family

  bool operator==(const PackFormat&) const = default;
};

/// What a datum is between the early and the late conversion. E8M6 lies in the bits of BF16; E5M6 and E5M7 in those of
/// FP16.
enum class Middle : uint8_t { Fp32, Tf32, Bf16, Fp16, Fp8, Int32, Int16, Int8 };

/// The ways from a Dst cell, or a datum of L1, to a Middle.
enum class Early : uint8_t {
  Unknown,
  // of the 32-bit view
  Keep32,
  RoundTf32,
  RoundBf16,
  TruncateBf16,
  RoundE8M6,
  SaturateInt8,
  LowBitsInt8,
  HighHalf,  // as stored
  // of the 16-bit view
  Keep16,  // as stored
  CleanBf16,
  KeepBf16,
  CleanE8M6,
  Bf16AsTf32,
  Bf16AsFp16,
  CleanFp16,
  KeepFp16,
  TruncateE5M7,
  RoundE5M6,
  TruncateFp8,
  SignInt8,
  // of L1
  KeepDatum,
  SignAndMantissa,  // of a block float, with an exponent of 0
};

/// A sentence why this combination has no known result, or nullptr.
const char* pack_refusal(const PackFormat& f);

/// The stages of one configuration, datum by datum.
class PackPath {
 public:
  /// `f` must not be refused.
  explicit PackPath(const PackFormat& f);

  Early early_kind() const { return early_; }
  Middle middle() const { return middle_; }

  /// `raw`: the Dst cell as stored, 32 bits (high half first) or 16; or a datum of L1.
  uint32_t early(uint32_t raw) const;
  uint32_t relu(uint32_t v) const;
  /// Exponent field of a Middle, as the histogram and the threshold see it: 8 or 5 bits. 12.8
  unsigned exponent(uint32_t v) const;
  /// What PCK_EDGE_MODE = 1 makes of a masked datum. Not for integers.
  uint32_t minus_infinity() const;
  bool is_float() const { return middle_ < Middle::Int32; }
  /// The L1 datum right-aligned; for formats with a shared exponent a BF16 or, in the 5-bit family, FP16 pattern, to be
  /// given to assemble_bfp().
  uint32_t late(uint32_t v) const;

 private:
  PackFormat f_;
  Early early_;
  Middle middle_;
};

/// Sixteen patterns from PackPath::late() to one exponent byte and 16, 8 or 4 data bytes. Returns the exponent.
uint8_t assemble_bfp(Format out, const uint32_t* patterns, uint8_t* data);

/// Pack_L1_Acc: what is written when `added` meets `old` in L1. FP32, BF16 and FP16 only. FP16 sums that underflow
/// become the largest number on silicon; `fp16_fault` = false gives a zero of their sign instead.
const char* l1_accumulate_refusal(Format out);
uint32_t l1_accumulate(Format out, uint32_t old, uint32_t added, bool fp16_fault = true);
/// l1_accumulate() for `bytes` of datums (at most 320): old and added to `sums`, which may be either of them.
void l1_accumulate_datums(Format out, const uint8_t* old, const uint8_t* added, size_t bytes, uint8_t* sums,
                          bool fp16_fault = true);

}  // namespace kerr::emu::math
