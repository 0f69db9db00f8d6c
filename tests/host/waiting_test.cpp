// Host code waits through PcieDevice::wait alone: on the emulator nothing sleeps and no deadline is one of wall time.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>

namespace kerr::host {
namespace {

TEST(Waiting, NoSourceOfTheHostStackSleepsOrLooksAtAClock) {
  const std::regex clocks(R"(sleep|steady_clock|system_clock|high_resolution_clock|clock_gettime|gettimeofday|nanosleep|wait_(for|until)\s*\(\s*(lock|std))");
  int files = 0;
  for (const char* room : {"host", "kernels", "graph"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(KERR_SOURCE_DIR "/") + room)) {
      const std::string path = entry.path().string();
      if (!path.ends_with(".cpp") && !path.ends_with(".hpp")) continue;
      if (path.ends_with("card/linux_system.cpp")) continue;  // a card's time is wall time
      ++files;
      std::ifstream file(path);
      int number = 0;
      for (std::string line; std::getline(file, line);) {
        ++number;
        EXPECT_FALSE(std::regex_search(line.substr(0, line.find("//")), clocks)) << path << ":" << number << "  " << line;
      }
    }
  }
  EXPECT_GT(files, 50);
}

}  // namespace
}  // namespace kerr::host
