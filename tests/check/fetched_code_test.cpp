#include "check/caches/fetched_code.hpp"

#include <gtest/gtest.h>

namespace kerr::check {
namespace {

constexpr size_t kFetcher = 0, kOtherHart = 1;

Stamp changed_by(uint64_t number) { return {.number = number, .part = Part::Agent}; }

TEST(FetchedCode, IsOldWhereItWasWrittenBehindTheFetch) {
  FetchedCode code;
  code.fetched(kFetcher, 0x9000);
  EXPECT_FALSE(code.has_old());
  code.written(0x8FFC, 8, changed_by(1));
  EXPECT_EQ(code.take_old(kOtherHart, 0x9000), nullptr) << "has not fetched it";
  EXPECT_EQ(code.take_old(kFetcher, 0x9004), nullptr) << "another word of the line";
  const Stamp* const by = code.take_old(kFetcher, 0x9000);
  ASSERT_NE(by, nullptr);
  EXPECT_EQ(by->number, 1u);
  EXPECT_EQ(code.take_old(kFetcher, 0x9000), nullptr) << "told once";
}

TEST(FetchedCode, IsFreshBehindAnInvalidation) {
  FetchedCode code;
  code.fetched(kFetcher, 0x9000);
  code.fetched(kOtherHart, 0x9040);
  code.written(0x9000, 4096, changed_by(1));
  code.forget(kFetcher);
  EXPECT_EQ(code.take_old(kFetcher, 0x9000), nullptr);
  EXPECT_TRUE(code.has_old()) << "the other hart's line";
  code.written(0x9000, 4, changed_by(2));
  EXPECT_EQ(code.take_old(kFetcher, 0x9000), nullptr) << "not fetched since";
  EXPECT_NE(code.take_old(kOtherHart, 0x9044), nullptr);
}

TEST(FetchedCode, DataNextToNobodysCodeIsNothing) {
  FetchedCode code;
  code.fetched(kFetcher, 0x9000);
  code.written(0x9040, 4096, changed_by(1));
  code.written(arch::kL1Bytes - 4, 4, changed_by(1));
  EXPECT_FALSE(code.has_old());
}

}  // namespace
}  // namespace kerr::check
