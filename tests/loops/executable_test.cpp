// Blobs: what goes into a cache comes out of it, and nothing else is believed.
#include "loops/executable.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <stdexcept>

#include "loops/blob.hpp"

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

TEST(Blob, OfCodeForAnotherProgramIsRefused) {
  const std::string other = "kernel none\nparam p3 f32 4\nstore f32 p3[i32:0] f32:1.0\n";
  Blob blob = read_blob(Executable("p100a", kText, {.path = Path::Scalar}).blob());
  blob.text = other;
  EXPECT_THROW(Executable::from_blob(to_bytes(blob), ""), std::invalid_argument);
  blob.text = kText;
  EXPECT_NO_THROW(Executable::from_blob(to_bytes(blob), ""));
  blob.options.max_harts = 3;
  EXPECT_THROW(Executable::from_blob(to_bytes(blob), ""), std::invalid_argument);
}

// Whoever can write a cache can make its checksums right.
TEST(Blob, WithARightChecksumAndWrongContentsBringsNothingDown) {
  const Blob right = read_blob(Executable("p100a", kText, {.path = Path::Scalar}).blob());
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    Blob wrong = right;
    for (uint32_t changes = 1 + random() % 4; changes != 0; --changes) {
      const uint64_t values[] = {0, 1, ~uint64_t{0}, random(), uint64_t{random()} << 32, 100, 0x80000000};
      const uint64_t value = values[random() % std::size(values)];
      // Numbers stand at multiples of 8 as long as the texts before them are left alone.
      const size_t at = random() % 2 == 0 ? random() % wrong.code.size()
                                          : random() % std::min<size_t>(wrong.code.size(), 400) / 8 * 8;
      switch (random() % 8) {
        case 0: wrong.code.resize(at + 1); break;
        case 1: wrong.text[random() % wrong.text.size()] = static_cast<char>(random()); break;
        case 2: wrong.code.insert(wrong.code.begin() + static_cast<ptrdiff_t>(at), 8, std::byte{1}); break;
        default: std::memcpy(&wrong.code[at], &value, std::min<size_t>(8, wrong.code.size() - at)); break;
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
  EXPECT_GT(refused, 5'000);
}

TEST(Blob, HasAHeadThatIsNotBelieved) {
  const std::vector<std::byte> right = Executable("p100a", kText, {.path = Path::Definition}).blob();
  for (size_t at = 0; at < 60; ++at) {
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
