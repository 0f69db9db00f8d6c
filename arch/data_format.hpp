// Data formats of the coprocessor: the codes of its configuration, and how datums of each lie in L1.
// docs/hardware/tensix-math.md 1, tensix-datapath.md 7.5
#pragma once

#include <stdint.h>

namespace kerr::arch {

/// The 4-bit code of every *_data_format and ALU_FORMAT_SPEC field. Codes 12 and 13 have no name.
enum class DataFormat : uint8_t {
  Fp32 = 0,
  Fp16 = 1,
  Bfp8a = 2,
  Bfp4a = 3,
  Tf32 = 4,
  Bf16 = 5,
  Bfp8 = 6,
  Bfp4 = 7,
  Int32 = 8,
  Int16 = 9,
  Fp8 = 10,
  Bfp2a = 11,
  Int8 = 14,
  Bfp2 = 15,
};

constexpr DataFormat format_from_code(unsigned code) { return static_cast<DataFormat>(code & 15); }
constexpr unsigned code_of(DataFormat f) { return static_cast<unsigned>(f); }
constexpr bool is_named(DataFormat f) { return code_of(f) != 12 && code_of(f) != 13; }

struct DataFormatRow {
  const char* name;
  uint8_t datum_bits;            // in L1, without shared exponents
  bool shares_exponent = false;  // one byte for 16 datums
};
inline constexpr DataFormatRow kDataFormats[16] = {  // by code
    {"FP32", 32},      {"FP16", 16},      {"BFP8a", 8, true}, {"BFP4a", 4, true}, {"TF32", 32}, {"BF16", 16},
    {"BFP8", 8, true}, {"BFP4", 4, true}, {"INT32", 32},      {"INT16", 16},      {"FP8", 8},   {"BFP2a", 2, true},
    {"reserved", 0},   {"reserved", 0},   {"INT8", 8},        {"BFP2", 2, true}};

/// "FP32", "BFP8a", ...; "reserved" for codes 12 and 13.
constexpr const char* name_of(DataFormat f) { return kDataFormats[code_of(f) & 15].name; }
/// Bits of one datum in L1, without shared exponents. 0 for the reserved codes.
constexpr unsigned datum_bits(DataFormat f) { return kDataFormats[code_of(f) & 15].datum_bits; }
/// One exponent byte is shared by 16 datums.
constexpr bool has_shared_exponent(DataFormat f) { return kDataFormats[code_of(f) & 15].shares_exponent; }

/// What the address counters take a datum for, in bytes: they look at two bits of the code only.
constexpr unsigned counted_bytes(DataFormat f) {
  const unsigned size_class = code_of(f) & 3;
  return size_class == 0 ? 4 : size_class == 1 ? 2 : 1;
}

}  // namespace kerr::arch
