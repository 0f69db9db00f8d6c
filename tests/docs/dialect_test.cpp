#include "tests/docs/dialect.hpp"

#include <gtest/gtest.h>

namespace kerr {
namespace {

using Strings = std::vector<std::string>;
const std::string kStd = "std::";  // apart, since this file is read too

TEST(Dialect, IsOneInAllRooms) {
  std::string all;
  for (const std::string& w : other_dialects_under(KERR_SOURCE_DIR)) all += w + "\n";
  EXPECT_EQ(all, "");
}

TEST(Dialect, WritesIntegersWithoutTheirNamespace) {
  EXPECT_EQ(other_dialects("int a;\n" + kStd + "uint32_t b;"), Strings{"2: " + kStd + "uint32_t is written uint32_t"});
  EXPECT_EQ(other_dialects("uint32_t b; size_t c; std::byte d;"), Strings{});
}

TEST(Dialect, WritesEnumeratorsWithoutK) {
  const std::string open = "enum " + std::string("class Colour : uint8_t {");
  EXPECT_EQ(other_dialects(open + " Red, kGreen = 3 };"), Strings{"1: kGreen of Colour is written Green"});
  EXPECT_EQ(other_dialects(open + " Red = kFirst };"), Strings{});
  EXPECT_EQ(other_dialects("enum : uint32_t { kWords = 4 };"), Strings{});
}

}  // namespace
}  // namespace kerr
