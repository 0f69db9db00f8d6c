#include "emu/riscv/floating.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "emu/math/fma.hpp"

namespace kerr::emu {

using isa::riscv::Op;

namespace {

constexpr uint32_t kSign = 0x80000000;
constexpr uint32_t kOne = 0x3F800000;
constexpr uint32_t kInfinity = 0x7F800000;
constexpr uint32_t kNan = 0x7FC00000;

bool is_nan(uint32_t v) { return (v & ~kSign) > kInfinity; }
bool is_zero(uint32_t v) { return (v & ~kSign) == 0; }

// Order of all patterns but NaN, -0 below +0.
int64_t rank(uint32_t v) {
  const int64_t magnitude = v & ~kSign;
  return v & kSign ? -magnitude - 1 : magnitude;
}

uint32_t least(uint32_t a, uint32_t b, bool greatest) {
  if (is_nan(a) && is_nan(b)) return kNan;
  if (is_nan(a)) return b;
  if (is_nan(b)) return a;
  return (rank(a) < rank(b)) != greatest ? a : b;
}

bool equal(uint32_t a, uint32_t b) { return a == b || (is_zero(a) && is_zero(b)); }

// A double holds every FP32 and every integer that is asked for; nearbyint() in the host's default mode rounds ties to
// even.
template <class Integer>
uint32_t to_integer(uint32_t a) {
  using Limits = std::numeric_limits<Integer>;
  if (is_nan(a)) return static_cast<uint32_t>(Limits::max());
  const double value = std::nearbyint(static_cast<double>(std::bit_cast<float>(a)));
  if (value <= static_cast<double>(Limits::min())) return static_cast<uint32_t>(Limits::min());
  if (value >= static_cast<double>(Limits::max())) return static_cast<uint32_t>(Limits::max());
  return static_cast<uint32_t>(static_cast<Integer>(value));
}

uint32_t classify(uint32_t a) {
  const bool negative = a & kSign;
  const uint32_t magnitude = a & ~kSign;
  if (magnitude > kInfinity) return a & 0x00400000 ? 1u << 9 : 1u << 8;
  if (magnitude == kInfinity) return negative ? 1u << 0 : 1u << 7;
  if (magnitude == 0) return negative ? 1u << 3 : 1u << 4;
  if (magnitude < 0x00800000) return negative ? 1u << 2 : 1u << 5;
  return negative ? 1u << 1 : 1u << 6;
}

}  // namespace

// The arithmetic is the vector unit's; a product's addend is the zero of its sign, so that -0 survives.
uint32_t float_result(Op op, uint32_t a, uint32_t b, uint32_t c) {
  switch (op) {
    case Op::FaddS: return math::fma(a, kOne, b);
    case Op::FsubS: return math::fma(a, kOne, b ^ kSign);
    case Op::FmulS: return math::fma(a, b, (a ^ b) & kSign);
    case Op::FmaddS: return math::fma(a, b, c);
    case Op::FmsubS: return math::fma(a, b, c ^ kSign);
    case Op::FnmsubS: return math::fma(a ^ kSign, b, c);
    case Op::FnmaddS: return math::fma(a ^ kSign, b, c ^ kSign);
    case Op::FsgnjS: return (a & ~kSign) | (b & kSign);
    case Op::FsgnjnS: return (a & ~kSign) | (~b & kSign);
    case Op::FsgnjxS: return a ^ (b & kSign);
    case Op::FminS: return least(a, b, false);
    case Op::FmaxS: return least(a, b, true);
    case Op::FeqS: return !is_nan(a) && !is_nan(b) && equal(a, b);
    case Op::FltS: return !is_nan(a) && !is_nan(b) && !equal(a, b) && rank(a) < rank(b);
    case Op::FleS: return !is_nan(a) && !is_nan(b) && (equal(a, b) || rank(a) < rank(b));
    case Op::FcvtWS: return to_integer<int32_t>(a);
    case Op::FcvtWuS: return to_integer<uint32_t>(a);
    case Op::FcvtSW: return std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(a)));
    case Op::FcvtSWu: return std::bit_cast<uint32_t>(static_cast<float>(a));
    case Op::FclassS: return classify(a);
    default: return a;  // fmv.x.w, fmv.w.x
  }
}

bool floating(HartState& hart, HartPort& port, const isa::riscv::Instruction& i) {
  constexpr unsigned kToNearestEven = 0, kDynamic = 7;
  const isa::riscv::Row& row = isa::riscv::row(i.op);
  if (row.kind != isa::riscv::Kind::Float) return port.refuse(i);
  hart.floats_done = true;
  if (i.rm != kToNearestEven && i.rm != kDynamic) {
    return port.stop(
        FaultCategory::Unsupported, hart.pc, fmt::format("Static rounding mode {} of {}.", i.rm, row.text),
        "What silicon does with it is not known (tile.md 1.2); rne (0) and dyn (7) both round to nearest even.");
  }
  const isa::riscv::FloatOperands files = isa::riscv::float_operands(row.format);
  const uint32_t value = float_result(i.op, files.rs1 ? hart.f[i.rs1] : hart.x[i.rs1], hart.f[i.rs2], hart.f[i.rs3]);
  if (files.rd)
    hart.f[i.rd] = value;
  else if (i.rd != 0)
    hart.x[i.rd] = value;
  return true;
}

}  // namespace kerr::emu
