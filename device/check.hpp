// What a kernel says to the checker of its memory in L1, from then on: each call is two instructions that do nothing,
// on silicon too.   docs/reference/checker.md
//
//     check_is_monotonic(get_arg_val<uint32_t>(3));  // a counter that this hart only looks at
#pragma once

#include "device/hart.hpp"
#include "isa/hints.hpp"

namespace kerr::device {

namespace detail {
template <isa::hint::Check what>
FORCE_INLINE void hint(uint32_t value) {
  asm volatile("slti zero, %0, %1" : : "r"(value), "i"(what) : "memory");
}
template <isa::hint::Check what>
FORCE_INLINE void check_is(uint32_t address, uint32_t bytes) {
  hint<isa::hint::kBytes>(bytes);
  hint<what>(address);
}
}  // namespace detail

/// Words by which agents tell each other something.
FORCE_INLINE void check_is_flag(uint32_t address, uint32_t bytes = 4) {
  detail::check_is<isa::hint::kFlag>(address, bytes);
}
/// Words that only grow, of which a newer value is as good.
FORCE_INLINE void check_is_monotonic(uint32_t address, uint32_t bytes = 4) {
  detail::check_is<isa::hint::kMonotonic>(address, bytes);
}
/// Bytes of one agent alone, however it looks.
FORCE_INLINE void check_is_private(uint32_t address, uint32_t bytes) {
  detail::check_is<isa::hint::kPrivate>(address, bytes);
}

}  // namespace kerr::device
