#include "emu/tensix/math/dot_product.hpp"

namespace kerr::emu::math {

void dot_product(const FpuMode& mode, SrcBank& a, unsigned row_a, SrcBank& b, unsigned row_b, const DstRows& dst,
                 unsigned rows) {
  dot_product_reference(mode, a, row_a, b, row_b, dst, rows);
}

}  // namespace kerr::emu::math
