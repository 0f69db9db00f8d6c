// The loops over 32 lanes. They are plain C++: the compiler turns each into vector code for every instruction set of
// Highway's foreach_target; only the multiply-add is written with vectors.
#include "emu/tensix/sfpu/lane_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/tensix/sfpu/lane_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "emu/tensix/math/fma-inl.hpp"
#include "emu/tensix/sfpu/lane_functions.hpp"

HWY_BEFORE_NAMESPACE();
namespace kerr::emu::tensix {
namespace HWY_NAMESPACE {

using namespace lane;

// Bit l, as an array so that a loop over lanes needs no shift by a variable amount.
constexpr struct LaneBits {
  alignas(64) u32 bit[kLanes];
  constexpr LaneBits() : bit{} {
    for (unsigned l = 0; l < kLanes; ++l) bit[l] = 1u << l;
  }
} kBits;

// A lane reads only its own elements, so the destination may be one of the sources: no dependence between iterations.
#define VALUE(name, expression)                                                                                        \
  void name(LReg& out, const LReg& in_a, const LReg& in_b, const LReg& in_c, [[maybe_unused]] u32 i, LaneMask lanes) { \
    _Pragma("GCC ivdep") for (unsigned l = 0; l < kLanes; ++l) {                                                       \
      [[maybe_unused]] const u32 a = in_a[l], b = in_b[l], c = in_c[l], d = out[l];                                    \
      const u32 value = (expression);                                                                                  \
      out[l] = lanes & kBits.bit[l] ? value : d;                                                                       \
    }                                                                                                                  \
  }
#define CONDITION(name, expression)                        \
  LaneMask name(const LReg& in_b, const LReg& in_c) {      \
    LaneMask result = 0;                                   \
    for (unsigned l = 0; l < kLanes; ++l) {                \
      [[maybe_unused]] const u32 b = in_b[l], c = in_c[l]; \
      result |= (expression) ? kBits.bit[l] : 0;           \
    }                                                      \
    return result;                                         \
  }
#include "emu/tensix/sfpu/lane_ops.def"

void MultiplyAdd(LReg& d, const LReg& x, const LReg& y, const LReg& z, u32 x_flip, u32 z_flip, LaneMask lanes) {
  math::HWY_NAMESPACE::MultiplyAdd(d.data(), x.data(), y.data(), z.data(), x_flip, z_flip, lanes);
}

LaneKernels Kernels(const char* target) {
  return {target,
          {
#define VALUE(name, expression) name,
#define CONDITION(name, expression)
#include "emu/tensix/sfpu/lane_ops.def"
          },
          {
#define VALUE(name, expression)
#define CONDITION(name, expression) name,
#include "emu/tensix/sfpu/lane_ops.def"
          },
          MultiplyAdd};
}

}  // namespace HWY_NAMESPACE
}  // namespace kerr::emu::tensix
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "emu/tensix/math/cpu_targets.hpp"
#include "emu/tensix/math/fma.hpp"

namespace kerr::emu::tensix {

// One lane after the other, by the scalar definitions.
namespace definition {

#define VALUE(name, expression)                                                                        \
  void name(LReg& out, const LReg& a, const LReg& b, const LReg& c, std::uint32_t i, LaneMask lanes) { \
    for (unsigned l = 0; l < kLanes; ++l) {                                                            \
      if (lanes >> l & 1) out[l] = lane_value(LaneValue::name, out[l], a[l], b[l], c[l], i);           \
    }                                                                                                  \
  }
#define CONDITION(name, expression)                                                                                 \
  LaneMask name(const LReg& b, const LReg& c) {                                                                     \
    LaneMask result = 0;                                                                                            \
    for (unsigned l = 0; l < kLanes; ++l) result |= LaneMask{lane_condition(LaneCondition::name, b[l], c[l])} << l; \
    return result;                                                                                                  \
  }
#include "emu/tensix/sfpu/lane_ops.def"

void multiply_add(LReg& d, const LReg& x, const LReg& y, const LReg& z, std::uint32_t x_flip, std::uint32_t z_flip,
                  LaneMask lanes) {
  for (unsigned l = 0; l < kLanes; ++l) {
    if (lanes >> l & 1) d[l] = math::fma(x[l] ^ x_flip, y[l], z[l] ^ z_flip);
  }
}

LaneKernels kernels() {
  return {"definition",
          {
#define VALUE(name, expression) name,
#define CONDITION(name, expression)
#include "emu/tensix/sfpu/lane_ops.def"
          },
          {
#define VALUE(name, expression)
#define CONDITION(name, expression) name,
#include "emu/tensix/sfpu/lane_ops.def"
          },
          multiply_add};
}

}  // namespace definition

namespace {

math::KernelList<LaneKernels> find_kernels() {
  math::KernelList<LaneKernels> list;
  if (math::kDefinitionsOnly) {
    list.add(true, definition::kernels());
    return list;
  }
#if HWY_TARGETS & HWY_AVX3
  list.add(math::cpu_has_avx512(), N_AVX3::Kernels("AVX-512"));
#endif
#if HWY_TARGETS & HWY_AVX2
  list.add(math::cpu_has_avx2(), N_AVX2::Kernels("AVX2"));
#endif
#if HWY_TARGETS & HWY_SSE4
  list.add(math::cpu_has_sse4(), N_SSE4::Kernels("SSE4"));
#endif
  list.add(true, HWY_STATIC_DISPATCH(Kernels)("baseline"));
  return list;
}

}  // namespace

std::span<const LaneKernels> lane_kernels() {
  static const math::KernelList<LaneKernels> list = find_kernels();
  return list.span();
}

std::uint32_t lane_value(LaneValue v, std::uint32_t d, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                         std::uint32_t i) {
  using namespace lane;
  switch (v) {
#define VALUE(name, expression) \
  case LaneValue::name:         \
    return (expression);
#define CONDITION(name, expression)
#include "emu/tensix/sfpu/lane_ops.def"
    case LaneValue::kCount: break;
  }
  return 0;
}

bool lane_condition(LaneCondition v, std::uint32_t b, std::uint32_t c) {
  using namespace lane;
  const bool holds[] = {
#define VALUE(name, expression)
#define CONDITION(name, expression) (expression),
#include "emu/tensix/sfpu/lane_ops.def"
  };
  return holds[static_cast<unsigned>(v)];
}

}  // namespace kerr::emu::tensix
#endif  // HWY_ONCE
