#include "emu/memory/pages.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <fstream>
#include <utility>

namespace kerr::emu {
namespace {

TEST(ZeroedPages, AreAlignedAsAskedForAndZero) {
  for (const size_t alignment : {kSmallPageBytes, kLargePageBytes}) {
    const ZeroedPages pages(3 * kSmallPageBytes, alignment);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pages.data()) % alignment, 0u);
    EXPECT_EQ(pages.data()[3 * kSmallPageBytes - 1], 0);
  }
}

TEST(ZeroedPages, MoveWithTheirContents) {
  ZeroedPages none;
  EXPECT_FALSE(none);
  ZeroedPages some(100);
  some.data()[99] = 7;
  none = std::move(some);
  EXPECT_FALSE(some);
  EXPECT_EQ(none.data()[99], 7);
}

class TouchedPages : public ::testing::Test {
 protected:
  static constexpr size_t kPages = 8;
  TouchedPages() { ::madvise(memory_, kPages * kSmallPageBytes, MADV_NOHUGEPAGE); }
  const ZeroedPages pages_{kPages * kSmallPageBytes};
  uint8_t* const memory_ = pages_.data();
};

TEST_F(TouchedPages, AreAtLeastThoseThatWereWritten) {
  memory_[3 * kSmallPageBytes + 17] = 1;
  const std::vector<uint8_t> touched = touched_pages(memory_, kPages * kSmallPageBytes - 100);
  ASSERT_EQ(touched.size(), kPages);
  EXPECT_EQ(touched[3], 1);
  for (size_t page = 0; page < kPages; ++page) {
    EXPECT_TRUE(touched[page] || memory_[page * kSmallPageBytes] == 0) << page;
  }
}

TEST_F(TouchedPages, AreNotThoseThatNobodyHasTouched) {
  if (std::ifstream map("/proc/self/pagemap"); !map) GTEST_SKIP() << "this operating system does not tell";
  memory_[3 * kSmallPageBytes] = 1;
  const std::vector<uint8_t> touched = touched_pages(memory_, kPages * kSmallPageBytes);
  EXPECT_EQ(touched, (std::vector<uint8_t>{0, 0, 0, 1, 0, 0, 0, 0}));
}

TEST_F(TouchedPages, AreBothThatAPartReachesIntoIfItIsNotAligned) {
  if (std::ifstream map("/proc/self/pagemap"); !map) GTEST_SKIP() << "this operating system does not tell";
  memory_[3 * kSmallPageBytes] = 1;
  EXPECT_EQ(touched_pages(memory_ + 8, 5 * kSmallPageBytes), (std::vector<uint8_t>{0, 0, 1, 1, 0}));
  EXPECT_EQ(touched_pages(memory_ + 8, 3 * kSmallPageBytes - 8), (std::vector<uint8_t>{0, 0, 0}));
  EXPECT_EQ(touched_pages(memory_ + 8, 3 * kSmallPageBytes - 7), (std::vector<uint8_t>{0, 0, 1}));
}

TEST_F(TouchedPages, AreNoneOfNoMemory) { EXPECT_TRUE(touched_pages(memory_, 0).empty()); }

}  // namespace
}  // namespace kerr::emu
