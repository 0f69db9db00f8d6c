#include "report/line_plot.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace kerr::report {
namespace {

size_t count(const std::string& text, std::string_view what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++found;
  return found;
}

LinePlot two_lines() {
  return {.title = "a & b < c",
          .x_axis = "size",
          .y_axis = "cycles",
          .lines = {{"one", {{64, 100, "first"}, {128, 200, ""}, {1024, 90000, ""}}},
                    {"two", {{64, 50, ""}, {1024, 40, ""}}}}};
}

TEST(LinePlot, IsTheSameTextForTheSameNumbers) { EXPECT_EQ(line_plot_svg(two_lines()), line_plot_svg(two_lines())); }

TEST(LinePlot, MarksEachPointAndNamesEachLine) {
  const std::string svg = line_plot_svg(two_lines());
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(count(svg, "<circle"), 3u + 1u);     // of the first line, and in the legend
  EXPECT_EQ(count(svg, "<rect"), 1u + 2u + 1u);  // the page, the second line, the legend
  EXPECT_EQ(count(svg, "<title>first</title>"), 1u);
  EXPECT_NE(svg.find(">one</text>"), std::string::npos);
  EXPECT_NE(svg.find("a &amp; b &lt; c"), std::string::npos);
}

TEST(LinePlot, ALargeRangeIsLogarithmicAndASmallOneBeginsAtZero) {
  EXPECT_NE(line_plot_svg(two_lines()).find("size (logarithmic)"), std::string::npos);
  const LinePlot small{.title = "", .x_axis = "x", .y_axis = "y", .lines = {{"", {{1, 30, ""}, {2, 40, ""}}}}};
  const std::string svg = line_plot_svg(small);
  EXPECT_EQ(svg.find("logarithmic"), std::string::npos);
  EXPECT_NE(svg.find(">0</text>"), std::string::npos);
}

// Equal distances on a logarithmic axis.
TEST(LinePlot, DoubledSizesAreEquallyFarApart) {
  const LinePlot plot{
      .title = "", .x_axis = "x", .y_axis = "y", .lines = {{"", {{1, 1, ""}, {4, 1, ""}, {16, 1, ""}}}}};
  const std::string svg = line_plot_svg(plot);
  std::vector<double> at;
  for (size_t found = svg.find("cx=\""); found != std::string::npos; found = svg.find("cx=\"", found + 1))
    at.push_back(std::stod(svg.substr(found + 4)));
  ASSERT_GE(at.size(), 3u);
  EXPECT_NEAR(at[1] - at[0], at[2] - at[1], 0.11);
  EXPECT_GT(at[1], at[0]);
}

TEST(LinePlot, NothingAndNumbersThatAreNoneAreDrawnAsNothing) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
  for (const LinePlot& plot :
       {LinePlot{}, LinePlot{.lines = {{"empty", {}}}},
        LinePlot{.lines = {{"none", {{kNaN, 1, ""}, {1, kInfinity, ""}, {-kInfinity, kNaN, ""}}}}},
        LinePlot{.lines = {{"one", {{5, 0, ""}}}}}, LinePlot{.lines = {{"same", {{5, 7, ""}, {5, 7, ""}}}}},
        LinePlot{.lines = {{"huge", {{1e-300, -1e300, ""}, {1e300, 1e300, ""}}}}}}) {
    const std::string svg = line_plot_svg(plot);
    EXPECT_LT(svg.size(), 20'000u);
    EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
  }
}

}  // namespace
}  // namespace kerr::report
