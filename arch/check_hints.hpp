// What kernels say to the checker (device/check.hpp): comparisons into x0, which the base ISA leaves to custom hints.
// They do nothing, on silicon too.   docs/reference/checker.md
#pragma once

#include <cstdint>

namespace kerr::arch::check_hint {

/// The instruction slti zero, rs1, immediate without its operands.
inline constexpr uint32_t kWord = 0x0000'2013, kMask = 0x0000'7FFF;
/// Immediates: rs1 holds the number of bytes for the next of the others, or the address in L1 of what is a ...
enum Immediate : int32_t { kBytes = 0x3A0, kFlag, kMonotonic, kPrivate };

}  // namespace kerr::arch::check_hint
