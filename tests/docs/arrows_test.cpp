#include "tests/docs/arrows.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace kerr {
namespace {

using Strings = std::vector<std::string>;

TEST(Arrows, AreThoseOfThePage) {
  std::ifstream file(KERR_SOURCE_DIR "/docs/architecture.md");
  const std::vector<Room> rooms = rooms_of(std::string{std::istreambuf_iterator<char>(file), {}});
  ASSERT_FALSE(rooms.empty());
  std::string all;
  for (const std::string& w : wrong_arrows(rooms, includes_under(KERR_SOURCE_DIR, rooms))) all += w + "\n";
  EXPECT_EQ(all, "");
}

TEST(Arrows, NobodyButItsTestsIncludesTheCommandLine) {
  for (const auto& [file, names] : includes_under(KERR_SOURCE_DIR, {{"bench", {}}, {"tests", {}}})) {
    if (file.starts_with("tests/cli/")) continue;
    for (const std::string& name : names) EXPECT_FALSE(name.starts_with("cli/")) << file << " includes " << name;
  }
}

const std::string kPage =
    "### Which room includes which\n\n| Room | Includes |\n|---|---|\n| `a` | nothing |\n| `b` | `a` |\n"
    "| `b/c` | `a`, `b` |\n\n### More\n| `d` | `e` |\n";

TEST(Arrows, OfThePageAreTheRowsOfItsTable) {
  const std::vector<Room> rooms = rooms_of(kPage);
  ASSERT_EQ(rooms.size(), 3u);
  EXPECT_EQ(rooms[2].name, "b/c");
  EXPECT_EQ(rooms[2].includes, (Strings{"a", "b"}));
}

TEST(Arrows, StartInTheSmallestRoomThatHoldsTheFile) {
  const std::vector<Room> rooms = rooms_of(kPage);
  EXPECT_EQ(room_of("b/x.hpp", rooms), "b");
  EXPECT_EQ(room_of("b/c/x.hpp", rooms), "b/c");
  EXPECT_EQ(room_of("b/c.cpp", rooms), "b/c");
  EXPECT_EQ(room_of("b/cd.cpp", rooms), "b");
  EXPECT_EQ(room_of("gtest/gtest.h", rooms), "");
}

TEST(Arrows, AreWrongIfUnknownUnusedOrUpwards) {
  const std::vector<Room> rooms = {{"a", {}}, {"b", {"a", "c"}}, {"c", {}}};
  EXPECT_EQ(wrong_arrows(rooms, {{"b/x.cpp", {"a/y.hpp", "fmt/format.h"}}, {"c/z.hpp", {"a/y.hpp"}}}),
            (Strings{"b -> c does not point to a row above", "c/z.hpp includes a/y.hpp: c -> a is not on the page",
                     "nobody uses b -> c"}));
}

}  // namespace
}  // namespace kerr
