// Each operation on each type, over numbers at the edges of the type, against the interpreter.
#include <fmt/format.h>

#include "tests/loops/scalar/both.hpp"

namespace kerr::loops::scalar {
namespace {

// Bits at the edges of a type, and some in between.
std::vector<uint64_t> edges(Type type) {
  const uint32_t bits = 8u * info(type).bytes;
  const uint64_t all = bits == 64 ? ~0ull : (1ull << bits) - 1;
  std::vector<uint64_t> out;
  if (type == Type::Bool) return {0, 1};
  for (uint64_t x : {0ull, 1ull, 2ull, 3ull, 5ull, 7ull, 8ull, 31ull, 32ull, 63ull, 64ull, 100ull, 255ull, 256ull}) {
    out.push_back(x & all);
    out.push_back((0 - x) & all);
  }
  for (uint32_t k = 3; k < bits; k += 4)
    for (int64_t d : {-1, 0, 1}) out.push_back(((1ull << k) + static_cast<uint64_t>(d)) & all);
  out.push_back(1ull << (bits - 1));
  out.push_back((1ull << (bits - 1)) - 1);
  const auto f = [&](std::initializer_list<uint64_t> list) {
    for (uint64_t x : list) {
      out.push_back(x);
      out.push_back(x ^ 1ull << (bits - 1));
    }
  };
  if (type == Type::F32)
    f({0x3F800000, 0x3F800001, 0x3F7FFFFF, 0x00800000, 0x007FFFFF, 1,          0x7F800000, 0x7FC00000,
       0x7F800001, 0x7F7FFFFF, 0x4F000000, 0x4F7FFFFF, 0x5F000000, 0x40490FDB, 0x3F000000, 0x3FC00000,
       0x42FF0000, 0x47000000, 0x34000000, 0x477FF000, 0x33800000, 0x38800000, 0x387FE000});
  if (type == Type::F16) f({0x3C00, 0x3C01, 0x3BFF, 0x0400, 0x03FF, 1, 0x7C00, 0x7E00, 0x7C01, 0x7BFF, 0x4248, 0x3800});
  if (type == Type::Bf16)
    f({0x3F80, 0x3F81, 0x3F7F, 0x0080, 0x007F, 1, 0x7F80, 0x7FC0, 0x7F81, 0x7F7F, 0x4F00, 0x4049});
  if (type == Type::F64)
    f({0x3FF0000000000000, 0x3FF0000000000001, 0x0010000000000000, 0x000FFFFFFFFFFFFF, 1, 0x7FF0000000000000,
       0x7FF8000000000000, 0x7FEFFFFFFFFFFFFF, 0x41E0000000000000, 0x43E0000000000000, 0x3810000000000000,
       0x47EFFFFFE0000000, 0x400921FB54442D18});
  return out;
}

// Two parameters of a type, all pairs of edges (thinned).
void put(std::vector<std::byte>& arena, uint64_t at, uint64_t bits, Type type) {
  std::memcpy(arena.data() + at, &bits, info(type).bytes);
}

void expect_operation(Verb verb, Type type) {
  const Operation& row = operation(verb);
  const std::vector<uint64_t> values = edges(type);
  const size_t n = values.size();
  std::vector<std::pair<uint64_t, uint64_t>> pairs;
  if (row.operands == 1) {
    for (uint64_t x : values) pairs.push_back({x, 0});
  } else {
    for (size_t a = 0; a < n; ++a)
      for (size_t b = 0; b < n; ++b) pairs.push_back({values[a], values[b]});
  }
  const size_t step = std::max<size_t>(pairs.size() / 700, 1);
  std::vector<std::pair<uint64_t, uint64_t>> some;
  for (size_t k = 0; k < pairs.size(); k += step) some.push_back(pairs[k]);
  const std::string_view t = info(type).name;
  const bool compares = row.kind == OperandKind::Compare;
  const std::string_view result = compares ? "bool" : t;
  std::string text = fmt::format(
      "kernel op\nparam p0 {} {}\nparam p1 {} {}\nparam p2 {} {}\n%1 = loop i32 i32:{} weak\n%2 = load {} p1[%1]\n%3 = "
      "load {} p2[%1]\n",
      result, some.size(), t, some.size(), t, some.size(), some.size(), t, t);
  if (row.kind == OperandKind::Select) {
    text += fmt::format("%5 = cmplt {} %2 %3\n%4 = where {} %5 %3 %2\n", t, t);
  } else {
    text += fmt::format("%4 = {} {} %2{}\n", row.name, t, row.operands == 2 ? " %3" : "");
  }
  text += fmt::format("store {} p0[%1] %4\nend %1\n", result);
  Both both(text);
  both.prepare();
  for (size_t k = 0; k < some.size(); ++k) {
    put(both.arena, both.views[1].offset + k * info(type).bytes, some[k].first, type);
    put(both.arena, both.views[2].offset + k * info(type).bytes, some[k].second, type);
  }
  both.expect_same({1});
}

bool takes(const Operation& row, Type type) {
  switch (row.kind) {
    case OperandKind::Integer:
    case OperandKind::Shift: return is_integer(type);
    case OperandKind::Float: return info(type).is_float;
    case OperandKind::Number: return type != Type::Bool;
    case OperandKind::Bits: return is_integer(type) || type == Type::Bool;
    case OperandKind::Threefry: return type == Type::U64;
    default: return true;
  }
}

class EachType : public ::testing::TestWithParam<Type> {};

TEST_P(EachType, ComputesWhatTheDefinitionComputes) {
  for (const Operation& row : operations()) {
    if (!takes(row, GetParam())) continue;
    SCOPED_TRACE(row.name);
    expect_operation(row.verb, GetParam());
    if (HasFailure()) return;
  }
}

TEST_P(EachType, ConvertsWhatTheDefinitionConverts) {
  const Type from = GetParam();
  const std::vector<uint64_t> values = edges(from);
  for (const TypeInfo& to : kTypes) {
    SCOPED_TRACE(to.name);
    Both both(fmt::format(
        "kernel cast\nparam p0 {0} {1}\nparam p1 {2} {1}\n%1 = loop i32 i32:{1} weak\n%2 = load {2} p1[%1]\n"
        "%3 = cast {0} %2\nstore {0} p0[%1] %3\nend %1\n",
        to.name, values.size(), info(from).name));
    both.prepare();
    for (size_t k = 0; k < values.size(); ++k)
      put(both.arena, both.views[1].offset + k * info(from).bytes, values[k], from);
    both.expect_same({1});
    if (HasFailure()) return;
    if (to.bytes != info(from).bytes) continue;
    Both bits(fmt::format(
        "kernel bits\nparam p0 {0} {1}\nparam p1 {2} {1}\n%1 = loop i32 i32:{1} weak\n%2 = load {2} p1[%1]\n"
        "%3 = bitcast {0} %2\nstore {0} p0[%1] %3\nend %1\n",
        to.name, values.size(), info(from).name));
    bits.prepare();
    for (size_t k = 0; k < values.size(); ++k)
      put(bits.arena, bits.views[1].offset + k * info(from).bytes, values[k], from);
    bits.expect_same({1});
    if (HasFailure()) return;
  }
}

TEST_P(EachType, ShiftsByCountsThatAreWritten) {
  if (!is_integer(GetParam())) GTEST_SKIP();
  const std::string_view t = info(GetParam()).name;
  const std::vector<uint64_t> values = edges(GetParam());
  for (const char* verb : {"shl", "shr"}) {
    for (uint32_t count : {0u, 1u, 5u, 7u, 8u, 16u, 31u, 32u, 33u, 63u, 64u, 100u}) {
      Both both(
          fmt::format("kernel s\nparam p0 {0} {1}\nparam p1 {0} {1}\n%1 = loop i32 i32:{1} weak\n%2 = load {0} p1[%1]\n"
                      "%3 = {2} {0} %2 u8:{3}\nstore {0} p0[%1] %3\nend %1\n",
                      t, values.size(), verb, count));
      both.prepare();
      for (size_t k = 0; k < values.size(); ++k)
        put(both.arena, both.views[1].offset + k * info(GetParam()).bytes, values[k], GetParam());
      both.expect_same({1});
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operations, EachType, ::testing::ValuesIn([] {
                           std::vector<Type> types;
                           for (const TypeInfo& each : kTypes) types.push_back(each.type);
                           return types;
                         }()),
                         [](const auto& each) { return std::string(loops::info(each.param).name); });

}  // namespace
}  // namespace kerr::loops::scalar
