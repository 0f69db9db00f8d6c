#include "cli/sizes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/syntax/syntax.hpp"

namespace kerr::cli {
namespace {

std::string sizes(std::string_view text) {
  std::string out;
  try {
    for (const SweepSize& size : sweep_sizes("--sizes", text)) out += fmt::format("{}/{}/{} ", size.m, size.n, size.k);
  } catch (const UsageError& error) {
    return error.what();
  }
  return out;
}

TEST(SweepSizes, AreNumbersRangesAndProducts) {
  EXPECT_EQ(sizes("64"), "64/64/64 ");
  EXPECT_EQ(sizes("32,512x1024x64"), "32/32/32 512/1024/64 ");
  EXPECT_EQ(sizes("128:1024:*2"), "128/128/128 256/256/256 512/512/512 1024/1024/1024 ");
  EXPECT_EQ(sizes("100:199:*2"), "100/100/100 ");
  EXPECT_EQ(sizes("64:200:+64"), sizes("64,128,192"));
  EXPECT_EQ(sizes("64:200:64"), sizes("64,128,192"));
}

TEST(SweepSizes, AreRefusedByASentenceThatNamesThePart) {
  for (const auto& [text, why] : {std::pair{"", "a size is missing"},
                                  {"64,", "--sizes 64,: a size is missing beside a comma"},
                                  {"a", "'a' is no size"},
                                  {"0", "from 1 to 1048576"},
                                  {"-5", "'-5' is no size"},
                                  {"99999999999999999999", "no size"},
                                  {"64:32:*2", "begins above its end"},
                                  {"64:128", "first size, a last one and a step"},
                                  {"64:128:", "and a step"},
                                  {"64:128:*1", "never arrives"},
                                  {"64:128:+0", "from 1 to"},
                                  {"64:128:*", "'' is no size"},
                                  {"1:2:3:4", "and a step"},
                                  {"64x64", "'64x64' is no size"},
                                  {"1:1048576:1", "more than 1000"},
                                  {"1x2x3x4", "no size"}})
    EXPECT_NE(sizes(text).find(why), std::string::npos) << text << ": " << sizes(text);
}

}  // namespace
}  // namespace kerr::cli
