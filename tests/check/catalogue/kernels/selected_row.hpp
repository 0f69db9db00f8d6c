// The rows as templates <bool bug>, and the call of the one that the arguments name.
#pragma once

#include "tests/check/catalogue/shared.hpp"

namespace kerr::catalogue {

#define X(number, row, ...) \
  template <bool bug>       \
  [[gnu::noinline]] void row();
#include "tests/check/catalogue/rows.def"

/// `mine`: harts that the caller is compiled for. Only their rows are in the image.
template <uint32_t mine>
void run_row(uint32_t selector) {
  switch (selector) {
#define X(number, row, harts, ...)                      \
  case 2 * number:                                      \
    if constexpr ((mine & (harts)) != 0) row<false>();  \
    break;                                              \
  case 2 * number + 1:                                  \
    if constexpr ((mine & (harts)) != 0) row<true>();   \
    break;
#include "tests/check/catalogue/rows.def"
    default: break;
  }
}

}  // namespace kerr::catalogue
