// Loading, unloading, forking, copying, misusing.   docs/hardware/host-pcie.md 6.2
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <string>

#include "tests/bindings/library.hpp"

namespace {

std::string output_of(const std::string& command) {
  std::string output;
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 4096> buffer;
  while (pipe && fgets(buffer.data(), buffer.size(), pipe.get())) output += buffer.data();
  return output;
}

bool is_mapped() {
  std::ifstream maps("/proc/self/maps");
  const std::string text{std::istreambuf_iterator<char>(maps), {}};
  return text.find("libttsim_bh") != std::string::npos;
}

// Runs in a child process; its exit status, or -1.
template <class Work>
int in_child(Work work) {
  const pid_t child = fork();
  if (child == 0) {
    const bool good = work();
    std::fflush(nullptr);
    _exit(good ? 0 : 17);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

constexpr std::initializer_list<uint32_t> kStore42 = {0x000022B7, 0x02A00313, 0x0062A023, 0x0000006F};

TEST(Lifetime, AHundredTimesLoadedRunAndUnloadedItIsFreshEachTime) {
  for (int i = 0; i < 100; ++i) {
    Session chip;
    ASSERT_EQ(chip.read32(1, 2, 0x2000), 0u) << i;
    ASSERT_EQ(chip.read32(17, 12, 0x2000), 0u) << i;
    chip.write32(17, 12, 0x2000, 9);
    chip.run(1, 2, kStore42);
    chip.library.clock(256);
    ASSERT_EQ(chip.read32(1, 2, 0x2000), 42u) << i;
  }
#ifndef KERR_SANITIZED
  EXPECT_FALSE(is_mapped()) << "dlclose did not unload the library";
#endif
}

TEST(Lifetime, InitAfterExitStartsAFreshMachine) {
  Library library;
  for (int i = 0; i < 3; ++i) {
    library.init();
    const uint64_t window = library.bar(0x10);  // window 0 is all zero: tile (0,0)
    ASSERT_EQ(library.read32(window + 0x40), 0u);
    library.write32(window + 0x40, 5);
    library.config_write(0, 0x04, 0x46);
    ASSERT_EQ(library.read32(window + 0x40), 5u);
    library.exit();
    ASSERT_EQ(library.config_read(0, 0x04), ~0u);
  }
}

TEST(Lifetime, AForkedChildHasACopyOfItsOwn) {
  Session chip;
  chip.run(1, 2, kStore42);
  chip.write32(2, 2, 0x100, 1);
  EXPECT_EQ(in_child([&] {
              chip.library.clock(256);
              chip.write32(2, 2, 0x100, 2);
              return chip.read32(1, 2, 0x2000) == 42 && chip.read32(2, 2, 0x100) == 2;
            }),
            0);
  EXPECT_EQ(chip.read32(2, 2, 0x100), 1u);
  chip.library.clock(256);
  EXPECT_EQ(chip.read32(1, 2, 0x2000), 42u);
}

// tt-umd copies the library into a sealed memory file for each chip.
TEST(Lifetime, TwoCopiesInOneProcessAreTwoMachines) {
  const int file = memfd_create("libttsim", 0);
  ASSERT_GE(file, 0);
  std::ifstream original(KERR_TTSIM_LIBRARY, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(original), {}};
  ASSERT_EQ(write(file, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  {
    Session first;
    Session second("/proc/self/fd/" + std::to_string(file));
    first.write32(1, 2, 0, 1);
    second.write32(1, 2, 0, 2);
    EXPECT_EQ(first.read32(1, 2, 0), 1u);
    EXPECT_EQ(second.read32(1, 2, 0), 2u);
  }
  close(file);
}

TEST(Lifetime, CallsOutOfOrderAreRefused) {
  Library library;
  uint32_t value = 0;
  EXPECT_EQ(library.config_read(0, 0), ~0u);
  library.read(0x1'0000'0000, &value, 4);
  EXPECT_EQ(value, ~0u);
  library.write(0x1'0000'0000, &value, 4);
  library.clock(1);
  library.exit();
  library.init();
  library.init();
  EXPECT_EQ(library.config_read(0, 0), 0xB1401E52u);
  EXPECT_EQ(library.config_read(8, 0), ~0u);      // no second device
  EXPECT_EQ(library.config_read(1, 0), ~0u);      // no second function
  EXPECT_EQ(library.config_read(0x100, 0), ~0u);  // no second bus
  EXPECT_EQ(library.config_read(0, 2), ~0u);
  library.config_write(8, 0, 0);
  for (const uint64_t paddr :
       {uint64_t{0}, uint64_t{0x1000}, ~uint64_t{0}, uint64_t{0x1'2010'0000} - 2, uint64_t{0x11'0000'0000}}) {
    library.read(paddr, &value, 4);
    EXPECT_EQ(value, ~0u) << paddr;
    library.write(paddr, &value, 4);
  }
  library.read(0x1'0000'0000, nullptr, 4);
  library.write(0x1'0000'0000, &value, 0);
  library.tile_read(1, 2, 0, nullptr, 4);
  library.exit();
}

TEST(Lifetime, AFaultOfTheDeviceEndsTheProcessWithItsReport) {
  const auto crash = [] {
    Session chip;
    chip.run(1, 2, {0xFFFFFFFF});
    chip.library.clock(256);
    return true;
  };
  EXPECT_EXIT(crash(), ::testing::ExitedWithCode(1), "BRISC");
}

#ifndef KERR_SANITIZED
TEST(Lifetime, ImportsOnlyLibcAndLibm) {
  std::istringstream lines(output_of(std::string("readelf -d ") + KERR_TTSIM_LIBRARY));
  std::set<std::string> needed;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("(NEEDED)") == std::string::npos) continue;
    needed.insert(line.substr(line.find('[') + 1, line.find(']') - line.find('[') - 1));
  }
  const std::set<std::string> allowed{"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"};
  EXPECT_TRUE(needed.count("libc.so.6"));
  for (const std::string& library : needed) EXPECT_TRUE(allowed.count(library)) << library;
}

TEST(Lifetime, ExportsTheTenFunctionsAndNothingElse) {
  std::istringstream lines(output_of(std::string("nm -D --defined-only ") + KERR_TTSIM_LIBRARY));
  int exported = 0;
  for (std::string line; std::getline(lines, line); ++exported) {
    EXPECT_NE(line.find(" T libttsim_"), std::string::npos) << line;
  }
  EXPECT_EQ(exported, 10);
}
#endif

}  // namespace
