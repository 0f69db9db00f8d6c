// Operands with fewer elements than the result: a dataflow hart writes their elements into the page of the buffer as
// often as they are repeated; or has the NoC bring them there, where they lie so.
#pragma once

#include <cstdint>

#include "kernels/blocks/dataflow.hpp"
#include "kernels/elementwise/flat.hpp"
#include "kernels/stream/stream.hpp"

namespace kerr::kernels::elementwise {

/// Clobbers t0 to t6, a5 to a7 and s8 to s11; keeps s4 + `number` for itself.
struct RepeatedOperand {
  static constexpr isa::Reg kOffset = isa::reg::s11;

  FlatOperand shape;
  uint32_t element_bytes;
  uint32_t page;    // of L1: kFlatPageBytes for the page that was read last
  uint32_t number;  // 0 .. kMostFlatOperands - 1

  void open(Stream& a) const;
  /// Elements of result page `result_page` to `pointer`, which goes on by a page. The operand begins kOffset bytes
  /// behind `base`.
  void fill(Stream& a, const DramTiles& dram, isa::Reg result_page, isa::Reg base, isa::Reg pointer) const;

 private:
  isa::Reg cached() const;
  void bring(Stream& a, const DramTiles& dram, isa::Reg base) const;
  void repeat(Stream& a) const;
  void copy(Stream& a) const;
  void count(Stream& a) const;
  void fill_by_lines(Stream& a, const DramTiles& dram, isa::Reg base) const;
  void fill_rows(Stream& a, const DramTiles& dram, isa::Reg base) const;
  void move_elements(Stream& a) const;
  void pad(Stream& a) const;
};

}  // namespace kerr::kernels::elementwise
