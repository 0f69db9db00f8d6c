#include "kernels/matmul/batch.hpp"

#include <array>

#include "kernels/blocks/frame.hpp"

namespace kerr::kernels::matmul {

using namespace isa::reg;

namespace {

// Tiles of A, B and C of one product, in the order of the locals.
std::array<uint32_t, 3> tiles(const MatmulPlan& p) {
  return {p.m_tiles * p.k_tiles, p.k_tiles * p.n_tiles, p.m_tiles * p.n_tiles};
}

}  // namespace

void enter_products(Stream& a, const MatmulPlan& p) {
  if (p.batch() == 1) return enter(a);
  enter(a, 16);
  if (p.multicast()) {
    a.li(t2, p.batch());
    a.li(t1, 0);
  } else {
    a.lw(t2, a0, kArgProducts);
    a.lw(t1, a0, kArgFirst);
  }
  a.sw(t2, sp, kLocalProducts);
  for (int32_t local = kLocalA; const uint32_t count : tiles(p)) {
    a.li(t0, count);
    a.mul(t0, t0, t1);
    a.sw(t0, sp, local);
    local += 4;
  }
}

void next_product(Stream& a, const MatmulPlan& p, isa::Label first) {
  for (int32_t local = kLocalA; const uint32_t count : tiles(p)) {
    a.lw(t1, sp, local);
    add_constant(a, t1, p.groups * count);
    a.sw(t1, sp, local);
    local += 4;
  }
  a.lw(t2, sp, kLocalProducts);
  a.addi(t2, t2, -1);
  a.sw(t2, sp, kLocalProducts);
  a.bnez(t2, first);
}

void add_product(Stream& a, const MatmulPlan& p, isa::Reg tile, int32_t local) {
  if (p.batch() == 1) return;
  a.lw(t1, sp, local);
  a.add(tile, tile, t1);
}

}  // namespace kerr::kernels::matmul
