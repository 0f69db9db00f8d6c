#include "check/report/environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/check/report/findings.hpp"

namespace kerr::check {
namespace {

class CheckEnvironment : public testing::Test {
 protected:
  ~CheckEnvironment() override {
    for (const auto& [name, value] : set_) ::unsetenv(name.c_str());
    std::filesystem::remove(path());
  }
  void set(const std::string& name, const std::string& value) {
    ::setenv(name.c_str(), value.c_str(), 1);
    set_[name] = value;
  }
  std::optional<EnvironmentCheck> read() {
    complaints_.clear();
    return EnvironmentCheck::read([this](const std::string& what) { complaints_ += what; });
  }
  static std::string path() {
    return (std::filesystem::temp_directory_path() /
            (std::string("kerr_check_") + testing::UnitTest::GetInstance()->current_test_info()->name()))
        .string();
  }

  std::map<std::string, std::string> set_;
  std::string complaints_;
};

TEST_F(CheckEnvironment, AsksForNothingByItself) {
  EXPECT_FALSE(read());
  for (const char* value : {"", "0", "definition", "paths", "bounds", "0,bounds"}) {
    set("KERR_CHECK", value);
    EXPECT_FALSE(read()) << value;
    EXPECT_EQ(complaints_, "") << value;
  }
}

TEST_F(CheckEnvironment, TakesTheCheckersWordsAndLeavesThoseOfLoopPrograms) {
  for (const char* value : {"1", "1,definition", "paths,1"}) {
    set("KERR_CHECK", value);
    ASSERT_TRUE(read()) << value;
    EXPECT_EQ(read()->watching.mode, Watching::Mode::All);
  }
  set("KERR_CHECK", "memory");
  EXPECT_EQ(read()->watching.mode, Watching::Mode::Memory);
  EXPECT_EQ(complaints_, "");
}

TEST_F(CheckEnvironment, ComplainsOfWhatMakesNoSense) {
  set("KERR_CHECK", "yes");
  EXPECT_FALSE(read());
  EXPECT_EQ(complaints_,
            "KERR_CHECK is 'yes', of which 'yes' is not 0, 1 or memory (of tinygrad's device: bounds, definition or "
            "paths)");
  set("KERR_CHECK", "1");
  set("KERR_CHECK_FORMAT", "xml");
  ASSERT_TRUE(read());
  EXPECT_EQ(complaints_, "KERR_CHECK_FORMAT is 'xml', not text, json or sarif");
  set("KERR_CHECK_FORMAT", "");
  set("KERR_CHECK_SUPPRESSIONS", "/does/not/exist");
  ASSERT_TRUE(read());
  EXPECT_EQ(complaints_, "KERR_CHECK_SUPPRESSIONS: '/does/not/exist' cannot be read");
}

TEST_F(CheckEnvironment, WritesTheReportToItsFile) {
  std::ofstream(path() + ".known") << "# it is fine\nrace *\nflag 0x100\n";
  set("KERR_CHECK", "1");
  set("KERR_CHECK_OUTPUT", path());
  set("KERR_CHECK_SUPPRESSIONS", path() + ".known");
  const auto check = read();
  ASSERT_TRUE(check);
  EXPECT_EQ(complaints_, "");
  EXPECT_EQ(check->watching.annotations.size(), 1u);
  testing::internal::CaptureStderr();
  check->write({.all = {pushed_early(), packed_early()}}, {arch::kP150});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "kerr: check: 1 error; 0 accesses checked; 1 suppressed\n");
  EXPECT_TRUE(content_of(path()).starts_with("kerr: error cb-incomplete [R1]")) << content_of(path());
  std::filesystem::remove(path() + ".known");
}

TEST_F(CheckEnvironment, SaysThatTheFileCannotBeWritten) {
  set("KERR_CHECK", "1");
  set("KERR_CHECK_OUTPUT", "/does/not/exist");
  testing::internal::CaptureStderr();
  read()->write({}, {});
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "kerr: check: KERR_CHECK_OUTPUT '/does/not/exist' cannot be written: No such file or directory\n");
}

}  // namespace
}  // namespace kerr::check
