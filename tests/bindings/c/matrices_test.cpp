#include <cmath>
#include <cstring>

#include "tests/bindings/c/session.hpp"

namespace kerr::c_test {
namespace {

template <class T>
kerr_matrix matrix(const char* name, const char* type, std::vector<T>& values, uint64_t rows) {
  return {name, type, values.data(), rows, values.size() / rows};
}

template <class T>
std::vector<T> take(const kerr_matrix& result) {
  std::vector<T> out(result.rows * result.columns);
  std::memcpy(out.data(), result.data, out.size() * sizeof(T));
  EXPECT_EQ(kerr_free(result.data), KERR_OK);
  return out;
}

TEST(Matrices, AreMultipliedAndComparedWithFloat64) {
  Session session;
  std::vector<float> a(33 * 65), b(65 * 40);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;
  const kerr_matrix left = matrix(nullptr, "float32", a, 33), right = matrix(nullptr, "float32", b, 65);
  kerr_matrix result{};
  char* report = nullptr;
  ASSERT_EQ(ask(kerr_matmul, session.device, &left, &right, R"({"format": "fp32", "fidelity": "hifi4", "check": true})",
                &result, &report),
            KERR_OK);
  EXPECT_NE(text_and_free(report).find(R"("verdict":"verified")"), std::string::npos);
  EXPECT_STREQ(result.type, "float32");
  ASSERT_EQ(result.rows, 33u);
  ASSERT_EQ(result.columns, 40u);
  const std::vector<float> got = take<float>(result);
  for (size_t i = 0; i < 33; ++i) {
    for (size_t j = 0; j < 40; ++j) {
      double sum = 0;
      for (size_t k = 0; k < 65; ++k) sum += double{a[65 * i + k]} * double{b[40 * k + j]};
      ASSERT_NEAR(got[40 * i + j], sum, 1e-3) << i << "," << j;
    }
  }
}

TEST(Matrices, OfAllTypesAreTaken) {
  Session session;
  std::vector<double> f64 = {1, 2.5, -3};
  std::vector<uint16_t> f16 = {0x3C00, 0x4100, 0xC200}, bf16 = {0x3F80, 0x4020, 0xC040};
  std::vector<int8_t> i8 = {1, -2, 3};
  std::vector<uint8_t> flags = {1, 0, 1};
  std::vector<int32_t> i32 = {100'000, -5, 7};
  const kerr_matrix operands[] = {matrix("a", "float64", f64, 1), matrix("b", "float16", f16, 1),
                                  matrix("c", "bfloat16", bf16, 1)};
  kerr_matrix result{};
  ASSERT_EQ(ask(kerr_eval, session.device, "a + b + c", operands, 3, R"({"format": "fp32"})", &result, nullptr),
            KERR_OK);
  EXPECT_EQ(take<float>(result), (std::vector<float>{3, 7.5, -9}));
  const kerr_matrix whole[] = {matrix("x", "int32", i32, 1), matrix("y", "int32", i32, 1)};
  ASSERT_EQ(ask(kerr_eval, session.device, "x + y", whole, 2, nullptr, &result, nullptr), KERR_OK);
  EXPECT_STREQ(result.type, "int32");
  EXPECT_EQ(take<int32_t>(result), (std::vector<int32_t>{200'000, -10, 14}));
  const kerr_matrix small[] = {matrix("x", "int8", i8, 1), matrix("flag", "bool", flags, 1)};
  EXPECT_EQ(ask(kerr_eval, session.device, "x * flag", small, 2, nullptr, &result, nullptr), KERR_OK);
  EXPECT_EQ(kerr_free(result.data), KERR_OK);
}

TEST(Matrices, AreExplainedWithoutBeingComputed) {
  Session session;
  std::vector<float> a(64 * 64, 1);
  const kerr_matrix operand = matrix("a", "float32", a, 64);
  char* report = nullptr;
  ASSERT_EQ(ask(kerr_eval, session.device, "relu(a @ a)", &operand, 1, R"({"explain": true})", nullptr, &report),
            KERR_OK);
  const std::string text = text_and_free(report);
  EXPECT_NE(text.find("matmul 64x64 @ 64x64"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("device_cycles":0)"), std::string::npos) << text;
}

TEST(Matrices, ThatMakeNoSenseAreRefused) {
  Session session;
  std::vector<float> a(6, 1);
  const kerr_matrix good = matrix("a", "float32", a, 2);
  kerr_matrix result{};
  const auto eval = [&](const char* expression, kerr_matrix operand, const char* options = nullptr) {
    return ask(kerr_eval, session.device, expression, &operand, 1, options, &result, nullptr);
  };
  EXPECT_EQ(eval("a +", good), KERR_INVALID_ARGUMENT);
  EXPECT_TRUE(eval("a + b", good).has("'b'"));
  EXPECT_EQ(eval("a @ a", good), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(eval("a", {"a", "float31", a.data(), 2, 3}), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(eval("a", {"a", nullptr, a.data(), 2, 3}), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(eval("a", {nullptr, "float32", a.data(), 2, 3}), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(eval("a", {"a", "float32", nullptr, 2, 3}), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(eval("a", {"a", "float32", a.data(), 0, 3}), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(eval("a", {"a", "float32", a.data(), ~uint64_t{0}, ~uint64_t{0}}), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(eval("a", good, R"({"format": "f8"})"), KERR_INVALID_ARGUMENT);
  const kerr_matrix twice[] = {good, good};
  EXPECT_EQ(ask(kerr_eval, session.device, "a", twice, 2, nullptr, &result, nullptr), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(result.data, nullptr);
  EXPECT_EQ(session.info("used"), 0u) << "nothing stays on the device";
}

}  // namespace
}  // namespace kerr::c_test
