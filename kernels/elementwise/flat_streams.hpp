// Streams of programs on flat buffers that they do not have in common with other element-wise programs.
#pragma once

#include <algorithm>

#include "kernels/blocks/dst_section.hpp"
#include "kernels/elementwise/flat.hpp"
#include "kernels/elementwise/streams.hpp"
#include "kernels/vector/phases.hpp"

namespace kerr::kernels::elementwise {

/// TRISC1; Dst has 32 bits. `groups`: of lanes of each page, from its first on, that are computed.
Kernel flat_math(const Traffic& traffic, const vector::Phases& code, uint32_t groups);

/// What TRISC1 does to the operands of a page in a section of Dst: its results take the place of the first one.
class PageCode {
 public:
  /// `counter` is a register of the kernel. `groups`: as above. `code` outlives this.
  PageCode(const vector::Phases& code, const DstSection& dst, isa::Reg counter, uint32_t groups);

  /// Of a page's code in L1, but for what goes round it.
  uint32_t words() const;

  /// Once, where nothing else uses MOPs. What the replay buffer holds then stays there if `others` slots of it, behind
  /// its first slots(), are enough for all others.
  void open(Stream& a, uint32_t others = 0);
  /// Tile 0 is selected before; behind, the rows of the last block. Clobbers all registers of the vector unit, t0, and
  /// the replay buffer where it does not keep its code there.
  void compute(Stream& a) const;
  uint32_t slots() const { return plays_ ? length_ : 0; }
  bool stays() const { return stays_; }

 private:
  void record(Stream& a, const vector::Emitted& phase, uint32_t block) const;
  uint32_t groups_of_block() const { return std::min(groups_, code_.groups); }

  const vector::Phases& code_;
  const DstSection dst_;
  const isa::Reg counter_;
  const uint32_t groups_;  // of a page
  const bool plays_;
  const uint32_t length_;  // words of the longest phase, and the step to the next group: one MOP plays them all
  bool stays_ = false;
};

// Common arguments of the reader: of the two words for each operand, the address, and the first page, or the first byte
// if it is repeated; and the last page that there is.
inline constexpr int kFlatLastPage = 8, kFlatOperands = 16, kFlatOperandBytes = 8;

/// NCRISC: page after page of all operands, from the one in argument kArgFirst on, as many as kArgTiles says.
/// `cached_pages`: L1 for a page of each repeated operand. `clamped`: behind the last page it comes again.
Kernel flat_reader(const FlatShape& shape, const arch::FirmwareLayout& layout, uint32_t cached_pages,
                   bool clamped = false);

/// The address words of the operands, where flat_reader() looks for them.
void append_operands(std::vector<uint32_t>& words, const FlatShape& shape, std::span<const FlatView> operands);
/// Throws std::invalid_argument: no elements, no cores, too many operands.
void check(const FlatShape& shape, size_t cores);

}  // namespace kerr::kernels::elementwise
