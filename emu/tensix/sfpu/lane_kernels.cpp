// The loops over 32 lanes. They are plain C++: the compiler turns each into vector code for every instruction set of
// Highway's foreach_target; only the multiply-add is written with vectors.
#include "emu/tensix/sfpu/lane_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/tensix/sfpu/lane_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "emu/math/fma-inl.hpp"
#include "emu/tensix/sfpu/lane_functions.hpp"

HWY_BEFORE_NAMESPACE();
namespace kerr::emu::tensix {
namespace HWY_NAMESPACE {

using namespace lane;
using u16 = uint16_t;

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

// Two cells next to each other are one element of these arrays.
#define VALUE(name, expression)
#define CONDITION(name, expression)
#define LOAD(name, cell, expression)                                                                            \
  void name##FromDst(LReg& out, const u16* high_rows, [[maybe_unused]] const u16* low_rows, unsigned shift,     \
                     LaneMask lanes) {                                                                          \
    const u32* high = reinterpret_cast<const u32*>(high_rows);                                                  \
    [[maybe_unused]] const u32* low = reinterpret_cast<const u32*>(low_rows);                                   \
    _Pragma("GCC ivdep") for (unsigned l = 0; l < kLanes; ++l) {                                                \
      const u32 c = (cell);                                                                                     \
      const u32 value = (expression);                                                                           \
      out[l] = lanes & kBits.bit[l] ? value : out[l];                                                           \
    }                                                                                                           \
  }
#define LOAD_16(name, expression) LOAD(name, high[l] >> shift & 0xFFFF, expression)
#define LOAD_32(name, expression) LOAD(name, high[l] >> shift << 16 | (low[l] >> shift & 0xFFFF), expression)
#define STORE_16(name, expression)                                                                              \
  void name##ToDst(u16* high_rows, u16*, const LReg& in_c, unsigned shift, LaneMask lanes) {                    \
    u32* high = reinterpret_cast<u32*>(high_rows);                                                              \
    const u32 others = 0xFFFF0000 >> shift;                                                                     \
    _Pragma("GCC ivdep") for (unsigned l = 0; l < kLanes; ++l) {                                                \
      [[maybe_unused]] const u32 c = in_c[l];                                                                   \
      const u32 value = (expression);                                                                           \
      high[l] = lanes & kBits.bit[l] ? (high[l] & others) | value << shift : high[l];                           \
    }                                                                                                           \
  }
#define STORE_32(name, expression)                                                                              \
  void name##ToDst(u16* high_rows, u16* low_rows, const LReg& in_c, unsigned shift, LaneMask lanes) {           \
    u32 *high = reinterpret_cast<u32*>(high_rows), *low = reinterpret_cast<u32*>(low_rows);                     \
    const u32 others = 0xFFFF0000 >> shift;                                                                     \
    _Pragma("GCC ivdep") for (unsigned l = 0; l < kLanes; ++l) {                                                \
      const u32 c = in_c[l];                                                                                    \
      const u32 value = (expression);                                                                           \
      high[l] = lanes & kBits.bit[l] ? (high[l] & others) | value >> 16 << shift : high[l];                     \
      low[l] = lanes & kBits.bit[l] ? (low[l] & others) | (value & 0xFFFF) << shift : low[l];                   \
    }                                                                                                           \
  }
#include "emu/tensix/sfpu/lane_ops.def"
#undef LOAD

void MultiplyAdd(LReg& d, const LReg& x, const LReg& y, const LReg& z, u32 x_flip, u32 z_flip, LaneMask lanes) {
  const u32* const factors = y.data();
  math::HWY_NAMESPACE::MultiplyAdd(d.data(), x.data(), factors, z.data(), x_flip, z_flip, lanes);
}
void MultiplyAddImmediate(LReg& d, const LReg& x, u32 y, const LReg& z, u32 x_flip, u32 z_flip, LaneMask lanes) {
  math::HWY_NAMESPACE::MultiplyAdd(d.data(), x.data(), y, z.data(), x_flip, z_flip, lanes);
}

LaneKernels Kernels(const char* target) {
  return {target,
#include "emu/tensix/sfpu/lane_tables.def"
          MultiplyAdd,
          MultiplyAddImmediate};
}

}  // namespace HWY_NAMESPACE
}  // namespace kerr::emu::tensix
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "emu/math/kernel_list.hpp"
#include "emu/math/fma.hpp"

namespace kerr::emu::tensix {

// One lane after the other, by the scalar definitions.
namespace definition {

#define VALUE(name, expression)                                                                        \
  void name(LReg& out, const LReg& a, const LReg& b, const LReg& c, uint32_t i, LaneMask lanes) { \
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

#define VALUE(name, expression)
#define CONDITION(name, expression)
#define LOAD(name, cell)                                                                                        \
  void name##FromDst(LReg& out, const uint16_t* high, [[maybe_unused]] const uint16_t* low,           \
                     unsigned shift, LaneMask lanes) {                                                          \
    for (unsigned l = 0; l < kLanes; ++l) {                                                                     \
      const unsigned column = 2 * l + shift / 16;                                                               \
      if (lanes >> l & 1) out[l] = lane_value(LaneValue::name, out[l], 0, 0, cell, 0);                          \
    }                                                                                                           \
  }
#define LOAD_16(name, expression) LOAD(name, high[column])
#define LOAD_32(name, expression) LOAD(name, uint32_t{high[column]} << 16 | low[column])
#define STORE(name, put_high, put_low)                                                                          \
  void name##ToDst(uint16_t* high, [[maybe_unused]] uint16_t* low, const LReg& c, unsigned shift,     \
                   LaneMask lanes) {                                                                            \
    for (unsigned l = 0; l < kLanes; ++l) {                                                                     \
      if (!(lanes >> l & 1)) continue;                                                                          \
      const unsigned column = 2 * l + shift / 16;                                                               \
      const uint32_t value = lane_value(LaneValue::name, 0, 0, 0, c[l], 0);                                \
      high[column] = static_cast<uint16_t>(put_high);                                                      \
      put_low;                                                                                                  \
    }                                                                                                           \
  }
#define STORE_16(name, expression) STORE(name, value, static_cast<void>(0))
#define STORE_32(name, expression) STORE(name, value >> 16, low[column] = static_cast<uint16_t>(value))
#include "emu/tensix/sfpu/lane_ops.def"
#undef LOAD
#undef STORE

void multiply_add(LReg& d, const LReg& x, const LReg& y, const LReg& z, uint32_t x_flip, uint32_t z_flip,
                  LaneMask lanes) {
  for (unsigned l = 0; l < kLanes; ++l) {
    if (lanes >> l & 1) d[l] = math::fma(x[l] ^ x_flip, y[l], z[l] ^ z_flip);
  }
}

void multiply_add_immediate(LReg& d, const LReg& x, uint32_t y, const LReg& z, uint32_t x_flip,
                            uint32_t z_flip, LaneMask lanes) {
  for (unsigned l = 0; l < kLanes; ++l) {
    if (lanes >> l & 1) d[l] = math::fma(x[l] ^ x_flip, y, z[l] ^ z_flip);
  }
}

LaneKernels kernels() {
  return {"definition",
#include "emu/tensix/sfpu/lane_tables.def"
          multiply_add,
          multiply_add_immediate};
}

}  // namespace definition

std::span<const LaneKernels> lane_kernels() {
  static const math::KernelList<LaneKernels> list(KERR_FORMS(Kernels), definition::kernels());
  return list.span();
}

uint32_t lane_value(LaneValue v, uint32_t d, uint32_t a, uint32_t b, uint32_t c,
                         uint32_t i) {
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

bool lane_condition(LaneCondition v, uint32_t b, uint32_t c) {
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
