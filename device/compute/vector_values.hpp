// Vector functions from values, in the words of tt-metal's sfpi. A value is in one of the eight registers of the vector
// unit, which the hart chooses while it runs; there is no compiler behind it that would spill, so more than eight
// values at once stop the kernel.
//
//   vFloat x = dst_reg[0];             // 32 elements: four rows, even or odd columns; [1] the next 32
//   v_if(x < 0.0f) { x = -x; }
//   v_else { x = x * 2.0f + 1.0f; }
//   v_endif;
//   dst_reg[0] = x;
//
// Constants are FP32 numbers; a store to a Dst of 16 bits truncates. Comparisons order -0 before +0, and NaN beyond
// infinity.
#pragma once

#include "device/compute/vector.hpp"

namespace sfpi {

namespace detail {

using kerr::device::issue;
namespace tensix = kerr::tensix;

inline constexpr uint32_t kZero = 9, kOne = 10, kMinusOne = 11, kRegisters = 8;
inline constexpr uint32_t kMode = kerr::device::kDst32 ? 3 : kerr::device::kDstFp16 ? 0 : 2;  // of loads and stores

inline uint32_t free_registers = 0xFF;

// Nothing else can be done on a hart that waits for a value.
[[gnu::noinline]] inline void more_than_eight_vector_values_at_once() {
  for (;;) asm volatile("ebreak");
}

FORCE_INLINE uint32_t take_register() {
  if (free_registers == 0) more_than_eight_vector_values_at_once();
  const uint32_t taken = static_cast<uint32_t>(__builtin_ctz(free_registers));
  free_registers &= free_registers - 1;
  return taken;
}
FORCE_INLINE void give_back(uint32_t taken) {
  if (taken < kRegisters) free_registers |= 1u << taken;
}

FORCE_INLINE void multiply_add(uint32_t to, uint32_t a, uint32_t b, uint32_t c, uint32_t negated) {
  issue(tensix::SFPMAD().instr_mod1(negated).lreg_dest(to).lreg_src_a(a).lreg_src_b(b).lreg_src_c(c));
  TTI_SFPNOP;  // the result comes a cycle late
}

}  // namespace detail

class vFloat {
 public:
  FORCE_INLINE vFloat() : register_(detail::take_register()) {}
  FORCE_INLINE vFloat(float value) : vFloat() {
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    detail::issue(detail::tensix::SFPLOADI().lreg_ind(register_).instr_mod0(8).imm16(bits >> 16));
    detail::issue(detail::tensix::SFPLOADI().lreg_ind(register_).instr_mod0(10).imm16(bits & 0xFFFF));
  }
  FORCE_INLINE vFloat(const vFloat& other) : vFloat() { copy(other, 2); }  // in all lanes
  FORCE_INLINE vFloat(vFloat&& other) : register_(other.register_) { other.register_ = detail::kZero; }
  FORCE_INLINE ~vFloat() { detail::give_back(register_); }

  // In the lanes of the branch that is under way.
  FORCE_INLINE vFloat& operator=(const vFloat& other) {
    copy(other, 0);
    return *this;
  }
  FORCE_INLINE vFloat& operator+=(const vFloat& other) { return *this = *this + other; }
  FORCE_INLINE vFloat& operator-=(const vFloat& other) { return *this = *this - other; }
  FORCE_INLINE vFloat& operator*=(const vFloat& other) { return *this = *this * other; }

  FORCE_INLINE friend vFloat operator+(const vFloat& a, const vFloat& b) { return mad(a, detail::kOne, b, 0); }
  FORCE_INLINE friend vFloat operator-(const vFloat& a, const vFloat& b) { return mad(a, detail::kOne, b, 2); }
  FORCE_INLINE friend vFloat operator*(const vFloat& a, const vFloat& b) {
    vFloat result;
    detail::multiply_add(result.register_, a.register_, b.register_, detail::kZero, 0);
    return result;
  }
  FORCE_INLINE vFloat operator-() const {
    vFloat result;
    result.copy(*this, 1);
    return result;
  }

  FORCE_INLINE uint32_t number() const { return register_; }
  /// A copy in a register of its own, of a value that had none.
  FORCE_INLINE void become(const vFloat& other) {
    register_ = detail::take_register();
    copy(other, 2);
  }
  /// A register that always holds the same.
  FORCE_INLINE static vFloat fixed(uint32_t number) { return vFloat(Fixed{}, number); }

 private:
  struct Fixed {};
  FORCE_INLINE vFloat(Fixed, uint32_t number) : register_(number) {}
  FORCE_INLINE static vFloat mad(const vFloat& a, uint32_t b, const vFloat& c, uint32_t negated) {
    vFloat result;
    detail::multiply_add(result.register_, a.register_, b, c.register_, negated);
    return result;
  }
  FORCE_INLINE void copy(const vFloat& other, uint32_t mode) {
    detail::issue(detail::tensix::SFPMOV().instr_mod1(mode).lreg_dest(register_).lreg_c(other.register_));
  }

  uint32_t register_;
};

#define KERR_FIXED_VALUE(name, number)                                     \
  struct name##Type {                                                      \
    FORCE_INLINE operator vFloat() const { return vFloat::fixed(number); } \
  };                                                                       \
  inline constexpr name##Type name;
KERR_FIXED_VALUE(vConst0, detail::kZero)
KERR_FIXED_VALUE(vConst1, detail::kOne)
KERR_FIXED_VALUE(vConstNeg1, detail::kMinusOne)
#undef KERR_FIXED_VALUE

FORCE_INLINE vFloat abs(const vFloat& x) {
  vFloat result;
  detail::issue(detail::tensix::SFPSETSGN().instr_mod1(1).lreg_dest(result.number()).lreg_c(x.number()));
  return result;
}

/// Lanes where a comparison holds. It lives as long as what is compared.
class vCondition {
 public:
  enum class Test : uint8_t { Greater, NotGreater, Equal, NotEqual };
  FORCE_INLINE vCondition(Test test, const vFloat& left, const vFloat& right)
      : test_(test), copy_(vFloat::fixed(detail::kZero)), left_(left.number()), right_(right.number()) {
    // No register of constants stands on the left, and equality writes to it.
    if (left_ >= detail::kRegisters || test == Test::Equal || test == Test::NotEqual) {
      copy_.become(left);
      left_ = copy_.number();
    }
  }

  /// Disables the lanes where it does not hold.
  FORCE_INLINE void apply() const {
    using namespace detail;
    switch (test_) {
      case Test::Greater: return issue(tensix::SFPGT().instr_mod1(1).lreg_dest(left_).lreg_c(right_));
      case Test::NotGreater: return issue(tensix::SFPLE().instr_mod1(1).lreg_dest(left_).lreg_c(right_));
      case Test::Equal:
      case Test::NotEqual:
        issue(tensix::SFPXOR().lreg_dest(left_).lreg_c(right_));
        return issue(tensix::SFPSETCC().instr_mod1(test_ == Test::Equal ? 6 : 2).lreg_c(left_));
    }
  }

 private:
  Test test_;
  vFloat copy_;
  uint32_t left_, right_;
};

#define KERR_COMPARISON(symbol, test, left, right)                            \
  FORCE_INLINE vCondition operator symbol(const vFloat& a, const vFloat& b) { \
    return {vCondition::Test::test, left, right};                             \
  }
KERR_COMPARISON(>, Greater, a, b)
KERR_COMPARISON(<, Greater, b, a)
KERR_COMPARISON(<=, NotGreater, a, b)
KERR_COMPARISON(>=, NotGreater, b, a)
KERR_COMPARISON(==, Equal, a, b)
KERR_COMPARISON(!=, NotEqual, a, b)
#undef KERR_COMPARISON

/// Enabled lanes, from v_if to v_endif.
class Branch {
 public:
  FORCE_INLINE void begin(const vCondition& condition) {
    detail::issue(detail::tensix::SFPPUSHC());
    ++pushed_;
    condition.apply();
  }
  FORCE_INLINE void other() { detail::issue(detail::tensix::SFPCOMPC()); }
  FORCE_INLINE ~Branch() {
    for (; pushed_ != 0; --pushed_) detail::issue(detail::tensix::SFPPOPC());
  }

 private:
  uint32_t pushed_ = 0;
};

/// Elements of Dst, 32 at a time, from where the vector unit is.
class DstElements {
 public:
  FORCE_INLINE explicit constexpr DstElements(uint32_t group) : row_(2 * group) {}
  FORCE_INLINE operator vFloat() const {
    vFloat value;
    kerr::device::issue_word(access(kerr::tensix::SFPLOAD{}.word(), value));
    return value;
  }
  FORCE_INLINE const DstElements& operator=(const vFloat& value) const {
    kerr::device::issue_word(access(kerr::tensix::SFPSTORE{}.word(), value));
    return *this;
  }
  FORCE_INLINE const DstElements& operator=(const DstElements& other) const { return *this = vFloat(other); }
  FORCE_INLINE friend vFloat operator+(const DstElements& a, const vFloat& b) { return vFloat(a) + b; }
  FORCE_INLINE friend vFloat operator*(const DstElements& a, const vFloat& b) { return vFloat(a) * b; }
  FORCE_INLINE friend vFloat operator-(const DstElements& a, const vFloat& b) { return vFloat(a) - b; }

 private:
  FORCE_INLINE uint32_t access(uint32_t word, const vFloat& value) const {
    return word | value.number() << 20 | detail::kMode << 16 | 7u << 13 | row_;
  }
  uint32_t row_;
};
struct DstRegister {
  FORCE_INLINE constexpr DstElements operator[](uint32_t group) const { return DstElements(group); }
  /// On to the next 32.
  FORCE_INLINE void operator++(int) const { kerr::device::issue(kerr::tensix::INCRWC().rwc_d(2)); }
  FORCE_INLINE void operator++() const { (*this)++; }
};
inline constexpr DstRegister dst_reg;

}  // namespace sfpi

#define v_if(condition)       \
  {                           \
    sfpi::Branch kerr_branch; \
    kerr_branch.begin(condition);
#define v_elseif(condition) \
  kerr_branch.other();      \
  kerr_branch.begin(condition);
#define v_else kerr_branch.other();
#define v_endif }

namespace kerr::device {

/// Calls `face` for each face in the mask, with the vector unit at its first row.
template <class Face>
FORCE_INLINE void vector_faces(uint32_t row, uint32_t faces, Face&& face) {
  if constexpr (!kCalculates) return;
  push(math_state.half + row);
  stall_wait(stall::kSfpu, until::kMath);
  for (uint32_t i = 0; i < kFaces; ++i, faces >>= 1) {
    if ((faces & 1) != 0) face();
    step_dst(8);
    step_dst(8);
  }
  reset_counters(kDstCounter);
  stall_wait(stall::kMath, until::kSfpu);
}

}  // namespace kerr::device

// tt-metal's wrappers: a function of 256 elements, 32 at a time by dst_reg[0] to [7] or dst_reg++, for the faces of a
// tile. That of two tiles gets their numbers: a tile has 32 groups.
template <bool = false, class Function, class... Arguments>
FORCE_INLINE void _llk_math_eltwise_unary_sfpu_params_(Function&& function, uint32_t tile, int vector_mode,
                                                       Arguments... arguments) {
  kerr::device::check_dst_tile(tile);
  kerr::device::vector_faces(kerr::device::kTileRows * tile, kerr::device::faces_of(vector_mode),
                             [&] { function(arguments...); });
}
template <bool = false, class Function, class... Arguments>
FORCE_INLINE void _llk_math_eltwise_binary_sfpu_params_(Function&& function, uint32_t tile0, uint32_t tile1,
                                                        uint32_t to, int vector_mode, Arguments... arguments) {
  kerr::device::vector_faces(0, kerr::device::faces_of(vector_mode), [&] { function(tile0, tile1, to, arguments...); });
}

using sfpi::dst_reg;
using sfpi::vFloat;
