// A compute kernel is compiled three times: for the hart that unpacks, the one that has the units calculate, and the
// one that packs. What only one of them does stands in UNPACK((...)), MATH((...)) or PACK((...)).
#pragma once

#include "device/access.hpp"
#include "device/hart.hpp"

namespace kerr::device {

inline constexpr bool kUnpacks = kHart == arch::Hart::Trisc0;
inline constexpr bool kCalculates = kHart == arch::Hart::Trisc1;
inline constexpr bool kPacks = kHart == arch::Hart::Trisc2;

}  // namespace kerr::device

// The entry, as tt-metal's kernels write it: namespace NAMESPACE { void MAIN { ... } }, or void kernel_main() { ... }.
#define MAIN kernel_main()
#define NAMESPACE kerr_compiled

#define UNPACK(x)
#define MATH(x)
#define PACK(x)
#if KERR_HART == 2
#undef UNPACK
#define UNPACK(x) x
#elif KERR_HART == 3
#undef MATH
#define MATH(x) x
#elif KERR_HART == 4
#undef PACK
#define PACK(x) x
#else
#error "a compute kernel is compiled for TRISC0, TRISC1 and TRISC2: kerr_add_kernel(... HART compute)"
#endif
