// kerr sweep, as a shell sees it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/cli/command.hpp"
#include "tests/cli/json.hpp"

namespace kerr::cli {
namespace {

TEST(SweepCommand, HasARowForEachSizeAndFormatAndFilesOfThem) {
  const Folder folder;
  const Outcome outcome = kerr("sweep matmul --sizes 32,64,32x64x96 --in bf16,int8 --csv " + (folder / "f.csv") +
                               " --svg " + (folder / "f.svg") + " 2>/dev/null");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_EQ(std::ranges::count(outcome.text, '\n'), 2 + 6) << outcome.text;
  const std::string csv = content_of(folder / "f.csv"), svg = content_of(folder / "f.svg");
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 6) << csv;
  EXPECT_NE(csv.find("\r\n32x64x96,32,64,96,int8,int32,hifi4,"), std::string::npos) << csv;
  EXPECT_NE(svg.find("<title>64, int8: "), std::string::npos) << svg;
  // The same once more, to the byte.
  kerr("sweep matmul --sizes 32,64,32x64x96 --in bf16,int8 --csv " + (folder / "g.csv") + " --svg " +
       (folder / "g.svg"));
  EXPECT_EQ(content_of(folder / "g.csv"), csv);
  EXPECT_EQ(content_of(folder / "g.svg"), svg);
}

TEST(SweepCommand, ARowThatCannotBeRunSaysWhyAndTheOthersGoOn) {
  const Outcome outcome = kerr("sweep matmul --sizes 32,1000000,64 --json 2>/dev/null");
  EXPECT_EQ(outcome.status, 2);
  const auto rows = parsed(outcome.text).at("rows");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_NE(rows[1].at("error").get<std::string>().find("exceeds the device's memory"), std::string::npos);
  EXPECT_EQ(rows[2].at("verdict"), "verified");
}

TEST(SweepCommand, OfAnExpressionNIsTheSize) {
  const Outcome outcome = kerr(
      "sweep eval 'x + random(N, 2 * N, 1)' --x Nx64 --sizes 32,40 --format fp32 --fidelity lofi,hifi4 --json "
      "2>/dev/null");
  EXPECT_EQ(outcome.status, 2);  // 2 * 40 columns do not fit 64
  const auto rows = parsed(outcome.text).at("rows");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].at("verdict"), "verified");
  EXPECT_EQ(rows[0].at("fidelity"), "lofi");
  EXPECT_NE(rows[1].at("error").get<std::string>().find("40x80 does not fit 40x64"), std::string::npos) << rows[1];
}

TEST(SweepCommand, AnExpressionThatNoSizeCanParseIsOneErrorAndNoTable) {
  const Outcome outcome = kerr("sweep eval 'x + nosuch' --x NxN --sizes 32,64");
  EXPECT_EQ(outcome.status, 2) << outcome.text;
  const std::string why = "what shape has 'nosuch'";
  EXPECT_EQ(outcome.text.find("kerr: "), 0u) << outcome.text;
  EXPECT_NE(outcome.text.find(why), std::string::npos) << outcome.text;
  EXPECT_EQ(outcome.text.find(why), outcome.text.rfind(why)) << outcome.text;
}

TEST(SweepCommand, RefusesWhatMakesNoSense) {
  for (const auto& [arguments, why] : {std::pair{"matmul", "--sizes is required"},
                                       {"matmul --sizes 64 --in bf17", "no format is named 'bf17'"},
                                       {"matmul --sizes 64 --fidelity lofi,lofi", "is there twice"},
                                       {"matmul --sizes 64 --fidelity hifi5", "hifi5 not in"},
                                       {"eval 'x' --x NxN --sizes 32x32x32", "N is one number"},
                                       {"matmul --sizes 64,", "--sizes 64,: a size is missing"},
                                       {"eval --sizes 32", "EXPRESSION is required"},
                                       {"eval 'N * x' --N 32x32 --x 32x32 --sizes 32", "N is the size"},
                                       {"matmul --sizes 64 --csv /no/such/f.csv", "/no/such/f.csv"}}) {
    const Outcome outcome = kerr(std::string("sweep ") + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_NE(outcome.text.find(why), std::string::npos) << arguments << ": " << outcome.text;
  }
}

}  // namespace
}  // namespace kerr::cli
