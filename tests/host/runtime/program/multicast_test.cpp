#include "host/runtime/program/multicast.hpp"

#include <gtest/gtest.h>

#include "host/error.hpp"

namespace kerr::host {
namespace {

using Cores = std::vector<arch::NocCoord>;
using Words = std::vector<uint32_t>;

TEST(MulticastArgs, GiveTheSenderTheCornersOfAllOthersAndTheOthersTheirSender) {
  const Cores row = {{1, 3}, {2, 3}, {3, 3}};
  EXPECT_EQ(multicast_args(row, 0, 0), (Words{1, 2, 3, 3, 3, 2}));
  EXPECT_EQ(multicast_args(row, 1, 0), (Words{0, 1, 3, 0, 0, 0}));
  EXPECT_EQ(multicast_args(row, 2, 0, {7, 8}), (Words{0, 1, 3, 0, 0, 0, 7, 8}));
}

TEST(MulticastArgs, BeginAtTheOtherCornerOnNoc1) {
  const Cores column = {{4, 2}, {4, 3}, {4, 4}, {4, 5}};
  EXPECT_EQ(multicast_args(column, 0, 1), (Words{1, 4, 5, 4, 3, 3}));
}

TEST(MulticastArgs, GoAcrossColumnsWithoutTensixTilesAndCountOnlyReceivers) {
  const Cores row = {{6, 2}, {7, 2}, {10, 2}, {11, 2}};
  EXPECT_EQ(multicast_args(row, 0, 0), (Words{1, 7, 2, 11, 2, 3}));
}

TEST(MulticastArgs, OfACoreAloneHaveNobodyToSendTo) {
  const Cores one = {{1, 2}};
  EXPECT_EQ(multicast_args(one, 0, 0, {9}), (Words{1, 0, 0, 0, 0, 0, 9}));
}

TEST(MulticastArgs, RefuseWhatWouldReachOthersOrTheSender) {
  const auto refusal = [](const Cores& cores, size_t index) -> std::string {
    try {
      (void)multicast_args(cores, index, 0);
    } catch (const DeviceError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal({{1, 2}, {2, 2}, {4, 2}}, 0).find("goes to (3,2) too, which is none of its receivers"),
            std::string::npos);
  EXPECT_NE(refusal({{2, 2}, {1, 2}, {3, 2}}, 0).find("core (2,2) multicasts to a rectangle in which it lies itself"),
            std::string::npos);
  EXPECT_NE(refusal({{1, 2}}, 1).find("none of number 1"), std::string::npos);
  EXPECT_NE(refusal({}, 0).find("there are 0 cores"), std::string::npos);
}

}  // namespace
}  // namespace kerr::host
