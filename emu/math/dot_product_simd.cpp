// The vector forms of the dot product, compiled for every instruction set by Highway's foreach_target.
#include "emu/math/dot_product_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/math/dot_product_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "emu/math/dot_product_any-inl.hpp"
#include "emu/math/dot_product_fast-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kerr::emu::math {
namespace HWY_NAMESPACE {

DotKernel MakeDotKernel(const char* name) { return {name, Split, MultiplyFast, MultiplyAny}; }

}  // namespace HWY_NAMESPACE
}  // namespace kerr::emu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "emu/math/kernel_list.hpp"

namespace kerr::emu::math {
std::span<const DotKernel> dot_kernels() {
  static const KernelList<DotKernel> list(KERR_FORMS(MakeDotKernel));
  return list.span();
}

}  // namespace kerr::emu::math
#endif  // HWY_ONCE
