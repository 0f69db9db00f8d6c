// Each routine on a hart against the definition.
#include "loops/scalar/routines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "loops/arithmetic.hpp"
#include "loops/functions.hpp"
#include "tests/emu/riscv/lone_hart.hpp"

namespace kerr::loops::scalar {
namespace {

using namespace isa::reg;

// What a row of routines.def says.
struct Row {
  Routine routine;
  bool conversion;
  Verb verb;      // of arithmetic
  Type to, from;  // of arithmetic both are its type
};
constexpr Row kRows[] = {
#define ARITHMETIC(routine, verb, type) {Routine::routine, false, Verb::verb, Type::type, Type::type},
#define CONVERSION(routine, to, from) {Routine::routine, true, Verb::Cast, Type::to, Type::from},
#define INTERNAL(routine)
#include "loops/scalar/routines.def"
};

size_t operands(const Row& row) { return row.conversion ? 1 : operation(row.verb).operands; }
bool is_pair(Type type) { return info(type).bytes == 8; }
Type result_type(const Row& row) { return row.verb == Verb::Cmplt || row.verb == Verb::Cmpeq ? Type::Bool : row.to; }

using Inputs = std::array<uint64_t, 2>;

uint64_t defined(const Row& row, const Inputs& inputs) {
  if (row.conversion) return convert(row.to, row.from, inputs[0]);
  if (row.to == Type::F64 && row.verb == Verb::Exp2) return exp2_f64(inputs[0]);
  if (row.to == Type::F64 && row.verb == Verb::Log2) return log2_f64(inputs[0]);
  if (row.to == Type::F64 && row.verb == Verb::Sin) return sin_f64(inputs[0]);
  return compute(row.verb, row.to, std::span(inputs).first(operands(row)));
}

struct Outcome {
  uint64_t result;
  uint32_t instructions;  // from the first to the one that returns
};

// A hart that calls one routine for each element of an array in L1. All that a routine may change holds ones before the
// call; what it must keep is looked at in the end.
class Caller {
 public:
  explicit Caller(const Row& row) : row_(row) {
    isa::Assembler a;
    Routines routines(a);
    const isa::Label next = a.label(), check = a.label(), end = a.label();
    a.li(s0, kElements);
    a.li(s1, 0);
    a.li(sp, kStack);
    for (const isa::Reg kept : kKept) a.li(kept, kPattern + kept.number);
    for (const isa::FReg kept : kKeptFloats) {
      a.li(t0, kPattern + kept.number);
      a.fmv_w_x(kept, t0);
    }
    a.bind(next);
    a.lw(t0, zero, kCount);
    a.bgeu(s1, t0, check);
    for (const isa::Reg scratch : {a4, a5, a6, a7, t0, t1, t2, t3, t4, t5, t6}) a.li(scratch, -1);
    a.fmv_w_x(ft0, t0);
    a.fmv_w_x(ft1, t0);
    a.lw(a0, s0, 0);
    a.lw(a1, s0, 4);
    a.lw(a2, s0, 8);
    a.lw(a3, s0, 12);
    a.csrr(s2, isa::csr::kMinstret);
    a.call(routines.of(row.routine));
    a.csrr(t0, isa::csr::kMinstret);
    a.sub(t0, t0, s2);
    a.sw(a0, s0, 16);
    a.sw(a1, s0, 20);
    a.sw(t0, s0, 24);
    a.addi(s0, s0, kStride);
    a.addi(s1, s1, 1);
    a.j(next);
    a.bind(check);
    a.li(a0, 1);
    const auto compare = [&](isa::Reg value, int64_t expected) {
      a.li(t0, expected);
      a.xor_(t0, t0, value);
      a.seqz(t0, t0);
      a.and_(a0, a0, t0);
    };
    compare(sp, kStack);
    for (const isa::Reg kept : kKept) compare(kept, kPattern + kept.number);
    for (const isa::FReg kept : kKeptFloats) {
      a.fmv_x_w(t1, kept);
      compare(t1, kPattern + kept.number);
    }
    a.sw(a0, zero, kIntact);
    a.bind(end);
    a.j(end);
    routines.emit();
    code_ = a.finish(kCode);
  }

  std::vector<Outcome> run(std::span<const Inputs> inputs) {
    emu::LoneHart lone;
    std::memcpy(lone.l1.data() + kCode, code_.bytes.data(), code_.bytes.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      uint32_t at = element(i);
      for (size_t k = 0; k < operands(row_); ++k) {
        lone.l1.store<uint32_t>(at, static_cast<uint32_t>(inputs[i][k]));
        at += 4;
        if (!is_pair(row_.from)) continue;
        lone.l1.store<uint32_t>(at, static_cast<uint32_t>(inputs[i][k] >> 32));
        at += 4;
      }
    }
    lone.l1.store<uint32_t>(kCount, static_cast<uint32_t>(inputs.size()));
    lone.hart.release_reset(kCode, 0, false);
    for (emu::Cycle end = 0; lone.hart.state().running() && end < kLimit;) lone.run(end += 100000);
    EXPECT_FALSE(lone.faults.any()) << lone.hart.describe();
    EXPECT_EQ(lone.l1.load<uint32_t>(kIntact), 1u) << name(row_.routine) << " changes a register that it must keep";
    std::vector<Outcome> outcomes;
    for (size_t i = 0; i < inputs.size(); ++i) {
      uint64_t result = lone.l1.load<uint32_t>(element(i) + 16);
      if (is_pair(result_type(row_))) result |= uint64_t{lone.l1.load<uint32_t>(element(i) + 20)} << 32;
      outcomes.push_back({result, lone.l1.load<uint32_t>(element(i) + 24) - 2});  // less csrr and call
    }
    return outcomes;
  }

 private:
  static constexpr uint32_t kCount = 0x100, kIntact = 0x104, kCode = 0x1000, kStack = 0x8000, kElements = 0x8000,
                            kStride = 28;
  static constexpr emu::Cycle kLimit = 1000000000;
  static constexpr int64_t kPattern = 0x5A5A0000;
  static constexpr std::array kKept = {gp, tp, s3, s4, s5, s6, s7, s8, s9, s10, s11};
  static constexpr std::array kKeptFloats = {fs0, fs1, fs2,  fs3,  fs4, fs5, fs6, fs7,
                                             fs8, fs9, fs10, fs11, fa0, fa7, ft8, ft11};
  static uint32_t element(size_t i) { return kElements + kStride * static_cast<uint32_t>(i); }

  Row row_;
  isa::Code code_;
};

// Bits of the type at which something changes.
std::vector<uint64_t> edges(Type type) {
  std::vector<uint64_t> found;
  const unsigned bits = 8u * info(type).bytes;
  const uint64_t mask = ~0ull >> (64 - bits), sign = 1ull << (bits - 1);
  const auto add = [&](uint64_t value) {
    for (const uint64_t near : {value - 1, value, value + 1}) {
      found.push_back(near & mask);
      found.push_back((near ^ sign) & mask);
    }
  };
  if (!info(type).is_float) {
    for (const unsigned bit : {0u, 1u, 7u, 8u, 15u, 16u, 23u, 24u, 25u, 31u, 32u, 33u, 52u, 53u, 54u, 62u, 63u}) {
      if (bit < bits) add(1ull << bit);
    }
    for (const uint64_t value : {0ull, 10ull, 64ull, 0x12345678ull, 0x5555555555555555ull, 0x1FFFFFF8000000ull})
      add(value);
    return found;
  }
  const unsigned fraction = type == Type::F64 ? 52 : type == Type::F16 ? 10 : type == Type::Bf16 ? 7 : 23;
  const int bias = (1 << (bits - fraction - 2)) - 1, last = 2 * bias + 1;
  const auto exponent = [&](int field) { return static_cast<uint64_t>(field) << fraction; };
  for (const int field :
       {0,         1,         2,          bias - 150, bias - 149, bias - 127, bias - 126, bias - 32, bias - 25,
        bias - 24, bias - 14, bias - 1,   bias,       bias + 1,   bias + 7,   bias + 8,   bias + 15, bias + 22,
        bias + 23, bias + 24, bias + 30,  bias + 31,  bias + 32,  bias + 51,  bias + 52,  bias + 53, bias + 62,
        bias + 63, bias + 64, bias + 126, bias + 127, bias + 128, last - 1,   last}) {
    if (field >= 0 && field <= last) add(exponent(field));
  }
  for (const uint64_t numerator : {3ull, 5ull, 7ull}) add(exponent(bias + 1) | numerator << (fraction - 3));
  add(exponent(bias) | ((1ull << fraction) - 2));
  add(exponent(last) | 1ull << (fraction - 1));                 // quiet NaN
  add(exponent(bias) | 0x6A09E667F3BCDull >> (52 - fraction));  // square root of 2
  return found;
}

// Half of the bits of a type, exponents near each other, long runs of equal bits, and small numbers.
class Draw {
 public:
  explicit Draw(Type type) : type_(type), bits_(8u * info(type).bytes) {}

  uint64_t operator()() {
    const uint64_t any = random_();
    const uint64_t mask = ~0ull >> (64 - bits_);
    const unsigned shift = random_() % 64;
    switch (random_() % 4) {
      case 0: return any & mask;
      case 1: return (info(type_).is_float ? ordinary() : any >> shift) & mask;
      case 2:
        return (info(type_).is_float ? ordinary() & ~((1ull << random_() % bits_) - 1) : 0 - (any >> shift)) & mask;
      default: return (any >> shift << random_() % 64 ^ (random_() % 2 ? ~0ull : 0)) & mask;
    }
  }
  /// A float from 2^-9 to 2^9, an integer of any length.
  uint64_t ordinary() {
    const uint64_t any = random_();
    const uint64_t mask = ~0ull >> (64 - bits_);
    if (!info(type_).is_float) return any >> (random_() % bits_ + 64 - bits_) & mask;
    const unsigned fraction = type_ == Type::F64 ? 52 : type_ == Type::F16 ? 10 : type_ == Type::Bf16 ? 7 : 23;
    const uint64_t bias = (1ull << (bits_ - fraction - 2)) - 1;
    return (any & ((1ull << fraction) - 1)) | (bias - 9 + random_() % 18) << fraction | (any >> 63) << (bits_ - 1);
  }

 private:
  Type type_;
  unsigned bits_;
  std::mt19937_64 random_{1};
};

std::vector<Inputs> cases_of(const Row& row) {
  std::vector<Inputs> cases;
  const std::vector<uint64_t> some = edges(row.from);
  std::vector<uint64_t> others = operands(row) == 2 ? some : std::vector<uint64_t>{0};
  const bool shift = row.verb == Verb::Shl || row.verb == Verb::Shr;
  if (shift) {
    others.clear();
    for (uint64_t count = 0; count < 70; ++count) others.push_back(count);
    for (const uint64_t count : {128ull, 0xFFFFFFFFull, 1ull << 32, 1ull << 63, ~0ull}) others.push_back(count);
  }
  for (const uint64_t a : some) {
    for (const uint64_t b : others) cases.push_back({a, b});
  }
  Draw draw(row.from);
  for (int i = 0; i < 40000; ++i) {
    const uint64_t a = draw(), b = draw();
    cases.push_back({a, shift ? b % 80 : b});
    if (operands(row) == 2) cases.push_back({a, i % 2 ? a + draw() % 3 : a ^ (draw() & 0xFF)});
  }
  const uint64_t mask = ~0ull >> (64 - 8u * info(row.from).bytes);
  for (Inputs& inputs : cases) {
    for (uint64_t& input : inputs) input &= mask;
  }
  return cases;
}

class RoutineTest : public testing::TestWithParam<Row> {};

TEST_P(RoutineTest, GivesTheBitsOfTheDefinitionAndKeepsWhatCallersRelyOn) {
  constexpr size_t kAtOnce = 50000;  // that fit L1
  const Row row = GetParam();
  Caller caller(row);
  const std::vector<Inputs> cases = cases_of(row);
  size_t wrong = 0;
  for (size_t from = 0; from < cases.size(); from += kAtOnce) {
    const auto part = std::span(cases).subspan(from, std::min(kAtOnce, cases.size() - from));
    const std::vector<Outcome> outcomes = caller.run(part);
    for (size_t i = 0; i < part.size(); ++i) {
      const uint64_t expected = defined(row, part[i]);
      if (outcomes[i].result == expected || ++wrong > 10) continue;
      ADD_FAILURE() << name(row.routine) << std::hex << " of " << part[i][0] << ", " << part[i][1] << " is "
                    << outcomes[i].result << " and should be " << expected;
    }
  }
  EXPECT_EQ(wrong, 0u) << "of " << cases.size();
}

INSTANTIATE_TEST_SUITE_P(Each, RoutineTest, testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(name(row.param.routine)); });

// Instructions of a call with ordinary operands: in the mean, and at most.
struct Cost {
  Routine routine;
  uint32_t mean, most;
};
constexpr Cost kCosts[] = {
    {Routine::DivF32, 46, 46},    {Routine::SqrtF32, 53, 54},   {Routine::TruncF32, 9, 10},
    {Routine::Exp2F32, 44, 51},   {Routine::Log2F32, 81, 82},   {Routine::SinF32, 96, 100},
    {Routine::F32ToI32, 11, 15},  {Routine::F32ToU32, 10, 14},  {Routine::F32ToI64, 15, 23},
    {Routine::F32ToU64, 11, 18},  {Routine::I64ToF32, 22, 31},  {Routine::U64ToF32, 15, 24},
    {Routine::F16ToF32, 12, 12},  {Routine::F32ToF16, 19, 19},  {Routine::Bf16ToF32, 2, 2},
    {Routine::F32ToBf16, 13, 13}, {Routine::MulI64, 7, 7},      {Routine::DivI64, 68, 100},
    {Routine::DivU64, 42, 75},    {Routine::ModI64, 67, 98},    {Routine::ModU64, 47, 80},
    {Routine::ShlI64, 6, 10},     {Routine::ShrI64, 6, 10},     {Routine::ShrU64, 6, 10},
    {Routine::Threefry, 82, 82},  {Routine::AddF64, 79, 85},    {Routine::SubF64, 82, 88},
    {Routine::MulF64, 75, 78},    {Routine::DivF64, 152, 198},  {Routine::SqrtF64, 123, 149},
    {Routine::TruncF64, 10, 11},  {Routine::LessF64, 17, 17},   {Routine::EqualF64, 15, 15},
    {Routine::Exp2F64, 387, 391}, {Routine::Log2F64, 607, 608}, {Routine::SinF64, 443, 449},
    {Routine::F64ToF32, 26, 26},  {Routine::F32ToF64, 13, 13},  {Routine::F64ToI32, 15, 20},
    {Routine::F64ToU32, 13, 19},  {Routine::F64ToI64, 20, 28},  {Routine::F64ToU64, 15, 23},
    {Routine::I32ToF64, 15, 15},  {Routine::U32ToF64, 12, 12},  {Routine::I64ToF64, 39, 40},
    {Routine::U64ToF64, 32, 33},
};

class RoutineCost : public testing::TestWithParam<Cost> {};

TEST_P(RoutineCost, IsNoMoreThanStated) {
  const Cost cost = GetParam();
  const Row row = *std::ranges::find(kRows, cost.routine, &Row::routine);
  constexpr int kCalls = 4000;
  const bool positive = row.verb == Verb::Sqrt || row.verb == Verb::Log2;
  Draw draw(row.from);
  std::vector<Inputs> inputs;
  for (int i = 0; i < kCalls; ++i) {
    const uint64_t a = draw.ordinary(), b = draw.ordinary();
    inputs.push_back({positive ? a & ~(1ull << (8 * info(row.from).bytes - 1)) : a, b});
  }
  uint64_t sum = 0;
  uint32_t most = 0;
  for (const Outcome& outcome : Caller(row).run(inputs)) {
    sum += outcome.instructions;
    most = std::max(most, outcome.instructions);
  }
  EXPECT_LE(sum / kCalls, cost.mean);
  EXPECT_LE(most, cost.most);
}

INSTANTIATE_TEST_SUITE_P(Each, RoutineCost, testing::ValuesIn(kCosts),
                         [](const auto& cost) { return std::string(name(cost.param.routine)); });

}  // namespace
}  // namespace kerr::loops::scalar
