#include "emu/snapshot/touched_pages.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <fstream>

namespace kerr::emu {
namespace {

class TouchedPages : public ::testing::Test {
 protected:
  static constexpr size_t kPages = 8;
  TouchedPages() {
    memory_ = static_cast<uint8_t*>(
        ::mmap(nullptr, kPages * kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ::madvise(memory_, kPages * kPageBytes, MADV_NOHUGEPAGE);
  }
  ~TouchedPages() override { ::munmap(memory_, kPages * kPageBytes); }
  uint8_t* memory_;
};

TEST_F(TouchedPages, AreAtLeastThoseThatWereWritten) {
  memory_[3 * kPageBytes + 17] = 1;
  const std::vector<uint8_t> touched = touched_pages(memory_, kPages * kPageBytes - 100);
  ASSERT_EQ(touched.size(), kPages);
  EXPECT_EQ(touched[3], 1);
  for (size_t page = 0; page < kPages; ++page) {
    EXPECT_TRUE(touched[page] || memory_[page * kPageBytes] == 0) << page;
  }
}

TEST_F(TouchedPages, AreNotThoseThatNobodyHasTouched) {
  if (std::ifstream map("/proc/self/pagemap"); !map) GTEST_SKIP() << "this operating system does not tell";
  memory_[3 * kPageBytes] = 1;
  const std::vector<uint8_t> touched = touched_pages(memory_, kPages * kPageBytes);
  EXPECT_EQ(touched, (std::vector<uint8_t>{0, 0, 0, 1, 0, 0, 0, 0}));
}

TEST_F(TouchedPages, AreAllOfMemoryThatIsNotAlignedToPages) {
  EXPECT_EQ(touched_pages(memory_ + 8, 2 * kPageBytes), (std::vector<uint8_t>{1, 1}));
}

TEST_F(TouchedPages, AreNoneOfNoMemory) { EXPECT_TRUE(touched_pages(memory_, 0).empty()); }

}  // namespace
}  // namespace kerr::emu
