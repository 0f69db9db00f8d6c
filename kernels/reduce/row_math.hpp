// The stream of row programs that is their own.
#pragma once

#include "kernels/elementwise/streams.hpp"
#include "kernels/reduce/rows.hpp"

namespace kerr::kernels::reduce {

/// TRISC1. Result n becomes the first word of row n of each unit's page.
Kernel row_math(const RowShape& shape, const elementwise::Traffic& traffic, const vector::Phases* code);

}  // namespace kerr::kernels::reduce
