// The unpackers' conversions in vector form, one for each instruction set that this build and this CPU have. What they
// compute is defined by unpack_to_src().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "emu/math/unpack_convert.hpp"

namespace kerr::emu::math {

/// Converts `groups` times sixteen datums from the start of `data`; `exponents` holds a byte a group, and is read only
/// if the format shares exponents.
using UnpackFunction = void (*)(const uint8_t* data, const uint8_t* exponents, size_t groups, Cell* out);

struct UnpackKernels {
  const char* name;
  /// nullptr: there is no vector form. `f` must not be refused for SrcA.
  UnpackFunction (*find)(const UnpackFormat& f);
};

/// Fastest first, never empty.
std::span<const UnpackKernels> unpack_kernels();

}  // namespace kerr::emu::math
