// Product after product in one stream.
#pragma once

#include "kernels/blocks/frame.hpp"
#include "kernels/blocks/zone.hpp"
#include "kernels/matmul/streams.hpp"

namespace kerr::kernels::matmul {

// What lies on the stack in streams of batches.
inline constexpr int32_t kLocalProducts = 0;  // those that are left
inline constexpr int32_t kLocalA = 4, kLocalB = 8,
                         kLocalC = 12;  // dataflow: tiles of the tensors before this product's

/// Starts the stream: its frame, and how many products there are. Expects the runtime arguments in a0, clobbers
/// t0 to t2.
void enter_products(Stream& a, const MatmulPlan& p);
/// After a product: which tiles the next one has, and whether there is one. Clobbers t0 to t2.
void next_product(Stream& a, const MatmulPlan& p, isa::Label first);

/// Calls `body` in a loop over the products of this core; without a batch, just so.
template <class Body>
void for_each_product(Stream& a, const MatmulPlan& p, Body&& body) {
  if (p.batch() == 1) return body();
  const auto turns = p.multicast() ? a.turns(p.batch()) : a.turns_argument(kArgProducts);
  const isa::Label first = a.here("product");
  body();
  next_product(a, p, first);
}

/// The kernel of a hart: function `name`, in which `body` emits what is between entering and leaving it.
template <class Body>
Kernel kernel_of_products(const MatmulPlan& p, arch::Hart hart, const char* name, Body&& body) {
  Stream a;
  a.function(name);
  const ZoneMarks zones{p.options.zones, hart};
  enter_products(a, p);
  zones.begin(a, Zone::Kernel);
  body(a);
  zones.end(a, Zone::Kernel);
  return end_kernel(a);
}

/// `tile` += the tiles before this product's. Clobbers t1.
void add_product(Stream& a, const MatmulPlan& p, isa::Reg tile, int32_t local);

}  // namespace kerr::kernels::matmul
