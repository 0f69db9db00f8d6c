// Blobs: what goes into a cache comes out of it, and nothing else is believed.
#include "loops/executable.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "loops/blob.hpp"
#include "loops/interpret.hpp"

namespace kerr::loops {
namespace {

const std::string kText =
    "kernel add\nparam p0 i32 100\nparam p1 i32 100\nvar %1 i32 n 0 100\n%2 = loop i32 %1 weak\n%3 = load i32 p1[%2]\n"
    "%4 = add i32 %3 i32:5\nstore i32 p0[%2] %4\nend %2\n";

TEST(Executable, ComesBackFromItsBlob) {
  for (const Path path : {Path::Definition, Path::Scalar}) {
    const Executable made("p150", kText, {.path = path, .max_harts = 7});
    const Executable back = Executable::from_blob(made.blob(), "p150");
    EXPECT_EQ(back.blob(), made.blob());
    EXPECT_EQ(back.explain(), made.explain());
    EXPECT_EQ(back.board(), "p150");
    EXPECT_EQ(back.text(), kText);
    EXPECT_EQ(back.options().path, path);
    EXPECT_EQ(back.options().max_harts, 7u);
    EXPECT_EQ(print(back.program()), print(made.program()));
    EXPECT_THROW(Executable::from_blob(made.blob(), "p100a"), std::invalid_argument);
    EXPECT_NO_THROW(Executable::from_blob(made.blob(), ""));
  }
}

TEST(Executable, IsRefusedForBoardsAndHartsThatAreNot) {
  EXPECT_THROW(Executable("p200", kText), std::invalid_argument);
  EXPECT_THROW(Executable("p100a", kText, {.max_harts = 0}), std::invalid_argument);
  EXPECT_THROW(Executable("p100a", kText, {.max_harts = 237}), std::invalid_argument);
  EXPECT_THROW(Executable("p100a", "nonsense"), ProgramError);
}

TEST(Executable, HasALimitOfTimeThatFollowsFromItsLoops) {
  const auto seconds = [](const std::string& extent, std::vector<int64_t> numbers = {}) {
    const std::string text = "kernel k\nparam p0 i32 1\nvar %n i64 n 0 9000000000000000000\n%1 = loop i64 " + extent +
                             " weak\nstore i32 p0[i32:0] i32:1\nend %1\n";
    numbers.resize(1);
    return std::chrono::duration_cast<std::chrono::seconds>(Executable("p100a", text).usual_limit(numbers)).count();
  };
  EXPECT_EQ(seconds("i64:1000"), 30);
  EXPECT_GT(seconds("i64:10000000"), 130);
  EXPECT_EQ(seconds("%n", {1000}), 30);
  EXPECT_EQ(seconds("%n", {10'000'000}), seconds("i64:10000000"));
  EXPECT_EQ(seconds("i64:9000000000000000000"), 3600);
  const std::string endless =
      "kernel k\nparam p0 i32 1\ndo %1\n%2 = load i32 p0[i32:0]\n%3 = cmpeq i32 %2 %2\nwhile %1 %3\n";
  for (const Path path : {Path::Definition, Path::Scalar})
    EXPECT_EQ(Executable("p100a", endless, {.path = path}).usual_limit({}), std::chrono::seconds(30));
  const std::vector<int64_t> none, two(2);
  const Executable of_one("p100a", "kernel k\nparam p0 i32 1\nvar %n i64 n 0 9\nstore i32 p0[i32:0] i32:1\n");
  EXPECT_THROW(of_one.usual_limit(none), RunError);
  EXPECT_THROW(of_one.usual_limit(two), RunError);
}

TEST(Blob, HoldsNoCode) {
  const auto of = [](Path path) { return Executable("p100a", kText, {.path = path}).blob(); };
  EXPECT_EQ(of(Path::Scalar).size(), of(Path::Definition).size());
  EXPECT_LT(of(Path::Scalar).size(), kText.size() + 100);
}

TEST(Blob, GivesTheSameCodeHoweverOftenAndInWhateverOrderItIsLoaded) {
  std::vector<std::vector<std::byte>> blobs;
  std::vector<std::string> explanations;
  for (uint32_t harts = 1; harts <= 20; ++harts) {
    const Executable made("p100a", kText,
                          {.path = harts % 3 == 0 ? Path::Definition : Path::Scalar, .max_harts = harts});
    blobs.push_back(made.blob());
    explanations.push_back(made.explain());
  }
  for (int again = 0; again < 2; ++again) {
    for (size_t k = blobs.size(); k-- > 0;) {
      const Executable back = Executable::from_blob(blobs[k], "p100a");
      EXPECT_EQ(back.explain(), explanations[k]);
      EXPECT_EQ(back.options().max_harts, k + 1);
    }
  }
}

TEST(Blob, IsLoadedByManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (uint32_t k = 0; k < 4; ++k) {
    threads.emplace_back([&right, k] {
      for (uint32_t i = 0; i < 50; ++i) {
        const Executable made("p100a", kText, {.max_harts = 1 + (i + k) % 10});
        const Executable back = Executable::from_blob(made.blob(), "p100a");
        right += back.options() == made.options() && back.explain() == made.explain();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 200);
}

// Whoever can write a cache can make its checksums right.
TEST(Blob, WithARightChecksumAndWrongContentsBringsNothingDown) {
  const Blob right = read_blob(Executable("p100a", kText, {.path = Path::Scalar}).blob());
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 5'000; ++i) {
    Blob wrong = right;
    for (uint32_t changes = 1 + random() % 4; changes != 0; --changes) {
      const size_t at = random() % wrong.text.size();
      switch (random() % 8) {
        case 0: wrong.text.resize(at + 1); break;
        case 1: wrong.text.insert(at, wrong.text.substr(random() % wrong.text.size(), random() % 40)); break;
        case 2: wrong.options.max_harts = random() % 2 == 0 ? random() : random() % 300; break;
        case 3: wrong.board = random() % 2 == 0 ? "p150" : std::string(random() % 70, 'p'); break;
        default: wrong.text[at] = static_cast<char>(random()); break;
      }
    }
    try {
      (void)Executable::from_blob(to_bytes(wrong), "").explain();
    } catch (const std::invalid_argument&) {
      ++refused;
    } catch (const ProgramError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 2'000);
}

TEST(Blob, HasAHeadThatIsNotBelieved) {
  const std::vector<std::byte> right = Executable("p100a", kText, {.path = Path::Definition}).blob();
  for (size_t at = 0; at < 52; ++at) {
    for (const int value : {0, 1, 0x7F, 0x80, 0xFF}) {
      std::vector<std::byte> wrong = right;
      wrong[at] = static_cast<std::byte>(value);
      if (wrong == right) continue;
      EXPECT_THROW(read_blob(wrong), std::invalid_argument) << at;
    }
  }
}

}  // namespace
}  // namespace kerr::loops
