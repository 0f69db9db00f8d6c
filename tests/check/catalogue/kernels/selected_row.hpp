// The rows as templates <bool bug>, and the call of the one that the arguments name.
#pragma once

#include "tests/check/catalogue/shared.hpp"

namespace kerr::catalogue {

#define X(number, file, row, ...) \
  template <bool bug>             \
  [[gnu::noinline]] void row();
#include "tests/check/catalogue/rows.def"

enum class File : uint8_t { Transfers, Signals, Misuse, Buffers, Coprocessor };

/// Rows of other files and harts are not in the image.
template <File here, uint32_t mine>
inline void run_row(uint32_t selector) {
  switch (selector) {
#define X(number, file, row, harts, ...)                                     \
  case 2 * number:                                                           \
    if constexpr (here == File::file && (mine & (harts)) != 0) row<false>(); \
    break;                                                                   \
  case 2 * number + 1:                                                       \
    if constexpr (here == File::file && (mine & (harts)) != 0) row<true>();  \
    break;
#include "tests/check/catalogue/rows.def"
    default: break;
  }
}

}  // namespace kerr::catalogue
