// Sums and maxima of rows of flat buffers (elementwise/flat.hpp): an expression of each word, and one number of each
// row of them.
//
// Sixteen rows are a unit. Their words come page by page; a page's rows of Dst are added up lane by lane, and what the
// lanes of a row have to do with each other comes last.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "arch/firmware_layout.hpp"
#include "arch/grid.hpp"
#include "host/runtime/program/program.hpp"
#include "kernels/elementwise/flat.hpp"
#include "kernels/reduce/reduce.hpp"

namespace kerr::kernels {

inline constexpr uint32_t kRowsOfUnit = 16;
inline constexpr uint32_t kRowWords = 64;     // rows have a multiple of so many words
inline constexpr uint32_t kMostRowTiles = 3;  // of Dst, for operands and spilled values

enum class RowNumber : uint8_t { Fp32, Int32 };

struct RowShape {
  Reduction reduction = Reduction::Sum;  // of Int32 only sums; Maximum by the order of sign and magnitude
  RowNumber number = RowNumber::Fp32;
  uint32_t begin = 0;  // what every lane begins with: bits that change no result, as 0 of sums
  uint32_t rows = 0, words = 0;
  uint32_t counted = 0;  // words of each row, from its first one: the others, less than kRowWords, may be anything
  FlatShape input;       // elements: of all rows
  uint32_t units() const { return (rows + kRowsOfUnit - 1) / kRowsOfUnit; }
  /// The only unit ends with its last row.
  uint32_t pages_of_unit() const { return units() == 1 ? input.pages() : words / kRowWords; }
};

/// `code`: of each word, by flat_code() with kMostRowTiles; none: the first operand as it is. The program on the first
/// min(units, cores.size()) of `cores` writes one word for each row, next to each other. Throws std::invalid_argument:
/// no rows, rows of other sizes, no cores, too many operands.
host::Program row_program(const std::string& name, const vector::Phases* code, const RowShape& shape,
                          const arch::FirmwareLayout& layout, std::span<const arch::NocCoord> cores);
/// Sets what a launch works on, before each one that differs from the last. The result overlaps no operand.
void set_row_views(host::Program& program, const RowShape& shape, FlatView result, std::span<const FlatView> operands);

}  // namespace kerr::kernels
