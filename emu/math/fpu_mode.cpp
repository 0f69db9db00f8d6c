#include "emu/math/fpu_mode.hpp"

namespace kerr::emu::math {
namespace {

constexpr bool is_float(Format f) {
  return is_named(f) && f != Format::Int32 && f != Format::Int16 && f != Format::Int8;
}

// What all arithmetic instructions refuse about their formats; SrcB may also hold opaque 16-bit data read as BF16.
const char* format_refusal(const FpuMode& mode) {
  if (!is_float(mode.src_a)) return "SrcA holds no floating-point format and int8 math is off";
  if (!is_float(mode.src_b) && mode.src_b != Format::Int16)
    return "SrcB holds no floating-point format and int8 math is off";
  if ((style_of(mode.src_a) == Style::Fp16) != (style_of(mode.src_b) == Style::Fp16))
    return "one source has a 5-bit exponent and the other an 8-bit one";
  return nullptr;
}

const char* integer_refusal(const FpuMode& mode) {
  return mode.src_a == Format::Int8 && mode.src_b == Format::Int8 ? nullptr
                                                                  : "int8 math with a source that is not INT8";
}

}  // namespace

const char* unusual_arithmetic_refusal(const FpuMode& mode) {
  return mode.int8_math ? integer_refusal(mode) : format_refusal(mode);
}

}  // namespace kerr::emu::math
