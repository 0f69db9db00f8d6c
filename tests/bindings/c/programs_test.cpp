#include <cstring>
#include <numeric>
#include <random>

#include "tests/bindings/c/session.hpp"

namespace kerr::c_test {
namespace {

struct Blob {
  Blob(const std::string& text, const char* options = nullptr, const char* board = "p100a") {
    void* data = nullptr;
    size_t size = 0;
    EXPECT_EQ(ask(kerr_compile, board, text.c_str(), options, &data, &size), KERR_OK);
    bytes.assign(static_cast<char*>(data), static_cast<char*>(data) + size);
    EXPECT_EQ(kerr_free(data), KERR_OK);
  }
  std::string bytes;
};

std::vector<int32_t> numbers(int count) {
  std::vector<int32_t> all(static_cast<size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(Programs, RunOnBuffers) {
  Session session;
  const kerr_buffer from = session.holding(numbers(3000)), to = session.holding(std::vector<int32_t>(3000, -7));
  const kerr_program program = session.load(increment(3000));
  int64_t ns = 0;
  const kerr_view views[] = {{to, 0, 12'000}, {from, 0, 12'000}};
  ASSERT_EQ(ask(kerr_launch, program, views, 2, nullptr, 0, nullptr, &ns), KERR_OK);
  EXPECT_EQ(ns, -1) << "relaxed cycles are no time";
  const std::vector<int32_t> got = session.read<int32_t>(to, 3000);
  for (int i = 0; i < 3000; ++i) ASSERT_EQ(got[static_cast<size_t>(i)], i + 1);
  EXPECT_EQ(session.read<int32_t>(from, 3000), numbers(3000));
}

TEST(Programs, RunOnViewsAtAnyByteAndWriteNothingBesideThem) {
  Session session;
  const kerr_program program = session.load(increment(100));
  std::vector<uint8_t> bytes(2000, 0xA5);
  const kerr_buffer buffer = session.holding(bytes);
  const std::vector<int32_t> all = numbers(100);
  ASSERT_EQ(ask(kerr_buffer_write, buffer, 1003, all.data(), 400), KERR_OK);
  ASSERT_EQ(session.launch(program, {{buffer, 401, 400}, {buffer, 1003, 400}}), KERR_OK);
  for (int32_t i = 0; i < 100; ++i) {
    const int32_t made = i + 1;
    std::memcpy(&bytes[401 + 4 * static_cast<size_t>(i)], &made, 4);
    std::memcpy(&bytes[1003 + 4 * static_cast<size_t>(i)], &i, 4);
  }
  EXPECT_EQ(session.read<uint8_t>(buffer, 2000), bytes);
}

TEST(Programs, AreSharedByNoMoreHartsThanTheDeviceAllows) {
  constexpr int kCount = 20'000;
  const auto nanoseconds = [&](const char* options) {
    Session session(options);
    const kerr_buffer from = session.holding(numbers(kCount)), to = session.alloc(4 * kCount);
    const kerr_view views[] = {{to, 0, 4 * kCount}, {from, 0, 4 * kCount}};
    int64_t ns = 0;
    EXPECT_EQ(ask(kerr_launch, session.load(increment(kCount)), views, 2, nullptr, 0, nullptr, &ns), KERR_OK);
    EXPECT_EQ(session.read<int32_t>(to, kCount).back(), kCount);
    return ns;
  };
  EXPECT_GT(nanoseconds(R"({"timing": "exact", "path": "scalar", "max_harts": 1})"),
            3 * nanoseconds(R"({"timing": "exact", "path": "scalar"})"));
  EXPECT_EQ(Session(R"({"timing": "exact", "threads": 1})").info("max_harts"), 236u);
  EXPECT_EQ(Session(R"({"threads": 2})").info("max_harts"), 16u);
  EXPECT_EQ(Session(R"({"threads": 2, "max_harts": 5})").info("max_harts"), 5u);
  kerr_device device = nullptr;
  EXPECT_EQ(ask(kerr_device_open, R"({"max_harts": 0})", &device), KERR_INVALID_ARGUMENT);
}

TEST(Programs, ThatNoHartCanHoldAreLeftToTheDefinition) {
  constexpr int64_t kStores = 20'000;
  std::string text = "kernel large\nparam p0 i64 " + std::to_string(kStores) + "\n";
  for (int64_t i = 0; i < kStores; ++i)
    text += "store i64 p0[i32:" + std::to_string(i) + "] i64:" + std::to_string(i << 33 | 5) + "\n";
  void* data = nullptr;
  size_t size = 0;
  EXPECT_EQ(ask(kerr_compile, "p100a", text.c_str(), R"({"path": "scalar"})", &data, &size), KERR_UNSUPPORTED);
  const Blob blob(text);
  char* json = nullptr;
  ASSERT_EQ(ask(kerr_blob_explain, blob.bytes.data(), blob.bytes.size(), &json), KERR_OK);
  EXPECT_NE(std::string(json).find(R"("path":"definition")"), std::string::npos);
  EXPECT_EQ(kerr_free(json), KERR_OK);
  Session session;
  const kerr_buffer buffer = session.holding(std::vector<int64_t>(kStores));
  ASSERT_EQ(session.launch(session.load(text), {{buffer, 0, 8 * kStores}}), KERR_OK);
  EXPECT_EQ(session.read<int64_t>(buffer, kStores).back(), (kStores - 1) << 33 | 5);
}

TEST(Programs, SeeTheirOwnStoresThroughOverlappingViews) {
  Session session;
  const kerr_program program = session.load(increment(100));
  const kerr_buffer buffer = session.holding(std::vector<int32_t>(200, 0));
  // p0 begins one element behind p1: each load sees the store before it.
  ASSERT_EQ(session.launch(program, {{buffer, 4, 400}, {buffer, 0, 400}}), KERR_OK);
  EXPECT_EQ(session.read<int32_t>(buffer, 101), numbers(101));
}

TEST(Programs, TakeNumbers) {
  Session session;
  const kerr_program program = session.load(
      "kernel some\nparam p0 i32 10\nvar %1 i32 n 0 10\n%2 = loop i32 %1 weak\nstore i32 p0[%2] i32:5\nend %2\n");
  const kerr_buffer buffer = session.holding(std::vector<int32_t>(10, 0));
  EXPECT_EQ(session.launch(program, {{buffer, 0, 40}}, nullptr, {3}), KERR_OK);
  EXPECT_EQ(session.read<int32_t>(buffer, 10), (std::vector<int32_t>{5, 5, 5, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(session.launch(program, {{buffer, 0, 40}}, nullptr, {0}), KERR_OK);
  EXPECT_TRUE(session.launch(program, {{buffer, 0, 40}}, nullptr, {11}).has("n is 11, and must be from 0 to 10"));
  EXPECT_EQ(session.launch(program, {{buffer, 0, 40}}), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(session.launch(program, {{buffer, 0, 40}}, nullptr, {1, 2}), KERR_INVALID_ARGUMENT);
}

TEST(Programs, RefuseViewsThatDoNotFit) {
  Session session, other;
  const kerr_program program = session.load(increment(4));
  const kerr_buffer buffer = session.alloc(20), foreign = other.alloc(20);
  const kerr_view right = {buffer, 0, 16};
  EXPECT_EQ(session.launch(program, {right, {buffer, 4, 16}}), KERR_OK);
  EXPECT_EQ(session.launch(program, {right}), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(session.launch(program, {right, right, right}), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(session.launch(program, {right, {buffer, 5, 16}}), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(session.launch(program, {right, {buffer, ~uint64_t{0}, 16}}), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(session.launch(program, {right, {buffer, 0, 15}}), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(session.launch(program, {right, {foreign, 0, 16}}), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(session.launch(program, {right, {nullptr, 0, 16}}), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_launch, program, nullptr, 2, nullptr, 0, nullptr, nullptr), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(session.launch(program, {right, right}, R"({"timeout": 5})"), KERR_INVALID_ARGUMENT);
}

TEST(Programs, ThatAreNoneSayLineAndColumn) {
  void* blob = nullptr;
  size_t bytes = 0;
  const Answer answer = ask(kerr_compile, "p100a", "kernel x\nparam p0 f33 5\n", nullptr, &blob, &bytes);
  EXPECT_EQ(answer, KERR_PROGRAM);
  EXPECT_TRUE(answer.has(R"("line":2)")) << answer.json;
  EXPECT_TRUE(answer.has(R"("column":10)")) << answer.json;
  EXPECT_EQ(blob, nullptr);
  EXPECT_EQ(ask(kerr_compile, "p200", "kernel x\n", nullptr, &blob, &bytes), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(ask(kerr_compile, nullptr, "kernel x\n", nullptr, &blob, &bytes), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(ask(kerr_compile, "p100a", "kernel x\n", R"({"max_harts": 237})", &blob, &bytes), KERR_INVALID_ARGUMENT);
}

TEST(Programs, ThatAccessWhatIsNotTheirsFaultAndTheDeviceGoesOn) {
  Session session(R"({"threads": 1, "path": "definition"})");
  const kerr_buffer buffer = session.holding(numbers(4));
  const kerr_program wild =
      session.load("kernel wild\nparam p0 i32 4\nstore i32 p0[i32:1] i32:50\nstore i32 p0[i32:-1] i32:1\n");
  const Answer answer = session.launch(wild, {{buffer, 0, 16}});
  EXPECT_EQ(answer, KERR_FAULT);
  EXPECT_TRUE(answer.has(R"("line":4)")) << answer.json;
  EXPECT_EQ(session.launch(session.load(increment(4)), {{buffer, 0, 16}, {buffer, 0, 16}}), KERR_OK);
  EXPECT_EQ(session.read<int32_t>(buffer, 4)[3], 4);
}

TEST(Programs, ThatFaultOnTheDeviceNameTheirLineAndLeaveOtherBytesAlone) {
  Session session;
  const kerr_buffer buffer = session.holding(numbers(1000));
  const kerr_program wild =
      session.load("kernel wild\nparam p0 i32 4\n%1 = loop i32 i32:900 weak\nstore i32 p0[%1] i32:-1\nend %1\n",
                   R"({"path": "scalar", "check_bounds": true})");
  const Answer answer = session.launch(wild, {{buffer, 0, 16}});
  EXPECT_EQ(answer, KERR_FAULT);
  EXPECT_TRUE(answer.has("wild:4")) << answer.json;
  EXPECT_EQ(session.info("resets"), 1u);
  std::vector<int32_t> rest = numbers(1000);
  rest.erase(rest.begin(), rest.begin() + 4);
  EXPECT_EQ(session.read<int32_t>(buffer, 996, 16), rest);
  EXPECT_EQ(session.launch(session.load(increment(4)), {{buffer, 16, 16}, {buffer, 16, 16}}), KERR_OK);
  EXPECT_EQ(session.read<int32_t>(buffer, 1, 16)[0], 5);
}

TEST(Programs, ThatNeverEndTimeOutAndTheDeviceGoesOn) {
  Session session;
  const kerr_buffer kept = session.holding(numbers(4)), buffer = session.holding(numbers(1));
  const Answer answer = session.launch(session.load(kEndless), {{buffer, 0, 4}}, R"({"timeout_ms": 150})");
  EXPECT_EQ(answer, KERR_TIMEOUT);
  EXPECT_EQ(session.read<int32_t>(kept, 4), numbers(4));
  EXPECT_EQ(session.launch(session.load(increment(4)), {{kept, 0, 16}, {kept, 0, 16}}), KERR_OK);
  EXPECT_EQ(session.read<int32_t>(kept, 4)[0], 1);
}

TEST(Programs, ThatNeverEndTakeNoLongerThanTheDeviceAllows) {
  Session session(R"({"threads": 1, "timeout_ms": 100})");
  const kerr_buffer buffer = session.holding(numbers(1));
  const kerr_program endless = session.load(kEndless);
  EXPECT_TRUE(session.launch(endless, {{buffer, 0, 4}}).has("has not ended within 100 ms"));
  EXPECT_TRUE(session.launch(endless, {{buffer, 0, 4}}, R"({"timeout_ms": 120})").has("within 120 ms"));
}

TEST(Programs, AreComparedWithTheDefinitionOnRequest) {
  Session session(R"({"threads": 1, "check": "definition"})");
  const kerr_program program = session.load(increment(100));
  const kerr_buffer buffer = session.holding(numbers(200));
  EXPECT_EQ(session.launch(program, {{buffer, 400, 400}, {buffer, 0, 400}}), KERR_OK);
  EXPECT_EQ(session.launch(program, {{buffer, 4, 400}, {buffer, 0, 400}}), KERR_OK);
  EXPECT_EQ(session.read<int32_t>(buffer, 101), numbers(101));
}

TEST(Blobs, SayWhatTheyAre) {
  const Blob blob(increment(4), R"({"path": "definition"})", "p150");
  char* json = nullptr;
  ASSERT_EQ(ask(kerr_blob_explain, blob.bytes.data(), blob.bytes.size(), &json), KERR_OK);
  const std::string text = text_and_free(json);
  for (const char* part :
       {R"("name":"increment")", R"("board":"p150")", R"("path":"definition")", R"("type":"i32")", R"("bytes":16)"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
}

TEST(Blobs, AreTheSameForTheSameProgram) { EXPECT_EQ(Blob(increment(9)).bytes, Blob(increment(9)).bytes); }

TEST(Blobs, OfAnotherBoardOrVersionAreRefusedWithAdvice) {
  Session session;
  kerr_program program = nullptr;
  const Blob other(increment(4), nullptr, "p150");
  EXPECT_TRUE(
      ask(kerr_program_load, session.device, other.bytes.data(), other.bytes.size(), &program).has("for a p150"));
  std::string old = Blob(increment(4)).bytes;
  const size_t at = old.find(kerr_version(nullptr));
  ASSERT_NE(at, std::string::npos);
  old[at] = '9';
  const Answer answer = ask(kerr_program_load, session.device, old.data(), old.size(), &program);
  EXPECT_EQ(answer, KERR_BAD_BLOB);
  EXPECT_TRUE(answer.has("compile it again")) << answer;
  EXPECT_TRUE(answer.has("made by version 9")) << answer;
  EXPECT_EQ(program, nullptr);
}

TEST(Blobs, ThatAreCutOffOrChangedAnywhereAreRefused) {
  Session session;
  const auto load = [&](const std::string& bytes) {
    kerr_program program = nullptr;
    return ask(kerr_program_load, session.device, bytes.data(), bytes.size(), &program);
  };
  const std::string small = Blob(increment(4), R"({"path": "definition"})").bytes;
  ASSERT_EQ(load(small), KERR_OK);
  for (size_t size = 0; size < small.size(); ++size) ASSERT_EQ(load(small.substr(0, size)), KERR_BAD_BLOB) << size;
  EXPECT_EQ(load(small + "x"), KERR_BAD_BLOB);
  for (size_t bit = 0; bit < 8 * small.size(); ++bit) {
    std::string wrong = small;
    wrong[bit / 8] = static_cast<char>(wrong[bit / 8] ^ (1 << bit % 8));
    ASSERT_EQ(load(wrong), KERR_BAD_BLOB) << bit;
  }
  const std::string large = Blob(increment(4)).bytes;
  ASSERT_EQ(load(large), KERR_OK);
  std::mt19937 random(1);
  for (int i = 0; i < 5'000; ++i) {
    std::string wrong = large;
    for (uint32_t changes = 1 + random() % 8; changes != 0; --changes) {
      const size_t at = random() % 2 == 0 ? random() % 80 : random() % wrong.size();
      const uint64_t values[] = {0, ~uint64_t{0}, random() % 300, uint64_t{random()} << random() % 33};
      std::memcpy(&wrong[at], &values[random() % 4], std::min<size_t>(8, wrong.size() - at));
    }
    if (wrong == large) continue;
    ASSERT_EQ(load(wrong), KERR_BAD_BLOB);
  }
}

}  // namespace
}  // namespace kerr::c_test
