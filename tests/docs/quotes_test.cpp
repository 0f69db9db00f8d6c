#include "tests/docs/quotes.hpp"

#include <gtest/gtest.h>

namespace kerr {
namespace {

TEST(Quotes, AreWordForWordInTheirFiles) {
  std::string all;
  for (const std::string& w : wrong_quotes(KERR_SOURCE_DIR)) all += w + "\n";
  EXPECT_EQ(all, "");
}

TEST(Quotes, AreTheBlocksBehindMarks) {
  const auto quotes = quotes_of(
      "a\n<!-- from x.cpp -->\n```cpp\none\n\n  two\n```\n```cpp\nno quote\n```\n<!-- from y.cpp -->\ntext\n");
  ASSERT_EQ(quotes.size(), 2u);
  EXPECT_EQ(quotes[0].line, 2u);
  EXPECT_EQ(quotes[0].file, "x.cpp");
  EXPECT_EQ(quotes[0].block, "one\n\n  two\n");
  EXPECT_EQ(quotes[1].file, "y.cpp");
  EXPECT_EQ(quotes[1].block, "");
}

}  // namespace
}  // namespace kerr
