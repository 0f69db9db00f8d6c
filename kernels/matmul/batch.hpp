// Product after product in one stream.
#pragma once

#include "kernels/matmul/streams.hpp"

namespace kerr::kernels::matmul {

// Bytes of the stack, and what lies there in streams of batches.
inline constexpr std::int32_t kLocals = 32;
inline constexpr std::int32_t kLocalProducts = 16;  // those that are left
inline constexpr std::int32_t kLocalA = 20, kLocalB = 24,
                              kLocalC = 28;  // dataflow: tiles of the tensors before this product's

/// Room on the stack, and how many products there are. Expects the runtime arguments in a0, clobbers t0 to t2.
void open_products(Stream& a, const MatmulPlan& p);
void close_products(Stream& a);
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

/// `tile` += the tiles before this product's. Clobbers t1.
void add_product(Stream& a, const MatmulPlan& p, isa::Reg tile, std::int32_t local);

/// A dataflow hart's a0 to a3 as they were when the kernel began. Clobbers t0.
void arguments_again(Stream& a, const arch::FirmwareLayout& layout, arch::Hart hart);

}  // namespace kerr::kernels::matmul
