// What a report says of a program that comes through the C ABI library: names by ELF files, or by the launch message.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "host/device/library_device.hpp"
#include "host/runtime/chip.hpp"
#include "image/elf/reader.hpp"

namespace kerr::check {
namespace {

constexpr arch::NocCoord kCore{1, 2};

class ThirdParty : public testing::Test {
 protected:
  void SetUp() override {
    report_ = testing::TempDir() + "kerr_third_party_" + std::to_string(::getpid()) + ".txt";
    set("KERR_CHECK", "1");
    set("KERR_CHECK_OUTPUT", report_);
  }
  void TearDown() override {
    for (const std::string& name : names_) unsetenv(name.c_str());
    std::filesystem::remove(report_);
  }
  void set(const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);
    names_.push_back(name);
  }
  /// Runs the kernel; the report.
  std::string report() {
    testing::internal::CaptureStderr();
    {
      const auto device = host::LibraryDevice::open(KERR_LIBRARY);
      host::Chip chip(*device);
      host::Program program("reader", chip.layout());
      const uint32_t bytes = program.add_l1(192, 64);
      const auto kernel = program.add_kernel(image::read_elf(KERR_KERNEL_third_party_reader), {&kCore, 1});
      program.set_args(kernel, kCore, {bytes, bytes + 64});
      chip.run(program);
    }
    said_ = testing::internal::GetCapturedStderr();
    std::ifstream in(report_);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string report_, said_;
  std::vector<std::string> names_;
};

TEST_F(ThirdParty, ElfFilesGiveFunctionsAndLines) {
  set("KERR_CHECK_ELF", KERR_KERNEL_third_party_reader);
  const std::string text = report();
  EXPECT_NE(text.find("in-flight"), std::string::npos) << text << said_;
  EXPECT_NE(text.find("kernel_main()"), std::string::npos) << text;
  EXPECT_NE(text.find("reader.cpp:8"), std::string::npos) << text;
  EXPECT_NE(text.find("by (1,2) BRISC"), std::string::npos) << text;
  EXPECT_NE(said_.find("1 error"), std::string::npos) << said_;
}

// The page shows this report; addresses in code and cycles move with the compiler and the firmware.
TEST_F(ThirdParty, TheGuideShowsItsReport) {
  set("KERR_CHECK_ELF", KERR_KERNEL_third_party_reader);
  const auto without_places = [](const std::string& text) {
    return std::regex_replace(text, std::regex(R"(\+0x[0-9a-f]+ *|pc 0x[0-9a-f]+|cycle [0-9,]+|[0-9,]+ accesses| +$)"),
                              "");
  };
  std::ifstream in(std::string(KERR_SOURCE_DIR) + "/docs/guide/check-tt-metal-programs.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  const std::string text = report();
  EXPECT_NE(without_places(page).find(without_places(text)), std::string::npos) << text;
}

TEST_F(ThirdParty, AFolderIsSearched) {
  set("KERR_CHECK_ELF",
      "/does/not/exist:" + std::filesystem::path(KERR_KERNEL_third_party_reader).parent_path().string());
  const std::string text = report();
  EXPECT_NE(text.find("kernel_main()"), std::string::npos) << text << said_;
  EXPECT_NE(said_.find("KERR_CHECK_ELF: '/does/not/exist'"), std::string::npos) << said_;
}

TEST_F(ThirdParty, WithoutThemTheLaunchMessageTellsWhereInTheKernel) {
  const std::string text = report();
  EXPECT_TRUE(std::regex_search(text, std::regex(R"(BRISC's kernel \+ 0x[0-9a-f]+ +pc 0x[0-9a-f]{8})"))) << text;
}

}  // namespace
}  // namespace kerr::check
