// Every operation of expressions, on the device, over all BF16 numbers and over random FP32 ones, against float64.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <random>

#include "graph/encode.hpp"
#include "graph/evaluate.hpp"
#include "graph/graph.hpp"
#include "graph/tensor.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "tests/e2e/print_operation.hpp"
#include "tests/e2e/ulps.hpp"

namespace kerr {
namespace {

using graph::Tensor;
using kernels::Expression;
using kernels::Format;
using kernels::Operation;

class Device {
 public:
  Device() : chip_(device_) {}

  Tensor run(const Expression& expression, const std::vector<Tensor>& inputs, Format out, size_t cores) {
    const Tensor& first = inputs.front();
    const auto allocate = [&](Format format) {
      const uint32_t page = kernels::tile_bytes(format);
      return chip_.allocate(host::Memory::Dram, uint64_t{first.tiles()} * page, page);
    };
    std::vector<host::Buffer> buffers;
    kernels::ElementwiseBuffers addresses;
    for (const Tensor& input : inputs) {
      buffers.push_back(allocate(input.format));
      chip_.write(buffers.back(), graph::to_tiles(input, input.tile_rows(), input.tile_columns()));
      addresses.inputs.push_back(buffers.back().address());
    }
    const host::Buffer output = allocate(out);
    addresses.output = output.address();
    chip_.run(kernels::elementwise_program(expression, {first.format, out}, {.tiles = first.tiles()}, chip_.layout(),
                                           chip_.workers().first(cores), addresses));
    std::vector<std::byte> tiles(output.bytes());
    chip_.read(output, tiles);
    Tensor result{first.rows, first.columns, out, {}};
    graph::from_tiles(tiles, result.tile_columns(), result);
    return result;
  }

 private:
  host::EmulatedDevice device_;
  host::Chip chip_;
};

Device& device() {
  static Device device;
  return device;
}

// Every BF16 number once.
Tensor all_bf16() {
  Tensor tensor{256, 256, Format::Bf16, {}};
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    tensor.values.push_back(graph::bf16_to_float(static_cast<uint16_t>(bits)));
  return tensor;
}

// Random bits, half of them with exponents near 1.
Tensor random_fp32(uint32_t rows, uint64_t seed) {
  std::mt19937_64 random(seed);
  Tensor tensor{rows, 256, Format::Fp32, {}};
  for (uint32_t i = 0; i < rows * 256; ++i) {
    auto bits = static_cast<uint32_t>(random());
    if (i % 2 != 0) bits = (bits & 0x807FFFFF) | (120 + random() % 14) << 23;
    tensor.values.push_back(std::bit_cast<float>(bits));
  }
  return tensor;
}

// Random integers of all sizes, and every pair of those at which something happens.
std::vector<std::vector<int32_t>> integers(uint32_t rows) {
  constexpr int32_t kEdges[] = {
      0,       1,        -1,        2,          -2,          3,          7,           31,
      32,      33,       -31,       -32,        127,         -127,       128,         255,
      256,     32767,    32768,     65535,      65536,       46341,      -46341,      8388607,
      8388608, 16777217, -16777217, 0x40000000, -0x40000000, 0x7FFFFFFF, -0x7FFFFFFF, -0x7FFFFFFF - 1};
  constexpr size_t kCount = std::size(kEdges);
  std::mt19937_64 random(5);
  std::vector<std::vector<int32_t>> all(3);
  for (size_t i = 0; i < size_t{rows} * 256; ++i) {
    for (size_t k = 0; k < 3; ++k) {
      const auto any = static_cast<int32_t>(static_cast<uint32_t>(random()) >> random() % 32);
      const int32_t signed_one = random() % 2 != 0 ? any : static_cast<int32_t>(0u - static_cast<uint32_t>(any));
      all[k].push_back(i >= kCount * kCount ? signed_one : kEdges[k == 0 ? i / kCount : (i + k / 2) % kCount]);
    }
  }
  return all;
}

float shuffled(const Tensor& t, size_t i, size_t factor) { return t.values[i * factor % t.values.size()]; }

bool denormal(float x) { return x != 0 && std::abs(x) < 0x1p-126f; }

bool in_domain(const kernels::OperationInfo& what, float x) { return what.domain.empty() || std::abs(x) <= 32768; }

struct Worst {
  double ulps = 0;
  std::string where;
};

Worst measure(const kernels::OperationInfo& what, const std::vector<Tensor>& inputs, const Tensor& result,
              int mantissa_bits, bool through_source) {
  Worst worst;
  for (size_t i = 0; i < result.values.size(); ++i) {
    float x[3] = {};
    for (size_t k = 0; k < inputs.size(); ++k) {
      x[k] = inputs[k].values[i];
      // As the device takes them: BF16 loses the sign of zeros on the way through SrcA.
      if (denormal(x[k])) x[k] = std::copysign(0.0f, x[k]);
      if (through_source) x[k] += 0.0f;
    }
    if (!in_domain(what, x[0])) continue;
    const double exact = graph::evaluate(what.operation, x[0], x[1], x[2]);
    const double ulps = result.integers.empty()
                            ? kerr::ulps(exact, result.values[i], {mantissa_bits, what.zero_below, mantissa_bits != 7})
                            : std::abs(exact - result.number(i));
    if (ulps > worst.ulps || std::isnan(ulps)) {
      worst = {ulps,
               fmt::format("{}({}, {}, {}) = {}, exactly {}", what.name, x[0], x[1], x[2], result.number(i), exact)};
    }
  }
  return worst;
}

// The operation on inputs 0, 1, 2.
Expression alone(const kernels::OperationInfo& what, kernels::Type type) {
  Expression expression;
  std::vector<Expression::Node> nodes;
  for (uint32_t i = 0; i < what.sources; ++i) nodes.push_back(expression.input(i, type));
  expression.apply(what.operation, nodes);
  return expression;
}

class EachOperation : public testing::TestWithParam<kernels::OperationInfo> {
 protected:
  void check(const std::vector<Tensor>& sources, double bound, int mantissa_bits) {
    const kernels::OperationInfo& what = GetParam();
    const Expression expression = alone(what, kernels::Type::Float);
    const std::vector<Tensor> inputs(sources.begin(), sources.begin() + what.sources);
    // Conversions show in a format that holds all that they make.
    const bool converts = what.types >= kernels::OperationTypes::ToInteger;
    const Format out = what.types == kernels::OperationTypes::ToInteger ? Format::Int32
                       : converts                                       ? Format::Fp32
                                                                        : inputs[0].format;
    const Tensor result = device().run(expression, inputs, out, 100);
    const Worst worst = measure(what, inputs, result, converts ? 23 : mantissa_bits, mantissa_bits == 7);
    RecordProperty("ulps", fmt::format("{:.3f}", worst.ulps));
    EXPECT_LE(worst.ulps, bound) << worst.where;
  }

  // The same numbers in other orders.
  static std::vector<Tensor> with_partners(const Tensor& a) {
    std::vector<Tensor> all{a, a, a};
    for (size_t i = 0; i < a.values.size(); ++i) {
      all[1].values[i] = shuffled(a, i + 17, 40503);
      all[2].values[i] = shuffled(a, i + 5, 30011);
    }
    return all;
  }
};

using EachOperationOfFloats = EachOperation;
using EachOperationOfIntegers = EachOperation;

TEST_P(EachOperationOfFloats, IsAsAccurateAsStatedOnAllBf16Numbers) {
  check(with_partners(all_bf16()), GetParam().bf16_ulp, 7);
}

TEST_P(EachOperationOfFloats, IsAsAccurateAsStatedOnRandomFp32Numbers) {
  check(with_partners(random_fp32(4096, 7)), GetParam().fp32_ulp, 23);
}

TEST_P(EachOperationOfIntegers, IsExactOnRandomIntegersAndAllPairsOfEdges) {
  const kernels::OperationInfo& what = GetParam();
  const auto numbers = integers(4096);
  std::vector<Tensor> inputs;
  for (uint32_t k = 0; k < what.sources; ++k) inputs.push_back(graph::integer_tensor(4096, 256, numbers[k]));
  const bool to_float = what.types == kernels::OperationTypes::ToFloat;
  const Tensor result =
      device().run(alone(what, kernels::Type::Integer), inputs, to_float ? Format::Fp32 : Format::Int32, 100);
  for (size_t i = 0; i < numbers[0].size(); ++i) {
    const double x = numbers[0][i], y = numbers[1][i], z = numbers[2][i];
    const double exact = to_float ? graph::evaluate(what.operation, static_cast<float>(x), 0, 0)
                                  : graph::evaluate_integers(what.operation, x, y, z);
    ASSERT_EQ(result.number(i), exact) << fmt::format("{}({}, {}, {})", what.name, x, y, z);
  }
}

std::vector<kernels::OperationInfo> operations_of(kernels::OperationTypes not_these) {
  std::vector<kernels::OperationInfo> some;
  for (const kernels::OperationInfo& what : kernels::operations()) {
    if (what.types != not_these) some.push_back(what);
  }
  return some;
}
std::string name(const testing::TestParamInfo<kernels::OperationInfo>& operation) {
  return std::string(operation.param.name);
}

INSTANTIATE_TEST_SUITE_P(Elementwise, EachOperationOfFloats,
                         testing::ValuesIn(operations_of(kernels::OperationTypes::Integer)), name);
INSTANTIATE_TEST_SUITE_P(Elementwise, EachOperationOfIntegers,
                         testing::ValuesIn(operations_of(kernels::OperationTypes::Float)), name);

// Every pair: what is read of one format, written as another, is the number that the host makes of it.
TEST(Elementwise, EveryFormatBecomesEveryOther) {
  using kernels::FormatInfo;
  std::mt19937_64 random(3);
  for (const FormatInfo& from : kernels::kFormats) {
    const bool of_integers = kernels::is_integer(from.format);
    Tensor source = graph::random_tensor(64, 64, from.format, of_integers ? -300 : -40, of_integers ? 300 : 40, 9);
    for (const FormatInfo& to : kernels::kFormats) {
      graph::Graph graph;
      graph.cast(to.format, graph.input("x", {{64, 64}, from.format}));
      const Operation operation = graph.item(graph.result()).operation;
      Expression expression;
      expression.apply(operation,
                       std::array{expression.input(0, of_integers ? kernels::Type::Integer : kernels::Type::Float)});
      const Tensor got = device().run(expression, {source}, to.format, 3);
      // What a block of sixteen shares an exponent of is off by as much.
      const double slack = to.format == Format::Bfp8 ? 1.0 / 64 : to.format == Format::Bfp4 ? 1.0 / 4 : 0;
      for (size_t i = 0; i < got.values.size(); ++i) {
        const double exact = graph::evaluate(operation, source.number(i), 0, 0);
        double largest = 0;
        for (size_t k = i / 16 * 16; k < i / 16 * 16 + 16; ++k)
          largest = std::max(largest, std::abs(graph::evaluate(operation, source.number(k), 0, 0)));
        ASSERT_NEAR(got.number(i), exact, slack * largest)
            << from.name << " to " << to.name << ", element " << i << ": " << source.number(i);
      }
    }
  }
}

TEST(Elementwise, WhatAFormatDoesNotHoldIsRefused) {
  const auto refusal = [](const Expression& expression, kernels::ElementwiseFormats formats) -> std::string {
    const arch::NocCoord core{1, 2};
    try {
      kernels::elementwise_program(expression, formats, {.tiles = 1}, arch::kFwB, {&core, 1},
                                   {.inputs = std::vector<uint32_t>(expression.inputs())});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  Expression floats;
  floats.input(0);
  EXPECT_NE(refusal(floats, {Format::Bf16, Format::Int8}).find("is a float, which int8 does not hold"),
            std::string::npos);
  EXPECT_NE(refusal(floats, {Format::Uint16, Format::Bf16}).find("which uint16 does not hold"), std::string::npos);
  Expression many;
  for (uint32_t i = 0; i < 5; ++i) many.input(i);
  EXPECT_NE(refusal(many, {Format::Fp32, Format::Fp32}).find("5 operands, and half of Dst holds 4"), std::string::npos);
  EXPECT_EQ(refusal(many, {Format::Bf16, Format::Fp32}), "accepted");
}

}  // namespace
}  // namespace kerr
