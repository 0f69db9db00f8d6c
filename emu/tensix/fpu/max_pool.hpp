// The arithmetic of GMPOOL: the largest datum of a column, scaled, with its index.   docs/hardware/tensix-math.md 6
#pragma once

#include <cstdint>

#include "emu/math/formats.hpp"
#include "emu/math/fpu_mode.hpp"

namespace kerr::emu::tensix {

/// How GMPOOL reads SrcA and Dst. `dst` is the style of the value; with `index` the place of the largest datum goes
/// into the low bits, or is all of the result when `dst` is Int32.
struct MaxPoolMode {
  enum class Source : uint8_t { Bf16, Fp16, Tf32, Int8 };
  enum class Target : uint8_t { Bf16, Fp16, Tf32, Int32 };

  Source source;
  Target target;
  bool wide;  // Dst is read and written through its 32-bit view
  bool index;
};

/// A sentence why GMPOOL has no known result in this mode, or nullptr and `out` is set. `index`: max_pool_index_en.
const char* choose_max_pool_mode(const math::FpuMode& mode, bool index, MaxPoolMode& out);

/// One column. `dst` is what the first row of Dst holds, as raw (shuffled) cells: the 32-bit view, or the 16-bit view
/// in bits 31:16. `a`: sixteen cells of SrcA; `b`: the SrcB cell that scales each of them (by its exponent alone; an
/// exponent of 0 takes the datum out of the running). Returns the new raw cells in the same form.
uint32_t max_pool(const MaxPoolMode& mode, uint32_t dst, const math::Cell (&a)[16], const math::Cell (&b)[16]);

}  // namespace kerr::emu::tensix
