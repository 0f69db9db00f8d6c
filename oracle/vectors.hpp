// Vectors recorded from a library, as text: one header line and a few lines of hexadecimal numbers each.
#pragma once

#include <istream>
#include <ostream>

#include "oracle/convert_block.hpp"
#include "oracle/fpu_block.hpp"
#include "oracle/sfpu_block.hpp"

namespace kerr::oracle {

/// The first step of a block: 16 rows of SrcA (8 for ELW*), 8 of SrcB, 8 of Dst before and after.
struct FpuVector {
  FpuBlock block;
  std::vector<uint32_t> result;
};
/// The first 32 datums of a conversion.
struct ConvertVector {
  ConvertBlock block;
  std::vector<uint8_t> result;
};

/// The inputs come from the block's seed.
struct SfpuVector {
  SfpuBlock block;
  std::vector<uint32_t> result;
};

/// Cut from a whole block and its result.
FpuVector first_step(const FpuBlock& block, const std::vector<uint32_t>& result);
ConvertVector first_datums(const ConvertBlock& block, const std::vector<uint8_t>& result);

void write(std::ostream& out, const FpuVector& v);
void write(std::ostream& out, const ConvertVector& v);
void write(std::ostream& out, const SfpuVector& v);
/// False at the end of the file. Throws std::runtime_error on a malformed one. Lines that start with # are skipped.
bool read(std::istream& in, FpuVector& v);
bool read(std::istream& in, ConvertVector& v);
bool read(std::istream& in, SfpuVector& v);

/// What our arithmetic gives, in the form of `result`.
std::vector<uint32_t> run_on_host(const FpuVector& v);
std::vector<uint8_t> run_on_host(const ConvertVector& v);
std::vector<uint32_t> run_on_host(const SfpuVector& v);

}  // namespace kerr::oracle
