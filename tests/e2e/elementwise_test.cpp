// Every operation of expressions, on the device, over all BF16 numbers and over random FP32 ones, against float64.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "graph/bf16.hpp"
#include "graph/evaluate.hpp"
#include "graph/tensor.hpp"
#include "host/chip.hpp"
#include "host/device/emulated_device.hpp"
#include "kernels/elementwise/elementwise.hpp"
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

  Tensor run(const Expression& expression, const std::vector<Tensor>& inputs, std::size_t cores) {
    const Tensor& first = inputs.front();
    const auto allocate = [&] {
      return chip_.allocate(host::Memory::kDram, std::uint64_t{first.tiles()} * kernels::tile_bytes(first.format),
                            kernels::tile_bytes(first.format));
    };
    std::vector<host::Buffer> buffers;
    kernels::ElementwiseBuffers addresses;
    for (const Tensor& input : inputs) {
      buffers.push_back(allocate());
      chip_.write(buffers.back(), graph::to_tiles(input, input.tile_rows(), input.tile_columns()));
      addresses.inputs.push_back(buffers.back().address());
    }
    const host::Buffer output = allocate();
    addresses.output = output.address();
    chip_.run(kernels::elementwise_program(expression, first.format, first.tiles(), chip_.layout(),
                                           chip_.workers().first(cores), addresses));
    std::vector<std::byte> tiles(output.bytes());
    chip_.read(output, tiles);
    Tensor result{first.rows, first.columns, first.format, {}};
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
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits)
    tensor.values.push_back(graph::bf16_to_float(static_cast<std::uint16_t>(bits)));
  return tensor;
}

// Random bits, half of them with exponents near 1.
Tensor random_fp32(std::uint32_t rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Tensor tensor{rows, 256, Format::Fp32, {}};
  for (std::uint32_t i = 0; i < rows * 256; ++i) {
    auto bits = static_cast<std::uint32_t>(random());
    if (i % 2 != 0) bits = (bits & 0x807FFFFF) | (120 + random() % 14) << 23;
    tensor.values.push_back(std::bit_cast<float>(bits));
  }
  return tensor;
}

float shuffled(const Tensor& t, std::size_t i, std::size_t factor) { return t.values[i * factor % t.values.size()]; }

bool denormal(float x) { return x != 0 && std::abs(x) < 0x1p-126f; }

bool in_domain(const kernels::OperationInfo& what, float x) { return what.domain.empty() || std::abs(x) <= 32768; }

}  // namespace
}  // namespace kerr
namespace kerr::kernels {
void PrintTo(const OperationInfo& operation, std::ostream* out) { *out << operation.name; }
}  // namespace kerr::kernels
namespace kerr {
namespace {

struct Worst {
  double ulps = 0;
  std::string where;
};

Worst measure(const kernels::OperationInfo& what, const std::vector<Tensor>& inputs, const Tensor& result,
              int mantissa_bits) {
  Worst worst;
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    float x[3] = {};
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      x[k] = inputs[k].values[i];
      // As the device takes them: BF16 loses the sign of zeros on the way through SrcA.
      if (denormal(x[k])) x[k] = std::copysign(0.0f, x[k]);
      if (mantissa_bits == 7) x[k] += 0.0f;
    }
    if (!in_domain(what, x[0])) continue;
    const double exact = graph::evaluate(what.operation, x[0], x[1], x[2]);
    const double ulps = kerr::ulps(exact, result.values[i], {mantissa_bits, what.zero_below, mantissa_bits != 7});
    if (ulps > worst.ulps || std::isnan(ulps)) {
      worst = {ulps,
               fmt::format("{}({}, {}, {}) = {}, exactly {}", what.name, x[0], x[1], x[2], result.values[i], exact)};
    }
  }
  return worst;
}

class EachOperation : public testing::TestWithParam<kernels::OperationInfo> {
 protected:
  void check(const std::vector<Tensor>& sources, double bound, int mantissa_bits) {
    const kernels::OperationInfo& what = GetParam();
    Expression expression;
    std::vector<Expression::Node> nodes;
    for (std::uint32_t i = 0; i < what.sources; ++i) nodes.push_back(expression.input(i));
    expression.apply(what.operation, nodes);
    const std::vector<Tensor> inputs(sources.begin(), sources.begin() + what.sources);
    const Worst worst = measure(what, inputs, device().run(expression, inputs, 100), mantissa_bits);
    RecordProperty("ulps", fmt::format("{:.3f}", worst.ulps));
    EXPECT_LE(worst.ulps, bound) << worst.where;
  }

  // The same numbers in other orders.
  static std::vector<Tensor> with_partners(const Tensor& a) {
    std::vector<Tensor> all{a, a, a};
    for (std::size_t i = 0; i < a.values.size(); ++i) {
      all[1].values[i] = shuffled(a, i + 17, 40503);
      all[2].values[i] = shuffled(a, i + 5, 30011);
    }
    return all;
  }
};

TEST_P(EachOperation, IsAsAccurateAsStatedOnAllBf16Numbers) {
  check(with_partners(all_bf16()), GetParam().bf16_ulp, 7);
}

TEST_P(EachOperation, IsAsAccurateAsStatedOnRandomFp32Numbers) {
  check(with_partners(random_fp32(4096, 7)), GetParam().fp32_ulp, 23);
}

INSTANTIATE_TEST_SUITE_P(Elementwise, EachOperation,
                         testing::ValuesIn(kernels::operations().begin(), kernels::operations().end()),
                         [](const auto& operation) { return std::string(operation.param.name); });

}  // namespace
}  // namespace kerr
