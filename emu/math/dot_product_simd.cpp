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
#include "emu/math/cpu_targets.hpp"

namespace kerr::emu::math {
namespace {

// Highway could choose at run time itself, but its library would have to be linked for that.
KernelList<DotKernel> find_kernels() {
  KernelList<DotKernel> k;
#if HWY_TARGETS & HWY_AVX3
  k.add(cpu_has_avx512(), N_AVX3::MakeDotKernel, "AVX-512");
#endif
#if HWY_TARGETS & HWY_AVX2
  k.add(cpu_has_avx2(), N_AVX2::MakeDotKernel, "AVX2");
#endif
#if HWY_TARGETS & HWY_SSE4
  k.add(cpu_has_sse4(), N_SSE4::MakeDotKernel, "SSE4");
#endif
  k.add(HWY_STATIC_DISPATCH(MakeDotKernel)("baseline"));
  return k;
}

}  // namespace

std::span<const DotKernel> dot_kernels() {
  static const KernelList<DotKernel> kernels = find_kernels();
  return kernels.span();
}

}  // namespace kerr::emu::math
#endif  // HWY_ONCE
