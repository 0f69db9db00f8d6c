#include "host/cq/commands.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <string>

#include "host/error.hpp"

namespace kerr::host::cq {
namespace {

namespace wire = arch::cq;

constexpr arch::NocCoord kWorkers[] = {{1, 2}, {2, 2}};
constexpr std::byte kResetWord[] = {std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0xE0}};

// "05000000 20000000 ..." as in the tables of fast-dispatch.md 16.4, filled up with zeros to 64 bytes.
Bytes vector(std::string text) {
  std::erase(text, ' ');
  Bytes bytes(64);
  for (size_t i = 0; i < text.size() / 2; ++i) {
    bytes[i] = static_cast<std::byte>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
  }
  return bytes;
}

TEST(CommandBytes, Event) {
  EXPECT_EQ(record(host_event(1)), vector("05000000 20000000 40000000 00000000 03010000 00000000 20000000 00000000"
                                          "01000000"));
}

TEST(CommandBytes, WaitForACountAndClear) {
  EXPECT_EQ(record(wait(wire::kWaitStream | wire::kWaitClearStream, 48, 2)),
            vector("05000000 10000000 40000000 00000000 07183000 00000000 02000000 00000000"));
}

TEST(CommandBytes, Barrier) {
  EXPECT_EQ(record(wait(wire::kWaitBarrier)),
            vector("05000000 10000000 40000000 00000000 07010000 00000000 00000000 00000000"));
}

TEST(CommandBytes, GoTable) {
  EXPECT_EQ(record(set_go_signal_noc_data(kWorkers)),
            vector("05000000 18000000 40000000 00000000 11000000 02000000 00000000 00000000 81000000 82000000"));
}

TEST(CommandBytes, GoSignalOfAP100) {
  const arch::GoMessage go{0, 14, 3, static_cast<uint8_t>(arch::RunMessage::kGo)};
  EXPECT_EQ(record(send_go_signal(go, 2)),
            vector("05000000 10000000 40000000 00000000 0e000e03 80ff0200 00000000 30000000"));
}

TEST(CommandBytes, Timestamp) {
  EXPECT_EQ(record(timestamp(0x46000100)),
            vector("05000000 10000000 40000000 00000000 12000000 13060001 00010046 00000000"));
}

TEST(CommandBytes, WritePackedShared) {
  const Bytes zero(4);
  EXPECT_EQ(record(write_packed_shared(wire::PackedType::kUnknown, 0x3A0, kWorkers, zero)),
            vector("05000000 30000000 40000000 00000000 05020200 00000400 a0030000 00000000 81000000 82000000"));
}

TEST(CommandBytes, WritePackedLargeHasTheCornersInTheOrderOfTheDispatchNoc) {
  const Rectangle tiles[] = {{{1, 2}, {7, 11}}};
  EXPECT_EQ(record(write_packed_large(wire::PackedLargeType::kBinaries, 0x370, tiles, kResetWord, 0)),
            vector("05000000 30000000 40000000 00000000 06020100 10000000 00000000 00000000"
                   "c7120800 70030000 03004601 00000000 000000e0"));
  EXPECT_EQ(record(write_packed_large(wire::PackedLargeType::kBinaries, 0x370, tiles, kResetWord, 1)),
            vector("05000000 30000000 40000000 00000000 06020100 10000000 00000000 00000000"
                   "81702c00 70030000 03004601 00000000 000000e0"));
}

TEST(CommandBytes, EveryVectorIsAnEntryOfFour) { EXPECT_EQ(queue_entry(record(host_event(1))), 4); }

TEST(CommandBytes, WritePackedPutsEachCoresDataAtAMultipleOf16) {
  Bytes data(2 * 20);
  data[0] = std::byte{1};
  data[20] = std::byte{2};
  const Bytes command = write_packed(wire::PackedType::kRta, 0x86B0, kWorkers, data);
  EXPECT_EQ(command.size(), 32u + 2 * 32);
  EXPECT_EQ(command[1], std::byte{0x10});
  EXPECT_EQ(command[32], std::byte{1});
  EXPECT_EQ(command[64], std::byte{2});
}

TEST(CommandBytes, WhatTheDispatcherCannotExecuteIsRefused) {
  const Bytes some(16);
  const Bytes page(4097);
  const Rectangle across[] = {{{1, 2}, {14, 3}}};
  const Rectangle outside[] = {{{8, 2}, {10, 3}}};
  const std::vector<arch::NocCoord> many(257, {1, 2});
  EXPECT_THROW(write_packed(wire::PackedType::kRta, 0x86B4, kWorkers, some), DeviceError) << "address modulo 16";
  EXPECT_THROW(write_packed(wire::PackedType::kRta, 0x86B0, {}, some), DeviceError);
  EXPECT_THROW(write_packed_shared(wire::PackedType::kRta, 0x86B0, kWorkers, page), DeviceError);
  EXPECT_THROW(write_packed_large(wire::PackedLargeType::kConfig, 0, across, some), DeviceError);
  EXPECT_THROW(write_packed_large(wire::PackedLargeType::kConfig, 0, outside, some), DeviceError);
  EXPECT_THROW(wait(wire::kWaitStream, 47, 1), DeviceError);
  EXPECT_THROW(wait(wire::kWaitStream, 48, 65536), DeviceError);
  EXPECT_THROW(wait(0x20), DeviceError);
  EXPECT_THROW(set_go_signal_noc_data(many), DeviceError);
  EXPECT_THROW(send_go_signal({}, 256), DeviceError);
  EXPECT_THROW(record(Bytes(kRecordLimitBytes)), DeviceError);
}

RC_GTEST_PROP(CommandBytes, ALargeWriteOfFullCapacityFillsARecordWithinItsLimit, ()) {
  const size_t n = *rc::gen::inRange<size_t>(1, 36);
  const std::vector<Rectangle> tiles(n, {{1, 2}, {1, 2}});
  const uint32_t capacity = packed_large_capacity(n);
  const Bytes bytes = record(write_packed_large(wire::PackedLargeType::kConfig, 0, tiles, Bytes(capacity)));
  RC_ASSERT(bytes.size() <= kRecordLimitBytes);
  RC_ASSERT(bytes.size() % 64 == 0u);
  RC_ASSERT(capacity == 0x10000u || bytes.size() + 16 * n + 64 > kRecordLimitBytes);
  RC_ASSERT_THROWS_AS(write_packed_large(wire::PackedLargeType::kConfig, 0, tiles, Bytes(capacity + 1)), DeviceError);
}

}  // namespace
}  // namespace kerr::host::cq
