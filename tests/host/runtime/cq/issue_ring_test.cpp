#include "host/runtime/cq/issue_ring.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <vector>

namespace kerr::host::cq {
namespace {

TEST(IssueRing, WrapsBeforeARecordThatWouldCrossTheEnd) {
  IssueRing ring(1024, 16);
  EXPECT_EQ(ring.push(640).offset, 0u);
  EXPECT_EQ(ring.push(128).offset, 640u);
  ring.retire();
  ASSERT_TRUE(ring.fits(320));
  EXPECT_EQ(ring.push(320).offset, 0u) << "256 bytes are left at the end: not enough";
}

TEST(IssueRing, AnExactFitDoesNotWrapUntilTheNextRecord) {
  IssueRing ring(1024, 16);
  ring.push(512);
  EXPECT_EQ(ring.push(512).offset, 512u);
  EXPECT_EQ(ring.write_offset(), 1024u);
  EXPECT_FALSE(ring.fits(64));
  ring.retire();
  ASSERT_TRUE(ring.fits(512));
  EXPECT_EQ(ring.push(512).offset, 0u);
  EXPECT_FALSE(ring.fits(64));
}

TEST(IssueRing, SlotsRunOutBeforeBytes) {
  IssueRing ring(1 << 20, 4);
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(ring.push(64).slot, i);
  EXPECT_FALSE(ring.fits(64));
  EXPECT_EQ(ring.oldest_slot(), 0u);
  ring.retire();
  ASSERT_TRUE(ring.fits(64));
  EXPECT_EQ(ring.push(64).slot, 0u);
  EXPECT_EQ(ring.oldest_slot(), 1u);
}

TEST(IssueRing, BytesRunOutBeforeSlots) {
  IssueRing ring(1024, 1534);
  ring.push(512);
  ring.push(512);
  EXPECT_FALSE(ring.fits(64));
}

// The device side as the prefetcher computes it: it knows sizes only, and both must agree on every wrap.
RC_GTEST_PROP(IssueRing, NeverOverwritesUnretiredBytesAndAgreesWithTheDeviceOnEveryWrap, ()) {
  const uint32_t bytes = 64u * *rc::gen::inRange<uint32_t>(16, 40);
  const uint32_t slots = *rc::gen::inRange<uint32_t>(1, 12);
  IssueRing ring(bytes, slots);
  struct Queued {
    uint32_t offset, size;
    uint8_t stamp;
  };
  std::deque<Queued> queued;
  std::vector<uint8_t> memory(bytes);
  uint32_t device_read = 0;
  uint8_t stamp = 0;
  for (int step = 0; step < 300; ++step) {
    const uint32_t size = 64u * *rc::gen::inRange<uint32_t>(1, 13);
    if (*rc::gen::arbitrary<bool>() && ring.fits(size)) {
      const IssueRing::Place place = ring.push(size);
      RC_ASSERT(place.offset + size <= bytes);
      ++stamp;
      std::fill_n(memory.begin() + place.offset, size, stamp);
      queued.push_back({place.offset, size, stamp});
    } else if (!queued.empty()) {
      const Queued record = queued.front();
      queued.pop_front();
      if (record.size > bytes - device_read) device_read = 0;
      RC_ASSERT(device_read == record.offset);
      for (uint32_t i = 0; i < record.size; ++i) RC_ASSERT(memory[device_read + i] == record.stamp);
      device_read += record.size;
      ring.retire();
    }
  }
}

}  // namespace
}  // namespace kerr::host::cq
