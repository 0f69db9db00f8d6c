// Arrays to matrices of the device's formats and back.
#include "graph/npy/tensor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "tests/graph/npy/vectors.hpp"

namespace kerr::graph::npy {
namespace {

Array doubles(const std::vector<double>& numbers, std::vector<uint64_t> shape = {}) {
  if (shape.empty()) shape = {numbers.size()};
  const auto bytes = std::as_bytes(std::span(numbers));
  return Array({.type = {Type::Kind::Float, 8}, .shape = std::move(shape)}, {bytes.begin(), bytes.end()});
}

std::string written(const Tensor& tensor, uint32_t batch = 1) {
  std::string file;
  write(tensor, batch, [&file](std::span<const std::byte> bytes) {
    file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  return file;
}

std::string refusal_of(const Array& array, Format format) {
  try {
    (void)matrices(array, format, "'x.npy'");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(NpyTensor, ARowAndANumberAreMatricesToo) {
  const auto shape = [](const std::vector<uint64_t>& of) {
    const Matrices m = matrices(doubles(std::vector<double>(of.empty() ? 1 : 24, 1.5), of), Format::Bf16, "");
    return std::vector<uint32_t>{m.batch, m.tensor.rows, m.tensor.columns};
  };
  EXPECT_EQ(shape({24}), (std::vector<uint32_t>{1, 1, 24}));
  EXPECT_EQ(shape({4, 6}), (std::vector<uint32_t>{1, 4, 6}));
  EXPECT_EQ(shape({2, 3, 4}), (std::vector<uint32_t>{2, 6, 4}));
  const Matrices one = matrices(load(vector_path("scalar")), Format::Fp32, "");
  EXPECT_EQ(one.tensor.rows * one.tensor.columns, 1u);
  EXPECT_EQ(one.tensor.values, std::vector<float>{2.5F});
}

TEST(NpyTensor, CountsWhatAConversionChanges) {
  const double huge = 1e300;
  const struct {
    Format format;
    std::vector<double> numbers, made;
    Conversion conversion;
  } cases[] = {
      {Format::Fp32, {0.5, 0.1, huge, -huge, 1e-50}, {0.5, 0.1F, INFINITY, -INFINITY, 0}, {5, 2, 2}},
      {Format::Bf16, {1, 1.00390625, 3.4e38, NAN, INFINITY}, {1, 1, INFINITY, NAN, INFINITY}, {5, 1, 1}},
      {Format::Fp16, {1, 65536, 200000, -200000, 0x1p-30}, {1, 65536, 131008, -131008, 0}, {5, 1, 2}},
      {Format::Int8, {1, 1.6, 127, 128, -300}, {1, 2, 127, 127, -127}, {5, 1, 2}},
      {Format::Uint8, {0, 255, 256, -1, 2.5}, {0, 255, 255, 0, 2}, {5, 1, 2}},
      {Format::Int16, {-32768, 40000}, {-32768, 32767}, {2, 0, 1}},
      {Format::Uint16, {65535, -1}, {65535, 0}, {2, 0, 1}},
      {Format::Int32,
       {-2147483648.0, 2147483647, 1e10, 16777217, 0.25},
       {-2147483648.0, 2147483647, 2147483647, 16777217, 0},
       {5, 1, 1}},
      {Format::Bfp8, {1, 0.5, 0.001}, {1, 0.5, 0}, {3, 1, 0}},
      {Format::Bfp4, {4, 1, 0.25}, {4, 1, 0}, {3, 1, 0}},
  };
  for (const auto& [format, numbers, made, conversion] : cases) {
    const Matrices m = matrices(doubles(numbers), format, "");
    EXPECT_EQ(m.conversion, conversion) << kernels::info(format).name << ": " << text(m.conversion);
    for (size_t i = 0; i < made.size(); ++i) {
      if (std::isnan(made[i]))
        EXPECT_TRUE(std::isnan(m.tensor.number(i)));
      else
        EXPECT_EQ(m.tensor.number(i), made[i]) << kernels::info(format).name << " of " << numbers[i];
    }
  }
  EXPECT_EQ(text({5, 2, 1}), "2 of 5 rounded, 1 beyond its largest number");
  EXPECT_EQ(text({5, 0, 0}), "all 5 exact");
}

TEST(NpyTensor, RefusesInfinityAndNaNWhereAFormatHasNone) {
  for (const Format format : {Format::Fp16, Format::Bfp8, Format::Bfp4, Format::Int8, Format::Int32, Format::Uint16})
    for (const double number : {double{INFINITY}, double{NAN}}) {
      const std::string sentence = refusal_of(doubles({1, number}), format);
      EXPECT_EQ(sentence.find("'x.npy' has 1 NaN or infinity, of which " + std::string(kernels::info(format).name)), 0u)
          << sentence;
    }
  EXPECT_EQ(refusal_of(doubles({NAN}), Format::Bf16), "");
}

TEST(NpyTensor, RefusesShapesThatAreNoMatrices) {
  EXPECT_NE(refusal_of(doubles(std::vector<double>(16), {2, 2, 2, 2}), Format::Bf16).find("(2, 2, 2, 2)"),
            std::string::npos);
  EXPECT_NE(refusal_of(doubles(std::vector<double>(1 << 21), {2, 1 << 20, 1}), Format::Bf16).find("at most 1048576"),
            std::string::npos);
}

TEST(NpyTensor, IntegersHaveAFormatOfTheirSize) {
  const auto format = [](const char* name) {
    return natural_format(load(vector_path(name)).header().type, Format::Bf16);
  };
  EXPECT_EQ(format("i1"), Format::Int8);
  EXPECT_EQ(format("u1"), Format::Uint8);
  EXPECT_EQ(format("bool"), Format::Uint8);
  EXPECT_EQ(format("big_i2"), Format::Int16);
  EXPECT_EQ(format("little_u2"), Format::Uint16);
  EXPECT_EQ(format("little_i8"), Format::Int32);
  EXPECT_EQ(format("little_f8"), Format::Bf16);
}

TEST(NpyTensor, WritesTheBytesThatNumPyWrites) {
  // clang-format off
  for (const auto& [name, format] : {std::pair{"little_f4", Format::Fp32}, {"i1", Format::Int8}, {"u1", Format::Uint8},
                                     {"little_i2", Format::Int16}, {"little_u2", Format::Uint16},
                                     {"little_i4", Format::Int32}, {"little_f4", Format::Bf16}, {"little_f4", Format::Fp16}}) {
    // clang-format on
    const Matrices m = matrices(load(vector_path(name)), format, "");
    EXPECT_EQ(written(m.tensor), vector_bytes(name)) << name;
  }
  const Matrices batch = matrices(load(vector_path("batch")), Format::Int32, "");
  EXPECT_EQ(written(batch.tensor, batch.batch), vector_bytes("batch"));
}

TEST(NpyTensor, ReadsBackWhatItWrites) {
  Tensor tensor = random_tensor(300, 301, Format::Bf16, 7);
  tensor.values[5] = NAN;
  tensor.values[6] = -INFINITY;
  const std::string file = written(tensor);
  const Matrices again = matrices(read_text(file), Format::Bf16, "");
  EXPECT_EQ(again.tensor.rows, 300u);
  EXPECT_EQ(again.conversion.rounded + again.conversion.beyond, 0u);
  EXPECT_TRUE(std::isnan(again.tensor.values[5]));
  tensor.values[5] = 0;
  Tensor rest = again.tensor;
  rest.values[5] = 0;
  EXPECT_EQ(rest.values, tensor.values);
  const Tensor whole = integer_tensor(1, 3, {std::numeric_limits<int32_t>::min(), 16777217, -1});
  const std::string whole_file = written(whole);
  EXPECT_EQ(matrices(read_text(whole_file), Format::Int32, "").tensor.integers, whole.integers);
}

}  // namespace
}  // namespace kerr::graph::npy
