// A split queue: prefetch_h and dispatch_h where the host is, prefetch_d and dispatch_d where the workers are. Here all
// four are tiles of one chip.                                                    docs/hardware/fast-dispatch.md 21
#include "tests/firmware/queue_rig.hpp"

namespace kerr::firmware {
namespace {

using arch::NocCoord;
namespace cq = host::cq;

struct Split : QueueRig {
  static constexpr NocCoord kPrefetchD{13, 2};
  static constexpr NocCoord kDispatchD{13, 3};

  std::vector<NocCoord> more_tiles() const override { return {kPrefetchD, kDispatchD}; }

  bool start_split(bool with_s = false) {
    const QueueFirmware& firmware = queue_firmware();
    config.prefetch_h_xy = kPrefetch.packed();
    config.dispatch_h_xy = kDispatch.packed();
    config.prefetch_xy = kPrefetchD.packed();
    config.dispatch_xy = kDispatchD.packed();
    config.dispatch_s_enabled = with_s;
    io.write(kDispatchD, firmware.dispatch_s.base, firmware.dispatch_s.text);
    return start_kernels({{kDispatch, firmware.dispatch_h, wire::kDispatchHSemInitial, false},
                          {kDispatchD, firmware.dispatch_d, wire::kDispatchDSemInitial, with_s},
                          {kPrefetchD, firmware.prefetch_d, wire::kPrefetchSemInitial, false},
                          {kPrefetch, firmware.prefetch_h, wire::kPrefetchHSemInitial, false}});
  }
  arch::GoMessage go() const { return {0, kDispatchD.x, kDispatchD.y, static_cast<uint8_t>(arch::RunMessage::Go)}; }
};

TEST_F(Split, AnEventGoesThroughAllFour) {
  ASSERT_TRUE(start_split());
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(round_trip()) << i;
  for (NocCoord tile : {kPrefetch, kPrefetchD, kDispatchD, kDispatch})
    EXPECT_EQ(diagnostics(tile).commands_executed, 200u);
}

// The remote ring has 64 pages; a record never lies across its end.
TEST_F(Split, RecordsOfManySizesWrapTheRemoteRing) {
  ASSERT_TRUE(start_split());
  for (uint32_t i = 0; i < 80; ++i) {
    const uint32_t length = 16 + 16 * (i * 797 % 7000);
    const auto data = pattern(length, i);
    send(cq::write_linear(kWorkers[i % 4].packed(), 0x40000, data));
    send(cq::wait(wire::kWaitBarrier));
    ASSERT_TRUE(round_trip()) << i;
    ASSERT_EQ(read_bytes(kWorkers[i % 4], 0x40000, length), as_u8(data)) << length;
  }
}

TEST_F(Split, ProgramsRunWithAndWithoutTheSubordinate) {
  ASSERT_TRUE(start_split(true));
  for (uint32_t round = 1; round <= 10; ++round) {
    if (round % 2) {
      send(cq::set_go_signal_noc_data(kWorkers));
      send(cq::send_go_signal(go(), 4));
    } else {
      send(cq::set_go_signal_noc_data(kWorkers), wire::Dispatcher::DispatchS);
      send(cq::notify_subordinate_go_signal(true, 1));
      send(cq::send_go_signal(go(), 4), wire::Dispatcher::DispatchS);
    }
    send(cq::wait(wire::kWaitStream | wire::kWaitClearStream, wire::kFirstStream, 4));
    ASSERT_TRUE(round_trip());
    for (NocCoord worker : kWorkers) EXPECT_EQ(read(layout.launch_rd_ptr, worker), round & 7);
  }
}

TEST_F(Split, DataForTheHostMayBeLongerThanEveryRing) {
  ASSERT_TRUE(start_split());
  const auto data = pattern(900'000, 1);
  io.write(bank_tile(true, 2), 0x10000, data);
  for (int round = 0; round < 2; ++round) {
    push(join({cq::relay_inline_noflush(cq::host_data_header(900'000)),
               cq::relay_linear(bank_tile(true, 2).packed(), 0x10000, 900'000)}));
    const auto got = pop();
    ASSERT_TRUE(got);
    EXPECT_EQ(*got, as_u8(data));
  }
}

// RELAY_LINEAR_H is executed by prefetch_h: its data go raw into the payload that prefetch_d has open.
TEST_F(Split, HostMemoryIsReadOnTheHostsSide) {
  ASSERT_TRUE(start_split());
  const auto data = pattern(300'000, 2);
  const host::PinnedMemory pinned(*device, data.size());
  std::memcpy(pinned.bytes().data(), data.data(), data.size());
  push(cq::relay_inline_noflush(cq::write_linear_header(bank_tile(true, 1).packed(), 0x20000, data.size())));
  push(cq::relay_linear_h(wire::kPcieNocXyAddr, pinned.noc_local(), static_cast<uint32_t>(data.size())));
  send(cq::wait(wire::kWaitBarrier));
  ASSERT_TRUE(round_trip());
  EXPECT_EQ(read_bytes(bank_tile(true, 1), 0x20000, data.size()), as_u8(data));
}

TEST_F(Split, PiecesOfHostMemoryAreReadOnTheHostsSide) {
  ASSERT_TRUE(start_split());
  const auto data = pattern(300'000, 5);
  const host::PinnedMemory pinned(*device, data.size());
  std::memcpy(pinned.bytes().data(), data.data(), data.size());
  std::vector<cq::LinearPiece> pieces;
  std::vector<uint8_t> expected;
  for (uint32_t i = 0; i < 20; ++i) {
    const uint32_t length = 64 * (1 + 211 * i % 1000), at = 64 * (i * 197 % 3000);
    pieces.push_back({pinned.noc_address() + at, length});
    const auto bytes = as_u8(std::span(data).subspan(at, length));
    expected.insert(expected.end(), bytes.begin(), bytes.end());
  }
  push(cq::relay_inline_noflush(cq::write_linear_header(bank_tile(true, 1).packed(), 0x20000, expected.size())));
  push(cq::relay_linear_packed_h(wire::kPcieNocXyAddr, pieces));
  send(cq::wait(wire::kWaitBarrier));
  ASSERT_TRUE(round_trip());
  EXPECT_EQ(read_bytes(bank_tile(true, 1), 0x20000, expected.size()), expected);
}

TEST_F(Split, HostWritesAreMadeOnTheHostsSide) {
  ASSERT_TRUE(start_split());
  const host::PinnedMemory pinned(*device, 1 << 18);
  const auto data = pattern(100'000, 3);
  send(cq::write_linear_h(wire::kPcieNocXyAddr, pinned.noc_local(), data));
  ASSERT_TRUE(round_trip());
  EXPECT_EQ(as_u8(pinned.bytes().first(data.size())), as_u8(data));
}

TEST_F(Split, ABufferOfCommandsBorrowsTheRemoteRing) {
  ASSERT_TRUE(start_split());
  Bytes commands;
  for (uint32_t i = 0; i < 12; ++i)
    commands =
        join({commands,
              cq::record(cq::write_linear(bank_tile(true, 1).packed(), 0x100'000 + 0x20000 * i, pattern(90'000, i)))});
  commands = join({commands, cq::exec_buf_end()});
  write_pages(true, 0x400'000, 4096, 0, commands);
  for (int round = 0; round < 3; ++round) {
    push(cq::exec_buf(0x400'000, 12, static_cast<uint32_t>((commands.size() + 4095) / 4096)), true);
    for (uint32_t i = 0; i < 30; ++i) send(cq::write_linear(kWorkers[0].packed(), 0x40000, pattern(5000, i)));
    send(cq::wait(wire::kWaitBarrier));
    ASSERT_TRUE(round_trip());
  }
  for (uint32_t i = 0; i < 12; ++i)
    EXPECT_EQ(read_bytes(bank_tile(true, 1), 0x100'000 + 0x20000 * i, 90'000), as_u8(pattern(90'000, i)));
  EXPECT_EQ(read_bytes(kWorkers[0], 0x40000, 5000), as_u8(pattern(5000, 29)));
}

TEST_F(Split, TerminateEndsAllFourWithEveryPageReturned) {
  ASSERT_TRUE(start_split());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(round_trip());
  send(cq::terminate());
  push(cq::prefetch_terminate());
  EXPECT_TRUE(run_until([&] {
    return signal(kPrefetch) == 0 && signal(kPrefetchD) == 0 && signal(kDispatchD) == 0 && signal(kDispatch) == 0;
  }));
  // Ten events and the ends: each took a page of each ring.
  EXPECT_EQ(semaphore(kPrefetch, wire::kPrefetchDownstreamCbSem), wire::kCmddatPages + 12);
  EXPECT_EQ(semaphore(kPrefetchD, wire::kPrefetchDownstreamCbSem), wire::kDispatchCbPages + 11);
  EXPECT_EQ(semaphore(kDispatchD, wire::kDispatchDownstreamCbSem), wire::kDispatchCbPages + 11);
}

TEST_F(Split, AMalformedCommandStopsTheTileThatExecutesIt) {
  ASSERT_TRUE(start_split());
  Bytes bad(64);
  bad[0] = std::byte{99};
  push(bad);
  EXPECT_EQ(await_error(kPrefetchD), wire::CqError::UnknownId);
  EXPECT_EQ(error_of(kPrefetch), wire::CqError::None);
}

}  // namespace
}  // namespace kerr::firmware
