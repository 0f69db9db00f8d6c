// Code of the vector unit for expressions. The same ones come again: for other sizes, and for each number that a
// program's variables have.
#pragma once

#include "kernels/elementwise/flat.hpp"
#include "kernels/vector/code.hpp"

namespace kerr::loops::tiles {

/// As kernels::flat_code(), which takes milliseconds for long code: what it made last is kept. Thread-safe.
kernels::vector::Phases vector_code(const kernels::vector::Code& code, const kernels::FlatShape& shape, uint32_t tiles);

}  // namespace kerr::loops::tiles
