// What TRISC1 kernels do with the vector unit.   docs/hardware/kernels.md 3.8, 6.2
#pragma once

#include "kernels/stream/stream.hpp"
#include "kernels/vector/emit.hpp"

namespace kerr::kernels {

/// Every lane, predicates on, the constants of vector/. Modifiers 3 and 7 add nothing.
void configure_vector_unit(Caller a);

/// `code` on 32 elements of the selected tile, and on to the next 32.
void compute_group(Caller a, const vector::Emitted& code);
inline constexpr uint32_t kGroupsOfTile = 32;

}  // namespace kerr::kernels
