// tt-umd's test ClusterBH.WriteCountMatchesPostedWrites, with the same calls, and its kind.   docs/reference/noc.md
#include <gtest/gtest.h>

#include "tests/bindings/library.hpp"

namespace {

constexpr uint64_t kNonpostedWords = 0xFFB202E0, kPostedWords = 0xFFB202E4;
constexpr uint32_t kRelaxed = 0, kStrict = 1, kPosted = 2;

// Window 1 onto (1, 2).
class Window {
 public:
  Window(Session& chip, uint64_t address, uint32_t ordering) : chip_(chip), address_(address) {
    const uint64_t offset = address >> 21;
    const uint64_t entry = chip.bar0 + 0x1FC00000 + 12;
    chip.library.write32(entry, static_cast<uint32_t>(offset));
    chip.library.write32(entry + 4, static_cast<uint32_t>(offset >> 32) | 1u << 11 | 2u << 17);
    chip.library.write32(entry + 8, ordering << 6);
  }
  uint32_t read() const { return chip_.library.read32(at()); }
  void write(uint32_t value) const { chip_.library.write32(at(), value); }

 private:
  uint64_t at() const { return chip_.bar0 + 0x200000 + (address_ & 0x1FFFFF); }
  Session& chip_;
  uint64_t address_;
};

uint32_t count(Session& chip, uint64_t counter) { return Window(chip, counter, kStrict).read(); }

TEST(HostCounters, AWordThroughAWindowMovesTheReceiversCounterByOne) {
  Session chip;
  for (const uint32_t ordering : {kStrict, kRelaxed}) {
    const uint32_t before = count(chip, kNonpostedWords);
    for (uint32_t n = 1; n <= 3000; ++n) {
      Window(chip, 0, ordering).write(n);
      ASSERT_EQ(count(chip, kNonpostedWords) - before, n);
      ASSERT_EQ(Window(chip, 0, ordering).read(), n);
    }
  }
}

TEST(HostCounters, PostedWritesHaveTheirOwn) {
  Session chip;
  const uint32_t nonposted = count(chip, kNonpostedWords), posted = count(chip, kPostedWords);
  for (uint32_t n = 1; n <= 100; ++n) Window(chip, 0, kPosted).write(n);
  EXPECT_EQ(count(chip, kPostedWords) - posted, 100u);
  EXPECT_EQ(count(chip, kNonpostedWords), nonposted);
}

TEST(HostCounters, TheTileCallsOfTheAbiCountLikeStrictWrites) {
  Session chip;
  const auto counter = [&chip] {
    uint32_t value = 0;
    chip.library.tile_read(1, 2, kNonpostedWords, &value, 4);
    return value;
  };
  const uint32_t before = counter();
  for (uint32_t n = 1; n <= 100; ++n) {
    chip.library.tile_write(1, 2, 0, &n, 4);
    ASSERT_EQ(counter() - before, n);
  }
}

}  // namespace
