// Options come from anywhere: what is wrong with them is said, and nothing else happens.
#include <random>

#include "tests/bindings/c/session.hpp"

namespace kerr::c_test {
namespace {

Answer open(const std::string& options) {
  kerr_device device = nullptr;
  const Answer answer = ask(kerr_device_open, options.c_str(), &device);
  if (answer == KERR_OK) {
    EXPECT_EQ(ask(kerr_device_close, device), KERR_OK);
  } else {
    EXPECT_EQ(device, nullptr);
  }
  return answer;
}

TEST(Options, ThatAreNotKnownAreNamed) {
  const Answer answer = open(R"({"bord": "p150"})");
  EXPECT_EQ(answer, KERR_INVALID_ARGUMENT);
  EXPECT_TRUE(answer.has("bord")) << answer;
  EXPECT_TRUE(answer.has("board, card, library")) << answer;
}

TEST(Options, OfTheWrongKindAreNamedWithWhatWouldBeRight) {
  EXPECT_TRUE(open(R"({"threads": "two"})").has("'threads' must be a whole number from 1 to 64"));
  EXPECT_TRUE(open(R"({"threads": 0})").has("from 1 to 64"));
  EXPECT_TRUE(open(R"({"threads": -1})").has("from 1 to 64"));
  EXPECT_TRUE(open(R"({"threads": 1.5})").has("from 1 to 64"));
  EXPECT_TRUE(open(R"({"threads": 1e400})").has("no JSON"));
  EXPECT_TRUE(open(R"({"board": "p200"})").has("one of p100a, p150, not 'p200'"));
  EXPECT_TRUE(open(R"({"strict": 1})").has("true or false"));
  EXPECT_TRUE(open(R"({"board": "p100a", "board": "p150"})").has("given twice"));
  EXPECT_TRUE(open(R"({"card": "0", "library": "x.so"})").has("one can be given"));
  EXPECT_TRUE(open(R"({"watch": "timeline"})").has("exact"));
}

TEST(Options, ThatAreNoObjectAreRefused) {
  for (const char* text :
       {"[]", "1", "null", "{", "{\"a\"", "{\"a\":}", "\"\xff\"", "{\"\xc0\": 1}", "{} {}", "nonsense"})
    EXPECT_EQ(open(text), KERR_INVALID_ARGUMENT) << text;
  EXPECT_EQ(open(std::string(100'000, '[')), KERR_INVALID_ARGUMENT);
  std::string deep;
  for (int i = 0; i < 50'000; ++i) deep += "{\"a\":";
  EXPECT_EQ(open(deep), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(open("{\"board\": \"" + std::string(2'000'000, 'x') + "\"}"), KERR_INVALID_ARGUMENT);
}

TEST(Options, MayBeLeftOut) {
  EXPECT_EQ(open(""), KERR_OK);
  EXPECT_EQ(open(R"({"threads": 1, "board": null})"), KERR_OK);
  kerr_device device = nullptr;
  ASSERT_EQ(ask(kerr_device_open, nullptr, &device), KERR_OK);
  EXPECT_EQ(ask(kerr_device_close, device), KERR_OK);
}

TEST(Options, ThatAreDamagedInAnyWayBringNothingDown) {
  const std::string right =
      R"({"threads": 1, "path": "definition", "progress_ms": 5, "noc_reorder": 7, "icache": "check", "timing": "sharp"})";
  std::mt19937 random(1);
  int parsed = 0;
  for (int i = 0; i < 5'000; ++i) {
    std::string text = right;
    for (uint32_t changes = 1 + random() % 4; changes != 0; --changes) {
      const size_t at = random() % text.size();
      switch (random() % 4) {
        case 0: text[at] = static_cast<char>(1 + random() % 255); break;
        case 1: text.erase(at, 1 + random() % 4); break;
        case 2: text.insert(at, 1, "{}[]\",:\\0e.-"[random() % 12]); break;
        default: text.insert(at, text.substr(random() % text.size(), 5)); break;
      }
      if (text.empty()) text = "{";
    }
    const Answer answer = open(text);  // "sharp" is no timing: none of them opens, unless that is changed
    parsed += answer.has("no JSON") ? 0 : 1;
    EXPECT_TRUE(answer == KERR_INVALID_ARGUMENT || answer == KERR_OK) << answer << " of " << text;
  }
  EXPECT_GT(parsed, 100);
}

}  // namespace
}  // namespace kerr::c_test
