// Sums, maxima and minima of rows or columns as a host::Program.
// docs/hardware/kernels.md 3.9 has another way; this one adds in FP32.
#pragma once

#include <cstdint>
#include <span>

#include "arch/firmware_layout.hpp"
#include "arch/grid.hpp"
#include "host/runtime/program/program.hpp"
#include "kernels/elementwise/elementwise.hpp"

namespace kerr::kernels {

enum class Reduction : uint8_t { Sum, Maximum, Minimum };
enum class Along : uint8_t {
  Row,     // of each row one number: the first column of the output's tiles, which are tile_rows x 1
  Column,  // of each column one number: the first row of the output's tiles, which are 1 x tile_columns
};

struct ReduceShape {
  Reduction reduction;
  Along along;
  uint32_t tile_rows, tile_columns;  // of the input
  uint32_t outputs() const { return along == Along::Row ? tile_rows : tile_columns; }
  uint32_t inputs_of_output() const { return along == Along::Row ? tile_columns : tile_rows; }
};

/// The format of the result: BF16 or FP32 for floats, INT32 for integers.
constexpr Format reduced_format(Format in) {
  return is_integer(in) ? Format::Int32 : in == Format::Bf16 ? Format::Bf16 : Format::Fp32;
}

/// The output has reduced_format(format); integers are added modulo 2^32. Elements outside the matrix must be 0 for
/// sums, at most its least element for maxima and at least its largest for minima. Only the output's first column or
/// row has a meaning. Throws std::invalid_argument: no tiles, no cores.
host::Program reduce_program(const ReduceShape& shape, Format format, const arch::FirmwareLayout& layout,
                             std::span<const arch::NocCoord> cores, uint32_t input, uint32_t output);

}  // namespace kerr::kernels
