// Element-wise programs on flat buffers: words of 32 bits one after the other, in pages of 4 KiB round the DRAM banks.
// A page is taken for a tile, since the order inside a tile does not matter. Words go through Dst unchanged, so what
// they mean (floats, integers in two's complement, two numbers of 16 bits) is the business of the vector code.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "arch/firmware_layout.hpp"
#include "arch/grid.hpp"
#include "host/runtime/program/program.hpp"
#include "kernels/vector/phases.hpp"

namespace kerr::kernels {

inline constexpr uint32_t kFlatPageBytes = 4096;
inline constexpr uint32_t kMostFlatOperands = 4;  // what half of Dst holds
/// How datums lie in Dst: Code::load(i, kFlatMode) loads a group of operand i, Code::store(0, value, kFlatMode) stores.
inline constexpr vector::DstMode kFlatMode = vector::DstMode::Int32;

/// Rows of the result of which an operand has only the first elements: element n is column n % padded of row
/// n / padded, and the operand has columns 0 to `columns` - 1 of it, from element `pitch` times the row on. What
/// belongs to the others is zeros, or anything.
struct FlatRows {
  uint32_t columns = 0, padded = 0;  // elements; 0: the result has no rows
  uint32_t pitch = 0;
  bool operator==(const FlatRows&) const = default;
};

/// Which element of an operand belongs to element n of the result: n / run % period. Without a period: n.
struct FlatOperand {
  uint32_t run = 1;
  uint32_t period = 0;  // elements of the operand, or its rows; 0: it is as long as the result
  /// With a period, and a run of 1: begin and bytes of the operand are multiples of kFlatAlignment.
  bool lines = false;
  FlatRows rows = {};  // without a period: as it lies, where the pitch is the padded row, or there is one row
  bool operator==(const FlatOperand&) const = default;
};

struct FlatShape {
  uint32_t element_bytes = 4;  // 2 or 4
  uint32_t elements = 0;       // of the result
  bool shifted = false;        // the result begins inside of a page
  std::vector<FlatOperand> operands;
  uint32_t elements_of_page() const { return kFlatPageBytes / element_bytes; }
  uint32_t pages() const { return (elements + elements_of_page() - 1) / elements_of_page(); }
  /// Groups of 32 words of each page in which something is to be computed; all, unless there is but one page.
  uint32_t groups() const;
};

inline constexpr uint32_t kFlatAlignment = 64;  // bytes, of where a shifted result begins
/// Where an operand or the result is in a launch: from byte `offset` of the buffer at `address` on. The offset is a
/// multiple of kFlatPageBytes; of an operand with a period, one of the element's size; of one of lines and of a shifted
/// result, of kFlatAlignment.
struct FlatView {
  uint32_t address = 0, offset = 0;
};

/// Registers for `code`, whose operands are those of the shape, and which may use so many tiles of Dst. Throws
/// std::length_error: more values at once than registers and Dst hold.
vector::Phases flat_code(const vector::Code& code, const FlatShape& shape, uint32_t tiles = kMostFlatOperands);

/// How many words of TRISC1's code a page takes: phases that the replay buffer does not keep stand there once for each
/// block of groups. A launch has little room: Program's layout, from kernel_config to unreserved, for all harts.
uint32_t flat_code_words(const vector::Phases& code, const FlatShape& shape);

/// The program on the first min(pages, cores.size()) of `cores`. Result page n is read, computed and written by one
/// core, so that the result may be an operand without a period. Exactly the result's bytes are written; operands are
/// read in whole pages. Throws std::invalid_argument: no elements, no cores, too many operands.
host::Program flat_program(const std::string& name, const vector::Phases& code, const FlatShape& shape,
                           const arch::FirmwareLayout& layout, std::span<const arch::NocCoord> cores);
/// Sets what a launch of flat_program()'s program works on: before each one that differs from the last.
void set_flat_views(host::Program& program, const FlatShape& shape, FlatView result,
                    std::span<const FlatView> operands);

}  // namespace kerr::kernels
