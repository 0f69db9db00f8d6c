// Matrices that stay on the device.
#include <string>

#include "tests/bindings/c/session.hpp"

namespace kerr::c_test {
namespace {

kerr_tensor tensor(const Session& session, std::vector<float> values, uint64_t rows, const char* options = nullptr) {
  const kerr_matrix matrix = {nullptr, "float32", values.data(), rows, values.size() / rows};
  kerr_tensor made = nullptr;
  EXPECT_EQ(ask(kerr_tensor_make, session.device, &matrix, options, &made), KERR_OK);
  return made;
}

kerr_tensor_info describe(kerr_tensor tensor) {
  kerr_tensor_info info{};
  EXPECT_EQ(ask(kerr_tensor_describe, tensor, &info), KERR_OK);
  return info;
}

std::vector<float> floats(kerr_tensor tensor) {
  const kerr_tensor_info info = describe(tensor);
  std::vector<float> out(info.rows * info.columns);
  EXPECT_EQ(ask(kerr_tensor_read, tensor, "float32", out.data(), out.size() * 4), KERR_OK);
  return out;
}

kerr_tensor eval(const Session& session, const char* expression, const std::vector<kerr_operand>& operands,
                 const char* options = R"({"format": "fp32"})") {
  kerr_tensor made = nullptr;
  EXPECT_EQ(
      ask(kerr_tensor_eval, session.device, expression, operands.data(), operands.size(), options, &made, nullptr),
      KERR_OK);
  return made;
}

std::vector<float> counted(size_t count, float first = 0, float step = 1) {
  std::vector<float> out(count);
  for (size_t i = 0; i < count; ++i) out[i] = first + step * static_cast<float>(i);
  return out;
}

TEST(Tensors, KeepNumbersInTheirFormat) {
  const Session session;
  const kerr_tensor exact = tensor(session, counted(33 * 7), 33, R"({"format": "fp32"})");
  EXPECT_EQ(floats(exact), counted(33 * 7));
  EXPECT_STREQ(describe(exact).format, "fp32");
  EXPECT_EQ(describe(exact).place.bytes, 2 * 4096u) << "two tiles";
  const kerr_tensor rounded = tensor(session, {1, 1.0001f, -3.14159f}, 1);
  EXPECT_EQ(floats(rounded), (std::vector<float>{1, 1, -3.140625f}));
  std::vector<uint16_t> bits(3);
  ASSERT_EQ(ask(kerr_tensor_read, rounded, "bfloat16", bits.data(), 6), KERR_OK);
  EXPECT_EQ(bits, (std::vector<uint16_t>{0x3F80, 0x3F80, 0xC049}));
}

TEST(Tensors, AreReadInTypesThatChangeNothing) {
  const Session session;
  const kerr_tensor exact = tensor(session, {1, 2}, 1, R"({"format": "fp32"})");
  std::vector<std::byte> room(16);
  EXPECT_EQ(ask(kerr_tensor_read, exact, "bfloat16", room.data(), 4), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(ask(kerr_tensor_read, exact, "int32", room.data(), 8), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(ask(kerr_tensor_read, exact, nullptr, room.data(), 8), KERR_INVALID_ARGUMENT);
  EXPECT_TRUE(ask(kerr_tensor_read, exact, "float32", room.data(), 4).has("8 bytes"));
  EXPECT_EQ(ask(kerr_tensor_read, exact, "float32", nullptr, 8), KERR_INVALID_ARGUMENT);
}

TEST(Tensors, AreOperandsWithoutAWayThroughTheHost) {
  const Session session;
  const kerr_tensor a = tensor(session, counted(40 * 50, -1, 0.001f), 40, R"({"format": "fp32"})");
  const kerr_tensor twice = eval(session, "a + a", {{"a", a, nullptr}});
  std::vector<float> one = {0.5f};
  const kerr_matrix number = {nullptr, "float32", one.data(), 1, 1};
  const std::vector<float> got = floats(eval(session, "t * s", {{"t", twice, nullptr}, {"s", nullptr, &number}}));
  EXPECT_EQ(got, floats(a)) << "and its operands stay as they are";
  EXPECT_EQ(session.info("tensors"), 3u);
}

// Numbers beside a matrix, in its last tiles, must not reach a sum, a product or a maximum.
TEST(Tensors, ThatDoNotFillTheirTilesAreSummedRight) {
  const Session session;
  for (const char* format : {R"({"format": "fp32"})", R"({"format": "bf16"})"}) {
    const kerr_tensor a = tensor(session, std::vector<float>(33 * 48, -2), 33, format);
    const kerr_tensor one = eval(session, "exp(a - a)", {{"a", a, nullptr}}, format);  // 1 beside the matrix, too
    EXPECT_EQ(floats(eval(session, "sum(t)", {{"t", one, nullptr}})), (std::vector<float>{33 * 48})) << format;
    EXPECT_EQ(floats(eval(session, "max(a)", {{"a", a, nullptr}})), (std::vector<float>{-2})) << format;
    EXPECT_EQ(floats(eval(session, "t @ t.T", {{"t", one, nullptr}})), std::vector<float>(33 * 33, 48)) << format;
  }
}

TEST(Tensors, OfResultsAreThoseOfTheHostBitForBit) {
  const Session session;
  std::vector<float> a = counted(70 * 96, -2, 0.0007f), b = counted(96 * 40, 1, -0.0005f);
  const kerr_matrix left = {"a", "float32", a.data(), 70, 96}, right = {"b", "float32", b.data(), 96, 40};
  const kerr_matrix both[] = {left, right};
  for (const char* expression :
       {"gelu(a @ b)", "softmax(a @ b)", "(a @ b).T", "rowsum(a) * 2", "(a @ b).max(axis=0)"}) {
    kerr_matrix on_host{};
    ASSERT_EQ(ask(kerr_eval, session.device, expression, both, 2, nullptr, &on_host, nullptr), KERR_OK) << expression;
    const kerr_operand operands[] = {{"a", tensor(session, a, 70), nullptr}, {"b", nullptr, &right}};
    kerr_tensor result = nullptr;
    char* report = nullptr;
    ASSERT_EQ(ask(kerr_tensor_eval, session.device, expression, operands, 2, R"({"check": true})", &result, &report),
              KERR_OK);
    EXPECT_NE(text_and_free(report).find(R"("verdict":"verified")"), std::string::npos) << expression;
    const auto* numbers = static_cast<const float*>(on_host.data);
    EXPECT_EQ(floats(result), std::vector<float>(numbers, numbers + on_host.rows * on_host.columns)) << expression;
    EXPECT_EQ(kerr_free(on_host.data), KERR_OK);
  }
}

TEST(Tensors, OfIntegersStayIntegers) {
  const Session session;
  std::vector<int32_t> numbers = {-2147483647, 5, 70000};
  const kerr_matrix matrix = {nullptr, "int32", numbers.data(), 1, 3};
  kerr_tensor made = nullptr;
  ASSERT_EQ(ask(kerr_tensor_make, session.device, &matrix, nullptr, &made), KERR_OK);
  const kerr_tensor more = eval(session, "n + 1", {{"n", made, nullptr}});
  ASSERT_EQ(ask(kerr_tensor_read, more, "int32", numbers.data(), 12), KERR_OK);
  EXPECT_EQ(numbers, (std::vector<int32_t>{-2147483646, 6, 70001}));
}

TEST(Tensors, OutliveAResetWithTheirNumbers) {
  const Session session;
  const kerr_tensor t = tensor(session, counted(64 * 64), 64, R"({"format": "fp32"})");
  const uint64_t address = describe(t).place.address;
  EXPECT_EQ(session.launch(session.load(kEndless), {{session.alloc(4), 0, 4}}, R"({"timeout_ms": 50})"), KERR_TIMEOUT);
  EXPECT_EQ(session.info("resets"), 1u);
  EXPECT_EQ(floats(t), counted(64 * 64));
  EXPECT_EQ(describe(t).place.address, address);
}

TEST(Tensors, AreFreedOnce) {
  const Session session;
  const kerr_tensor t = tensor(session, counted(64 * 64), 64);
  EXPECT_NE(session.info("used"), 0u);
  EXPECT_EQ(ask(kerr_tensor_free, t), KERR_OK);
  EXPECT_EQ(ask(kerr_tensor_free, t), KERR_INVALID_HANDLE);
  EXPECT_EQ(session.info("used"), 0u);
  kerr_tensor_info info{};
  EXPECT_EQ(ask(kerr_tensor_describe, t, &info), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_buffer_free, reinterpret_cast<kerr_buffer>(t)), KERR_INVALID_HANDLE);
}

TEST(Tensors, ThatMakeNoSenseAreRefused) {
  const Session session, other;
  std::vector<float> one = {1};
  const kerr_matrix matrix = {nullptr, "float32", one.data(), 1, 1};
  const kerr_tensor mine = tensor(session, {1, 2}, 1), theirs = tensor(other, {1, 2}, 1);
  kerr_tensor made = nullptr;
  const auto eval = [&](const char* expression, const std::vector<kerr_operand>& operands,
                        const char* options = nullptr) {
    return ask(kerr_tensor_eval, session.device, expression, operands.data(), operands.size(), options, &made, nullptr);
  };
  EXPECT_EQ(ask(kerr_tensor_make, session.device, &matrix, R"({"format": "f8"})", &made), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(ask(kerr_tensor_make, session.device, nullptr, nullptr, &made), KERR_INVALID_ARGUMENT);
  EXPECT_TRUE(eval("t + 1", {{"t", theirs, nullptr}}).has("another device"));
  EXPECT_TRUE(eval("t + 1", {{"t", nullptr, nullptr}}).has("neither"));
  EXPECT_TRUE(eval("t + 1", {{nullptr, mine, nullptr}}).has("no name"));
  EXPECT_TRUE(eval("t + 1", {{"t", mine, nullptr}, {"t", nullptr, &matrix}}).has("two operands"));
  EXPECT_TRUE(eval("t + u", {{"t", mine, nullptr}}).has("'u'"));
  EXPECT_EQ(eval("t @ t", {{"t", mine, nullptr}}), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(eval("t + 1", {{"t", mine, nullptr}}, R"({"keep": true})"), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(session.info("tensors"), 1u);
}

}  // namespace
}  // namespace kerr::c_test
