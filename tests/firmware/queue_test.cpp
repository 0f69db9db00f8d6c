// The command-queue kernels, driven byte by byte.                docs/hardware/fast-dispatch.md 4, 6 to 8, 10 to 13
#include "tests/firmware/queue_rig.hpp"

namespace kerr::firmware {
namespace {

using arch::NocCoord;
using host::cq::host_event;
using host::cq::record;
using host::cq::send_go_signal;
using host::cq::set_go_signal_noc_data;
using host::cq::timestamp;
using host::cq::wait;
using host::cq::write_packed;
using host::cq::write_packed_large;
using host::cq::write_packed_shared;

constexpr auto kLarge = wire::PackedLargeType::Config;
constexpr auto kRta = wire::PackedType::Rta;

// A record beyond the host's own limit of 128 KiB.
Bytes large_record(const Bytes& payload) {
  wire::RelayInline header;
  header.length = static_cast<uint32_t>(payload.size());
  header.stride = static_cast<uint32_t>((sizeof header + payload.size() + 63) / 64 * 64);
  Bytes out(header.stride);
  std::memcpy(out.data(), &header, sizeof header);
  std::memcpy(out.data() + sizeof header, payload.data(), payload.size());
  return out;
}

struct Queue : QueueRig {};

TEST_F(Queue, AnswersAnEvent) {
  ASSERT_TRUE(start());
  EXPECT_TRUE(round_trip());
  EXPECT_TRUE(round_trip());
  EXPECT_EQ(diagnostics(kDispatch).commands_executed, 2u);
}

TEST_F(Queue, WritesEachCoresOwnData) {
  ASSERT_TRUE(start());
  const auto data = pattern(100 * kWorkers.size(), 1);  // 100 is no multiple of 16: each core's data are padded
  send(write_packed(kRta, 0x30000, kWorkers, data));
  send(write_packed_shared(kRta, 0x31000, kWorkers, pattern(48, 2)));
  send(wait(wire::kWaitBarrier));
  ASSERT_TRUE(round_trip());
  for (size_t i = 0; i < kWorkers.size(); ++i) {
    EXPECT_EQ(read_bytes(kWorkers[i], 0x30000, 100), as_u8(std::span(data).subspan(100 * i, 100)));
    EXPECT_EQ(read_bytes(kWorkers[i], 0x31000, 48), as_u8(pattern(48, 2)));
  }
}

TEST_F(Queue, MulticastsUpToSixtyFourKilobytes) {
  ASSERT_TRUE(start());
  const auto data = pattern(65536, 3);
  send(write_packed_large(kLarge, 0x40000, std::vector{kWorkerGrid}, data));
  send(wait(wire::kWaitBarrier));
  ASSERT_TRUE(round_trip());
  for (NocCoord worker : kWorkers) EXPECT_EQ(read_bytes(worker, 0x40000, data.size()), as_u8(data));
}

TEST_F(Queue, ALinkedTrainGoesToOneRectangle) {
  ASSERT_TRUE(start());
  const auto data = pattern(64, 4);
  Bytes command = write_packed_large(kLarge, 0x40000, std::vector{kWorkerGrid, kWorkerGrid}, data);
  // Second target elsewhere, first sub-command without UNLINK.
  const uint32_t second = 0x50000;
  std::memcpy(command.data() + 16 + 12 + 4, &second, 4);
  command[16 + 11] = std::byte{0};
  send(command);
  send(wait(wire::kWaitBarrier));
  ASSERT_TRUE(round_trip());
  for (NocCoord worker : kWorkers) {
    EXPECT_EQ(read_bytes(worker, 0x40000, 64), as_u8(data));
    EXPECT_EQ(read_bytes(worker, 0x50000, 64), as_u8(data));
  }
}

TEST_F(Queue, PayloadsOfSixtyFourPagesNeverBlockFromAnyPage) {
  ASSERT_TRUE(start());
  constexpr uint32_t kPayload = 256 * 1024 - 16;  // the record then fills cmddat_q
  const std::vector<host::Rectangle> four(4, kWorkerGrid);
  for (uint32_t round = 0; round < 40; ++round) {
    Bytes command = write_packed_large(kLarge, 0x40000, four, pattern(16, round));
    command.resize(16 + 48);
    uint32_t room = kPayload - 64;
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t n = std::min(room, 65536u);
      const uint32_t address = 0x40000 + 0x10000 * i;
      const uint16_t length_minus1 = static_cast<uint16_t>(n - 1);
      std::memcpy(command.data() + 16 + 12 * i + 4, &address, 4);
      std::memcpy(command.data() + 16 + 12 * i + 8, &length_minus1, 2);
      const auto data = pattern(n, round + i);
      command.insert(command.end(), data.begin(), data.end());
      room -= n;
    }
    push(large_record(command));
    for (uint32_t i = 0; i < round % 3; ++i) send(wait(wire::kWaitBarrier));  // shifts the next start page
    ASSERT_TRUE(round_trip()) << round;
    EXPECT_EQ(read_bytes(kWorkers[3], 0x40000, 65536), as_u8(pattern(65536, round)));
    EXPECT_EQ(read_bytes(kWorkers[3], 0x70000, 256), as_u8(pattern(256, round + 3)));
  }
}

TEST_F(Queue, PackedDataMayStraddleBlocksAndTheEndOfTheBuffer) {
  ASSERT_TRUE(start());
  // Four cores of 4000 bytes are five pages, so that commands begin at every page of the buffer.
  for (uint32_t round = 0; round < 60; ++round) {
    const auto data = pattern(4000 * kWorkers.size(), round);
    send(write_packed(kRta, 0x30000, kWorkers, data));
    send(wait(wire::kWaitBarrier));
    ASSERT_TRUE(round_trip());
    for (size_t i = 0; i < kWorkers.size(); ++i)
      ASSERT_EQ(read_bytes(kWorkers[i], 0x30000, 4000), as_u8(std::span(data).subspan(4000 * i, 4000))) << round;
  }
}

TEST_F(Queue, LaunchesAndCountsCompletions) {
  ASSERT_TRUE(start());
  const uint32_t slots = config.timestamp_base;
  for (uint32_t round = 1; round <= 12; ++round) {
    send(set_go_signal_noc_data(kWorkers));
    send(wait(wire::kWaitStream | wire::kWaitClearStream, wire::kFirstStream, 0));
    send(timestamp(slots));
    send(send_go_signal(go_message(), static_cast<uint32_t>(kWorkers.size())));
    send(wait(wire::kWaitStream | wire::kWaitClearStream, wire::kFirstStream, 4));
    send(timestamp(slots + 16));
    ASSERT_TRUE(round_trip());
    for (NocCoord worker : kWorkers) EXPECT_EQ(read(layout.launch_rd_ptr, worker), round & 7);
    uint64_t times[2];
    for (int i : {0, 1})
      std::memcpy(&times[i], memory->bytes().data() + region.timestamp_offset() + 16 * i, sizeof(uint64_t));
    EXPECT_LT(times[0], times[1]);
  }
}

TEST_F(Queue, StreamsMoreThanTheCompletionRingHolds) {
  ASSERT_TRUE(start());
  for (uint32_t round = 0; round < 3; ++round) {  // the toggle flips several times
    const auto data = pattern(100'000, round);
    wire::WriteLinearHHost header;
    header.length = sizeof header + data.size();
    Bytes command(sizeof header);
    std::memcpy(command.data(), &header, sizeof header);
    command.insert(command.end(), data.begin(), data.end());
    send(command);
    const auto got = pop();
    ASSERT_TRUE(got);
    EXPECT_EQ(*got, as_u8(data));
  }
  EXPECT_TRUE(round_trip());
}

TEST_F(Queue, StallWaitsForItsNotification) {
  ASSERT_TRUE(start());
  Bytes stall(64);
  stall[0] = std::byte{static_cast<uint8_t>(wire::PrefetchId::Stall)};
  for (int i = 0; i < 3; ++i) {
    send(wait(wire::kWaitNotifyPrefetch));
    push(stall);
    ASSERT_TRUE(round_trip());
  }
  EXPECT_EQ(semaphore(kPrefetch, wire::kPrefetchDownstreamSyncSem), 3u);
}

TEST_F(Queue, WaitMemoryComparesBySignedDifference) {
  ASSERT_TRUE(start());
  write(wire::kCq1LastEvent, 4, kDispatch);
  send(wait(wire::kWaitMemory, 0, 5, wire::kCq1LastEvent));
  send(host_event(77));
  run(5000);
  EXPECT_EQ(diagnostics(kDispatch).commands_executed, 0u);
  write(wire::kCq1LastEvent, 6, kDispatch);
  ASSERT_TRUE(pop());
}

TEST_F(Queue, TerminateReturnsEveryPageAndBothTilesToBaseFirmware) {
  ASSERT_TRUE(start());
  for (int i = 0; i < 37; ++i) ASSERT_TRUE(round_trip());
  terminate();
  EXPECT_EQ(semaphore(kPrefetch, wire::kPrefetchDownstreamCbSem), wire::kDispatchCbPages + 38);
  EXPECT_EQ(semaphore(kDispatch, wire::kDispatchCbSem), 38u);
  EXPECT_EQ(error_of(kPrefetch), wire::CqError::None);
  EXPECT_EQ(error_of(kDispatch), wire::CqError::None);
}

TEST_F(Queue, SubordinateSendsOneGoPerNotification) {
  ASSERT_TRUE(start(true));
  constexpr uint32_t kPrograms = 20;
  send(set_go_signal_noc_data(kWorkers), wire::Dispatcher::DispatchS);
  for (uint32_t i = 0; i < kPrograms; ++i) {
    send(host::cq::notify_subordinate_go_signal(true, 1));
    // Waits for the completions of all earlier programs.
    send(send_go_signal(go_message(), 4, 0, 4 * i), wire::Dispatcher::DispatchS);
  }
  send(wait(wire::kWaitStream | wire::kWaitClearStream, wire::kFirstStream, 4 * kPrograms));
  ASSERT_TRUE(round_trip());
  for (NocCoord worker : kWorkers) EXPECT_EQ(read(layout.launch_rd_ptr, worker), kPrograms & 7);
  send(host::cq::terminate(), wire::Dispatcher::DispatchS);
  terminate();
  EXPECT_EQ(diagnostics(kDispatch, offsetof(wire::ConfigBlock, dispatch_s_diagnostics)).error, 0u);
}

TEST_F(Queue, AnotherBuildIsRefusedBeforeTheFirstRecord) {
  config.expected_build_id[2] ^= 1;
  EXPECT_FALSE(start());
  EXPECT_EQ(error_of(kPrefetch), wire::CqError::ConfigMismatch);
  EXPECT_EQ(error_of(kDispatch), wire::CqError::ConfigMismatch);
  EXPECT_EQ(diagnostics(kDispatch).error_argument, 26u) << "the word that differs";
}

TEST_F(Queue, AnotherAbiIsRefused) {
  config.abi = wire::kAbi + 3;
  EXPECT_FALSE(start());
  EXPECT_EQ(error_of(kDispatch), wire::CqError::ConfigMismatch);
}

// What must be stopped, and by whom.
struct BadRecord {
  const char* name;
  Bytes record;
  wire::CqError error;
  bool by_prefetcher;
};

Bytes words(std::initializer_list<uint32_t> values) {
  Bytes out(4 * values.size());
  std::memcpy(out.data(), values.begin(), out.size());
  return out;
}
Bytes relay(uint32_t dispatcher, uint32_t length, uint32_t stride) {
  Bytes out = words({5u | dispatcher << 8, length, stride, 0});
  out.resize(64);
  return out;
}
Bytes without_unlink() {
  Bytes command = write_packed_large(kLarge, 0x30000, std::vector<host::Rectangle>{{{1, 2}, {2, 2}}}, pattern(16, 0));
  command[16 + 11] = std::byte{0};
  return record(command);
}
Bytes changing_destination() {
  Bytes command = write_packed_large(kLarge, 0x30000, std::vector<host::Rectangle>{{{1, 2}, {2, 2}}, {{1, 3}, {2, 3}}},
                                     pattern(16, 0));
  command[16 + 11] = std::byte{0};
  return record(command);
}

Bytes padded(Bytes bytes) {
  bytes.resize((bytes.size() + 63) / 64 * 64);
  return bytes;
}
Bytes twice(Bytes first, const Bytes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}
Bytes noflush(uint32_t length) {
  Bytes out = words({6, length, (16 + length + 63) / 64 * 64, 0});
  out.resize((16 + length + 63) / 64 * 64);
  return out;
}
Bytes linear_from(uint64_t address) {
  wire::RelayLinear command;
  command.length = 16;
  command.noc_xy_addr = 0x81;
  command.addr = address;
  Bytes out(sizeof command);
  std::memcpy(out.data(), &command, sizeof command);
  return out;
}
Bytes host_offset(uint32_t offset) {
  wire::SetRingbufferOffset command;
  command.offset = offset;
  Bytes out(64);
  std::memcpy(out.data(), &command, sizeof command);
  return out;
}

const BadRecord kBadRecords[] = {
    {"UnknownDispatchId", record(words({77, 0, 0, 0})), wire::CqError::UnknownId, false},
    {"IdZero", record(words({0, 0, 0, 0})), wire::CqError::UnknownId, false},
    {"UnknownWaitFlag", record(words({7 | 0x20 << 8 | 48 << 16, 0, 0, 0})), wire::CqError::UnknownId, false},
    {"StreamOutside", record(words({7 | 0x18 << 8 | 56 << 16, 0, 0, 0})), wire::CqError::BadStreamOrCount, false},
    {"CountTooLarge", record(words({7 | 0x18 << 8 | 48 << 16, 0, 65536, 0})), wire::CqError::BadStreamOrCount, false},
    {"MulticastGoBeyondTheMessages", record(words({14, 9u << 8, 0, 48})), wire::CqError::BadMulticastGroup, false},
    {"GoBeyondTheTable", record(words({14, 0xFF << 8 | 3 << 16, 0, 48})), wire::CqError::TooManySubCommands, false},
    {"TableTooLong", record(words({17, 257, 0, 0})), wire::CqError::TooManySubCommands, false},
    {"MisalignedTarget", record(words({5 | 1 << 16, 16 << 16, 0x30008, 0, 0x81, 0, 0, 0})), wire::CqError::Misaligned,
     false},
    {"TooManyCores", record(words({5 | 141 << 16, 16 << 16, 0x30000, 0})), wire::CqError::TooManySubCommands, false},
    {"OversizePackedData", record(words({5 | 1 << 16, 4097u << 16, 0x30000, 0})), wire::CqError::BadLength, false},
    {"NoFinalUnlink", without_unlink(), wire::CqError::BadMulticastGroup, false},
    {"ChangingDestination", changing_destination(), wire::CqError::BadMulticastGroup, false},
    {"TimestampOutsideItsSlots", record(timestamp(0x10)), wire::CqError::HostWriteOutside, false},
    {"HostWriteShorterThanItsHeader", record(words({3, 0, 8, 0})), wire::CqError::BadLength, false},
    {"LinearToAMisalignedPlace", record(words({1, 0x81, 0x30004, 0, 16, 0, 0, 0, 0, 0, 0, 0})),
     wire::CqError::Misaligned, false},
    {"LinearWithoutData", record(words({1, 0x81, 0x30000, 0, 0, 0, 0, 0})), wire::CqError::BadLength, false},
    {"LinearWithAnUnknownOffset", record(words({1 | 4 << 16, 0x81, 0x30000, 0, 16, 0, 0, 0})),
     wire::CqError::TooManySubCommands, false},
    {"PagesOfNoBytes", record(words({4, 0x1000, 0, 1})), wire::CqError::BadLength, false},
    {"PagesBeyond4GiB", record(words({4, 0x1000, 0x10000, 0x10000})), wire::CqError::BadLength, false},
    {"PagesAtAMisalignedPlace", record(words({4, 0x1008, 64, 1})), wire::CqError::Misaligned, false},
    {"TooManyOffsets", record(words({12 | 5 << 8, 0, 0, 0})), wire::CqError::TooManySubCommands, false},
    {"UnicastsWithoutOne", record(words({19, 16, 0, 0})), wire::CqError::TooManySubCommands, false},
    {"UnicastWithoutData", record(words({19 | 1 << 16, 16, 0, 0, 0x81, 0x30000, 0, 0})), wire::CqError::BadLength,
     false},
    {"UnicastWithoutAlignment", record(words({19 | 1 << 16, 0, 0, 0, 0x81, 0x30000, 16, 0})), wire::CqError::Misaligned,
     false},
    {"NotificationForANinthStream", record(words({15 | 0x100 << 16, 0, 0, 0})), wire::CqError::BadStreamOrCount, false},
    {"NineWorkerSems", record(words({16, 9, 0, 0})), wire::CqError::BadStreamOrCount, false},
    {"DebugWithoutStride", record(words({9, 0, 0, 0})), wire::CqError::BadStride, false},
    {"PrefetchIdZero", padded(words({0})), wire::CqError::UnknownId, true},
    {"PrefetchIdBeyondTheLast", padded(words({17})), wire::CqError::UnknownId, true},
    {"NoflushOfAWholePage", noflush(4096), wire::CqError::BadLength, true},
    {"NoflushBeyondItsStride", padded(words({6, 128, 64, 0})), wire::CqError::BadLength, true},
    {"InlineBehindNoflush", twice(noflush(32), record(host_event(1))), wire::CqError::OpenPayload, true},
    {"NoflushBehindNoflush", twice(noflush(32), noflush(32)), wire::CqError::OpenPayload, true},
    {"StallBehindNoflush", twice(noflush(32), host::cq::stall()), wire::CqError::OpenPayload, true},
    {"EndBehindNoflush", twice(noflush(32), host::cq::prefetch_terminate()), wire::CqError::OpenPayload, true},
    {"LinearOfNothing", padded(words({1, 0, 0x81u << 24, 0, 0})), wire::CqError::BadLength, true},
    {"LinearFromAMisalignedPlace", padded(linear_from(0x30008)), wire::CqError::Misaligned, true},
    {"PagedWithoutPages", padded(words({3 | 0x8000u << 16, 0x1000, 64, 0})), wire::CqError::BadLength, true},
    {"PagedWithOddPages", padded(words({3 | 0x8000u << 16, 0x1000, 48, 1})), wire::CqError::Misaligned, true},
    {"PagedThatDropsAPage", padded(words({3 | 0x8040u << 16, 0x1000, 64, 1})), wire::CqError::BadLength, true},
    {"PackedWithoutPieces", padded(words({4, 0, 64, 0})), wire::CqError::TooManySubCommands, true},
    {"PackedBeyondItsStride", padded(words({4 | 5 << 16, 0, 64, 0})), wire::CqError::TooManySubCommands, true},
    {"PackedWithAnotherTotal", padded(words({4 | 1 << 16, 65, 64, 0, 12 << 16, 0x1000, 64, 0})),
     wire::CqError::BadLength, true},
    {"PackedPieceTooLong", padded(words({4 | 1 << 16, 0x10040, 64, 0, 12 << 16, 0x1000, 0x10040, 0})),
     wire::CqError::BadLength, true},
    {"LinearPackedWithoutPieces", padded(words({15, 0x81, 0, 64})), wire::CqError::TooManySubCommands, true},
    {"LinearPackedBeyondItsStride", padded(words({15 | 5 << 16, 0x81, 0, 64})), wire::CqError::TooManySubCommands,
     true},
    {"LinearPackedWithAnotherTotal", padded(words({15 | 1 << 16, 0x81, 65, 64, 0x30000, 0, 64})),
     wire::CqError::BadLength, true},
    {"LinearPackedPieceTooLong", padded(words({15 | 1 << 16, 0x81, 0x10010, 64, 0x30000, 0, 0x10010})),
     wire::CqError::BadLength, true},
    {"LinearPackedFromAMisalignedPlace", padded(words({16 | 1 << 16, 0x81, 64, 64, 0x30008, 0, 64})),
     wire::CqError::Misaligned, true},
    {"LinearPackedAcross4GiB", padded(words({16 | 1 << 16, 0x81, 64, 64, 0xFFFF'FFE0, 0, 64})),
     wire::CqError::BadLength, true},
    {"LinearPackedOddPieceBeforeTheLast", padded(words({15 | 2 << 16, 0x81, 72, 64, 0x30000, 0, 8, 0x30010, 0, 64})),
     wire::CqError::Misaligned, true},
    {"RingbufferTooSmall", padded(words({12 | 1 << 8 | 12 << 16, 0x100000, 0x1000, 64})),
     wire::CqError::RingbufferRange, true},
    {"RingbufferOffsetOutside", host_offset(0x100000), wire::CqError::RingbufferRange, true},
    {"RingbufferPieceOutside", padded(words({14 | 1 << 16, 64, 0, 0, 0x100000, 16})), wire::CqError::RingbufferRange,
     true},
    {"RingbufferWithoutPieces", padded(words({14, 64, 0, 0})), wire::CqError::TooManySubCommands, true},
    {"ExecBufEndInTheRing", host::cq::exec_buf_end(), wire::CqError::BadExecBuf, true},
    {"StrideNoMultipleOf64", relay(0, 16, 32), wire::CqError::BadStride, true},
    {"StrideZero", relay(0, 16, 0), wire::CqError::BadStride, true},
    {"StrideBeyondTheRecord", relay(0, 16, 128), wire::CqError::BadStride, true},
    {"LengthBeyondTheStride", relay(0, 64, 64), wire::CqError::BadLength, true},
    {"SubordinateNotThere", relay(1, 16, 64), wire::CqError::UnknownId, true},
    {"ExecBufWithoutStall", host::cq::exec_buf(0x1000, 12, 1), wire::CqError::BadExecBuf, true},
};

struct BadInput : QueueRig, ::testing::WithParamInterface<BadRecord> {};

TEST_P(BadInput, StopsWithItsErrorAndKeepsStanding) {
  ASSERT_TRUE(start());
  const NocCoord who = GetParam().by_prefetcher ? kPrefetch : kDispatch;
  push(GetParam().record);
  EXPECT_EQ(await_error(who), GetParam().error) << wire::name_of(error_of(who));
  const wire::Diagnostics before = diagnostics(who);
  run(2000);
  EXPECT_EQ(diagnostics(who).heartbeat, before.heartbeat);
  EXPECT_LE(before.commands_executed, 1u);
  EXPECT_NE(before.last_command_address, 0u);
}

INSTANTIATE_TEST_SUITE_P(Queue, BadInput, ::testing::ValuesIn(kBadRecords),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace kerr::firmware
