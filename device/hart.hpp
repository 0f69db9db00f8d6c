// Which hart this kernel is compiled for, and the words that tt-metal's kernels put before declarations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/firmware_layout.hpp"
#include "arch/kernel_abi.hpp"

#if !defined(KERR_HART)
#error "compile kernels with kerr_add_kernel of CMake, which says for which hart (docs/guide/kernels-in-cpp.md)"
#endif

using uint = unsigned int;  // as newlib has it, for kernels of tt-metal

#define FORCE_INLINE inline __attribute__((always_inline))
#define ALWI inline __attribute__((always_inline))
#define tt_l1_ptr
#define tt_reg_ptr

namespace kerr::device {

inline constexpr arch::Hart kHart = static_cast<arch::Hart>(KERR_HART);
inline constexpr arch::FirmwareLayout kLayout = arch::kFwB;
// Items behind the bank tables are where kEntry or kBoard say: their place depends on the board.
inline constexpr arch::KernelAbi kAbi = arch::kernel_abi(kLayout, kHart);

inline constexpr bool kMovesData = kHart == arch::Hart::Brisc || kHart == arch::Hart::Ncrisc;

}  // namespace kerr::device
