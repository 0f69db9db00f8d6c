#include "report/page/packed.hpp"

#include <gtest/gtest.h>

namespace kerr::report {
namespace {

TEST(Packed, ANumberTakesAByteForEachSevenBits) {
  std::string bytes;
  for (const uint64_t number : {0ull, 127ull, 128ull, 300ull}) put_number(bytes, number);
  EXPECT_EQ(bytes, std::string("\x00\x7F\x80\x01\xAC\x02", 6));
  bytes.clear();
  put_number(bytes, ~0ull);
  EXPECT_EQ(bytes.size(), 10u);
}

TEST(Packed, Base64IsThatOfRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xFB\xFF"), "+/8=");
}

}  // namespace
}  // namespace kerr::report
