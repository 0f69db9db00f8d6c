#include "host/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace kerr::host {
namespace {

TEST(DeviceError, SaysTheReportInWhatToo) {
  const DeviceError error(Category::Deadlock, "program 'p' has not finished", "program 'p' is stuck:\n  core (1,2)\n");
  EXPECT_EQ(error.summary(), "Deadlock: program 'p' has not finished");
  EXPECT_EQ(error.sentence(), "program 'p' has not finished");
  EXPECT_STREQ(error.what(), "Deadlock: program 'p' has not finished\nprogram 'p' is stuck:\n  core (1,2)");
}

TEST(DeviceError, WithoutAReportIsOneLine) {
  EXPECT_STREQ(DeviceError(Category::HostError, "no").what(), "HostError: no");
}

TEST(DeviceError, CutsALongReportAndSaysWhereTheRestIs) {
  std::string report;
  for (int i = 0; i < 100; ++i) report += "line\n";
  const DeviceError error(Category::Timeout, "late", report);
  const std::string what = error.what();
  EXPECT_EQ(std::count(what.begin(), what.end(), '\n'), static_cast<int>(DeviceError::kLinesInWhat) + 1);
  EXPECT_NE(what.find("DeviceError::report()"), std::string::npos) << what;
  EXPECT_EQ(error.report(), report);
}

}  // namespace
}  // namespace kerr::host
