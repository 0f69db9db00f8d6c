#include "host/runtime/cq/commands.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstring>

#include "host/error.hpp"
#include "tests/host/runtime/cq/bytes.hpp"
#include "tests/host/runtime/cq/other_commands.hpp"

namespace kerr::host::cq {
namespace {

namespace wire = arch::cq;

constexpr arch::NocCoord kWorkers[] = {{1, 2}, {2, 2}};
constexpr std::byte kResetWord[] = {std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0xE0}};

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
  const arch::GoMessage go{0, 14, 3, static_cast<uint8_t>(arch::RunMessage::Go)};
  EXPECT_EQ(record(send_go_signal(go, 2)),
            vector("05000000 10000000 40000000 00000000 0e000e03 80ff0200 00000000 30000000"));
}

TEST(CommandBytes, Timestamp) {
  EXPECT_EQ(record(timestamp(0x46000100)),
            vector("05000000 10000000 40000000 00000000 12000000 13060001 00010046 00000000"));
}

TEST(CommandBytes, WritePackedShared) {
  const Bytes zero(4);
  EXPECT_EQ(record(write_packed_shared(wire::PackedType::Unknown, 0x3A0, kWorkers, zero)),
            vector("05000000 30000000 40000000 00000000 05020200 00000400 a0030000 00000000 81000000 82000000"));
}

TEST(CommandBytes, WritePackedLargeHasTheCornersInTheOrderOfTheDispatchNoc) {
  const Rectangle tiles[] = {{{1, 2}, {7, 11}}};
  EXPECT_EQ(record(write_packed_large(wire::PackedLargeType::Binaries, 0x370, tiles, kResetWord, 0)),
            vector("05000000 30000000 40000000 00000000 06020100 10000000 00000000 00000000"
                   "c7120800 70030000 03004601 00000000 000000e0"));
  EXPECT_EQ(record(write_packed_large(wire::PackedLargeType::Binaries, 0x370, tiles, kResetWord, 1)),
            vector("05000000 30000000 40000000 00000000 06020100 10000000 00000000 00000000"
                   "81702c00 70030000 03004601 00000000 000000e0"));
}

// Commands without a vector in 16.4, laid out by hand from the tables of 7.2.
TEST(CommandBytes, WriteLinear) {
  const Bytes data(2, std::byte{0xEE});
  EXPECT_EQ(write_linear(0x311, 0x3'0000'0040, data, 2),
            vector("01000200 11030000 40000000 03000000 02000000 00000000 00000000 00000000 eeee", 2));
  EXPECT_EQ(write_linear_header(0x311, 0x40, 0x1'0000'0001),
            vector("01000000 11030000 40000000 00000000 01000000 01000000 00000000 00000000", 16));
  EXPECT_EQ(write_linear_h(wire::kPcieNocXyAddr, 0x1000'0000'4000'0000, data),
            vector("02000000 13060001 00000040 00000010 02000000 00000000 00000000 00000000 eeee", 2));
  EXPECT_EQ(write_linear_multicast({{1, 2}, {7, 11}}, 0x370, data),
            vector("01460000 c7120800 70030000 00000000 02000000 00000000 00000000 00000000 eeee", 2));
}

TEST(CommandBytes, WritePaged) {
  EXPECT_EQ(write_paged(true, 0x102, 0x12340, 16, Bytes(32, std::byte{1})),
            vector("04010201 40230100 10000000 02000000 01010101010101010101010101010101"
                   "01010101010101010101010101010101",
                   16));
}

TEST(CommandBytes, WritePackedMulticast) {
  const Rectangle tiles[] = {{{1, 2}, {7, 11}}};
  EXPECT_EQ(write_packed_multicast(wire::PackedType::Sems, 0x370, tiles, kResetWord, 1),
            vector("05310100 01000400 70030000 00000000 c7120800 46000000 00000000 00000000 000000e0", 16));
}

TEST(CommandBytes, WritePackedLargeUnicast) {
  const UnicastPiece pieces[] = {{{1, 2}, 0x370, kResetWord}, {{2, 2}, wire::kDiscardAddress, kResetWord}};
  EXPECT_EQ(write_packed_large_unicast(pieces, 3),
            vector("13000200 10000300 00000000 00000000 81000000 70030000 04000000 82000000 ffffffff 04000000"
                   "00000000 00000000 000000e0 00000000 00000000 00000000 000000e0",
                   16));
}

TEST(CommandBytes, SetWriteOffset) {
  const uint32_t offsets[] = {1, 0x100, 3, 4};
  EXPECT_EQ(set_write_offset(offsets, 0x1234),
            vector("0c043412 00000000 00000000 00000000 01000000 00010000 03000000 04000000", 16));
}

TEST(CommandBytes, GoSignals) {
  const arch::GoMessage go{0, 14, 3, static_cast<uint8_t>(arch::RunMessage::Go)};
  EXPECT_EQ(send_go_signal_multicast(go, 2, 118, 49), vector("0e000e03 80020000 76000000 31000000", 16));
  EXPECT_EQ(notify_subordinate_go_signal(true, 0x81), vector("0f018100", 16));
  EXPECT_EQ(set_num_worker_sems(3), vector("10000000 03000000", 16));
}

TEST(CommandBytes, DataForTheHost) {
  EXPECT_EQ(host_data_header(0x1000, 0xABCD), vector("03000000 cdab0000 10100000 00000000", 16));
}

TEST(CommandBytes, DelayDebugTerminate) {
  EXPECT_EQ(delay(0x12345), vector("0a000000 45230100", 16));
  EXPECT_EQ(debug(0x1234, Bytes(1, std::byte{7}), delay(1)),
            vector("09003412 01000000 20000000 00000000 07000000 00000000 00000000 00000000 0a000000 01000000", 16));
  EXPECT_EQ(terminate(), vector("0d", 16));
}

TEST(CommandBytes, EveryVectorIsAnEntryOfFour) { EXPECT_EQ(queue_entry(record(host_event(1))), 4); }

TEST(CommandBytes, WritePackedPutsEachCoresDataAtAMultipleOf16) {
  Bytes data(2 * 20);
  data[0] = std::byte{1};
  data[20] = std::byte{2};
  const Bytes command = write_packed(wire::PackedType::Rta, 0x86B0, kWorkers, data);
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
  EXPECT_THROW(write_packed(wire::PackedType::Rta, 0x86B4, kWorkers, some), DeviceError) << "address modulo 16";
  EXPECT_THROW(write_packed(wire::PackedType::Rta, 0x86B0, {}, some), DeviceError);
  EXPECT_THROW(write_packed_shared(wire::PackedType::Rta, 0x86B0, kWorkers, page), DeviceError);
  EXPECT_NO_THROW(write_packed_large(wire::PackedLargeType::Config, 0, across, some))
      << "columns 8 and 9 may be inside";
  EXPECT_THROW(write_packed_large(wire::PackedLargeType::Config, 0, outside, some), DeviceError);
  EXPECT_THROW(wait(wire::kWaitStream, 47, 1), DeviceError);
  EXPECT_THROW(wait(wire::kWaitStream, 48, 65536), DeviceError);
  EXPECT_THROW(wait(0x20), DeviceError);
  EXPECT_THROW(set_go_signal_noc_data(many), DeviceError);
  EXPECT_THROW(send_go_signal({}, 256), DeviceError);
  EXPECT_THROW(record(Bytes(kRecordLimitBytes)), DeviceError);
  EXPECT_THROW(write_linear(0x81, 8, some), DeviceError);
  EXPECT_THROW(write_linear(0x81, 16, {}), DeviceError);
  EXPECT_THROW(write_linear(0x81, 16, some, 4), DeviceError) << "four offsets";
  EXPECT_THROW(write_linear_multicast(outside[0], 16, some), DeviceError);
  EXPECT_THROW(write_paged(true, 0, 0, 32, some), DeviceError) << "half a page";
  EXPECT_THROW(write_paged(true, 0, 0, 8, some), DeviceError);
  EXPECT_THROW(write_packed(wire::PackedType::Rta, 0x86B0, kWorkers, some, 4), DeviceError);
  EXPECT_THROW(write_packed_multicast(wire::PackedType::Rta, 0, outside, some), DeviceError);
  EXPECT_THROW(write_packed_large_unicast({}), DeviceError);
  EXPECT_THROW(write_packed_large_unicast(std::vector<UnicastPiece>{{{1, 2}, 8, some}}), DeviceError);
  EXPECT_THROW(set_write_offset({}), DeviceError);
  EXPECT_THROW(set_num_worker_sems(9), DeviceError);
  EXPECT_THROW(notify_subordinate_go_signal(true, 0x100), DeviceError);
  EXPECT_THROW(send_go_signal_multicast({}, 9), DeviceError);
  EXPECT_THROW(host_data_header(0), DeviceError);
}

RC_GTEST_PROP(CommandBytes, ALargeWriteOfFullCapacityFillsARecordWithinItsLimit, ()) {
  const size_t n = *rc::gen::inRange<size_t>(1, 36);
  const std::vector<Rectangle> tiles(n, {{1, 2}, {1, 2}});
  const uint32_t capacity = packed_large_capacity(n);
  const Bytes bytes = record(write_packed_large(wire::PackedLargeType::Config, 0, tiles, Bytes(capacity)));
  RC_ASSERT(bytes.size() <= kRecordLimitBytes);
  RC_ASSERT(bytes.size() % 64 == 0u);
  RC_ASSERT(capacity == 0x10000u || bytes.size() + 16 * n + 64 > kRecordLimitBytes);
  RC_ASSERT_THROWS_AS(write_packed_large(wire::PackedLargeType::Config, 0, tiles, Bytes(capacity + 1)), DeviceError);
}

}  // namespace
}  // namespace kerr::host::cq
