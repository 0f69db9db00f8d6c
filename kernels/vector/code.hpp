// What the vector unit does to 32 lanes, before registers are chosen: steps on values, each of which is made once.
// docs/hardware/kernels.md 6, tensix-math.md 10
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/vector/dst_access.hpp"

namespace kerr::kernels::vector {

/// 32 lanes of 32 bits.
struct Value {
  uint16_t id = 0xFFFF;
  friend bool operator==(Value, Value) = default;
};

enum class Operation : uint8_t {
  Load,                          // -> lanes of tile `immediate` of the Dst section
  Constant,                      // -> `immediate` in every lane
  Store,                         // a to tile `immediate`
  Mad,                           // +-a * b +- c, as the hardware fuses it
  Move,                          // a, or a with its sign bit flipped
  Abs,                           // a without its sign bit
  IntegerAdd,                    // b + a
  IntegerSub,                    // b - a
  IntegerAddConstant,            // a + immediate (-2048 .. 2047)
  ShiftConstant,                 // a << immediate, or >> if negative
  ShiftRightArithmeticConstant,  // a >> -immediate
  ShiftBy,                       // a << b, or >> -b if b is negative; five bits of the amount count
  ShiftByArithmetic,             // the same, signs come in from the left
  And,
  Or,
  Xor,
  Not,
  MultiplyLow,         // a * b modulo 2^23
  MultiplyHigh,        // the lower 23 bits of a times those of b, over 2^23
  SignMagnitude,       // two's complement to sign and magnitude, and back; 0x80000000 stays
  MagnitudeToFp32,     // sign and magnitude to the nearest number
  ReciprocalEstimate,  // 1/a to seven bits; 0 to infinity, infinity to 0
  RoundToBf16,  // a to the nearest with 7 bits of mantissa, halves away from zero; denormals to +0, NaN to infinity
  Select,       // b where the condition on c and d holds, else a
};

/// What Select tests. On one value as a signed integer, so -0.0 is negative and is not zero; on two by the order of
/// sign and magnitude: -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN.
enum class Test : uint8_t { Negative, NotNegative, Zero, NotZero, Greater, NotGreater };

struct Condition {
  Test test;
  Value left, right{};  // right: of Greater (left > right) and NotGreater
};

struct Step {
  Operation operation;
  bool negate_a = false, negate_c = false;  // Mad; negate_a also Move
  Test test = Test::Negative;               // Select
  Value result;
  std::array<Value, 4> sources;  // a, b, c, d
  int32_t immediate = 0;
  std::optional<DstMode> mode{};  // Load, Store
  uint32_t row = 0;               // Load, Store: of the tile
  uint16_t remark = 0;            // 1 + index into remarks; 0: none
};

/// Built from the first step to the last. No control flow: what depends on data is a Select.
class Code {
 public:
  Code();

  Value zero() const { return {0}; }
  Value one() const { return {1}; }
  Value minus_one() const { return {2}; }
  Value lane() const { return {3}; }  // the lane's number times two, as an integer
  /// Which group of lanes this is: the caller puts it into register kPlaceRegister, the same in every lane.
  Value place() {
    uses_place_ = true;
    return {4};
  }
  bool uses_place() const { return uses_place_; }
  static constexpr uint16_t kFixedValues = 5;
  static constexpr uint32_t kPlaceRegister = 7;

  /// Without a mode: numbers as Dst is said to hold them.
  Value load(uint32_t tile, std::optional<DstMode> mode = {}) {
    return append({.operation = Operation::Load, .immediate = static_cast<int32_t>(tile), .mode = mode});
  }
  void store(uint32_t tile, Value a, std::optional<DstMode> mode = {}) {
    append({.operation = Operation::Store, .sources = {a}, .immediate = static_cast<int32_t>(tile), .mode = mode});
  }
  /// The same at rows behind the tile's first one.
  Value load_row(uint32_t row, DstMode mode) {
    return append({.operation = Operation::Load, .mode = mode, .row = row});
  }
  void store_row(uint32_t row, Value a, DstMode mode) {
    append({.operation = Operation::Store, .sources = {a}, .mode = mode, .row = row});
  }
  /// A step of another code on these sources.
  Value repeat(Step step, const std::array<Value, 4>& sources) {
    step.sources = sources;
    step.remark = 0;
    return append(step);
  }
  Value constant(float value) { return constant_bits(std::bit_cast<uint32_t>(value)); }
  Value constant_bits(uint32_t bits);
  /// The same in a register of its own: the left side of a comparison is none of the fixed values.
  Value loaded_constant(uint32_t bits) {
    return append({.operation = Operation::Constant, .immediate = static_cast<int32_t>(bits)});
  }

  Value mad(Value a, Value b, Value c) { return make(Operation::Mad, {a, b, c}); }  // a * b + c
  Value mad_negative(Value a, Value b, Value c) {                                   // c - a * b
    return append({.operation = Operation::Mad, .negate_a = true, .sources = {a, b, c}});
  }
  Value mad_subtract(Value a, Value b, Value c) {  // a * b - c
    return append({.operation = Operation::Mad, .negate_c = true, .sources = {a, b, c}});
  }
  Value add(Value a, Value b) { return mad(a, one(), b); }
  Value subtract(Value a, Value b) { return mad_subtract(a, one(), b); }
  Value multiply(Value a, Value b) { return mad(a, b, zero()); }
  Value negate(Value a) { return append({.operation = Operation::Move, .negate_a = true, .sources = {a}}); }
  Value abs(Value a) { return make(Operation::Abs, {a}); }
  Value integer_add(Value a, Value b) { return make(Operation::IntegerAdd, {a, b}); }
  Value integer_subtract(Value a, Value b) { return make(Operation::IntegerSub, {b, a}); }  // a - b
  Value integer_add(Value a, int32_t constant) { return make(Operation::IntegerAddConstant, {a}, constant); }
  Value shift_left(Value a, int bits) { return make(Operation::ShiftConstant, {a}, bits); }
  Value shift_right(Value a, int bits) { return make(Operation::ShiftConstant, {a}, -bits); }  // zeros come in
  Value shift_right_arithmetic(Value a, int bits) { return make(Operation::ShiftRightArithmeticConstant, {a}, -bits); }
  Value shift_by(Value a, Value amount) { return make(Operation::ShiftBy, {a, amount}); }
  Value shift_by_arithmetic(Value a, Value amount) { return make(Operation::ShiftByArithmetic, {a, amount}); }
  Value bit_and(Value a, Value b) { return make(Operation::And, {a, b}); }
  Value bit_or(Value a, Value b) { return make(Operation::Or, {a, b}); }
  Value bit_xor(Value a, Value b) { return make(Operation::Xor, {a, b}); }
  Value bit_not(Value a) { return make(Operation::Not, {a}); }
  Value multiply_low(Value a, Value b) { return make(Operation::MultiplyLow, {a, b}); }
  Value multiply_high(Value a, Value b) { return make(Operation::MultiplyHigh, {a, b}); }
  Value sign_magnitude(Value a) { return make(Operation::SignMagnitude, {a}); }
  Value magnitude_to_fp32(Value a) { return make(Operation::MagnitudeToFp32, {a}); }
  Value reciprocal_estimate(Value a) { return make(Operation::ReciprocalEstimate, {a}); }
  Value round_to_bf16(Value a) { return make(Operation::RoundToBf16, {a}); }
  Value select(const Condition& condition, Value then, Value otherwise);

  /// A remark on the next step.
  void remark(std::string_view text);

  const std::vector<Step>& steps() const { return steps_; }
  const std::string& remark_of(const Step& step) const { return remarks_[step.remark]; }
  uint16_t values() const { return next_; }  // ids are below this

 private:
  Value append(Step step);
  Value make(Operation operation, const std::array<Value, 4>& sources, int32_t immediate = 0) {
    return append({.operation = operation, .sources = sources, .immediate = immediate});
  }

  std::vector<Step> steps_;
  std::vector<std::string> remarks_;  // [0] is empty
  uint16_t next_ = kFixedValues;
  uint16_t pending_remark_ = 0;
  bool uses_place_ = false;
};

}  // namespace kerr::kernels::vector
