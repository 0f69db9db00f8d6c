// WAIT with every combination of flags, notifications for dispatch_s, and what the kernels do while they wait: nothing.
// docs/hardware/fast-dispatch.md 7.3, 13; docs/architecture.md "Nothing spins"
#include <algorithm>
#include <cstdlib>

#include "tests/firmware/queue_rig.hpp"

namespace kerr::firmware {
namespace {

using arch::NocCoord;
namespace cq = host::cq;

struct WaitCommand : QueueRig {
  static constexpr uint32_t kStream = 51;
  uint32_t counter(uint32_t stream = kStream) {
    return read(arch::stream_address(static_cast<int>(stream), arch::stream::kSpaceAvailable), kDispatch);
  }
  void count(uint32_t by, uint32_t stream = kStream) {
    write(arch::stream_address(static_cast<int>(stream), arch::stream::kSpaceAvailableUpdate),
          arch::stream_increment(static_cast<int32_t>(by)), kDispatch);
  }
  // Until the dispatcher has done, or waits in, the command that follows the first `executed` ones.
  void settle_command(uint32_t executed) {
    ASSERT_TRUE(run_until([&] { return diagnostics(kDispatch).heartbeat != executed; }));
    run(1000);
  }
};

TEST_F(WaitCommand, EveryCombinationOfFlagsDoesEachOfItsPartsOnce) {
  ASSERT_TRUE(start());
  uint32_t notified = 0;
  for (uint32_t flags = 1; flags <= wire::kWaitAllFlags; ++flags) {
    const bool waits = flags & (wire::kWaitMemory | wire::kWaitStream);
    const uint32_t before = counter();
    write(wire::kCq0LastEvent, 10, kDispatch);
    send(cq::write_packed_shared(wire::PackedType::Rta, 0x30000, kWorkers, pattern(64, flags)));
    send(cq::wait(static_cast<uint8_t>(flags), kStream, flags & wire::kWaitMemory ? 11 : before + 3,
                  wire::kCq0LastEvent));
    if (flags & wire::kWaitMemory && flags & wire::kWaitStream) {
      // One count serves both: 11 in memory, 11 on the stream.
      count(11 - before);
    } else {
      count(3);
    }
    if (flags & wire::kWaitMemory) write(wire::kCq0LastEvent, 11, kDispatch);
    ASSERT_TRUE(round_trip()) << "flags " << flags << (waits ? ", which wait" : "");
    if (flags & wire::kWaitClearStream) {
      EXPECT_EQ(counter(), 0u) << flags;
    } else {
      EXPECT_NE(counter(), 0u) << flags;
      send(cq::wait(wire::kWaitClearStream, kStream));
      ASSERT_TRUE(round_trip());
    }
    if (flags & wire::kWaitNotifyPrefetch) {
      ++notified;
      push(cq::stall());  // uses it up
      ASSERT_TRUE(round_trip());
    }
    EXPECT_EQ(semaphore(kPrefetch, wire::kPrefetchDownstreamSyncSem), notified) << flags;
  }
}

// Also where what follows is there long before the acknowledgments: the dispatcher may prepare it, not do it.
TEST_F(WaitCommand, ABarrierHoldsBackWhateverFollowsIt) {
  ASSERT_TRUE(start());
  const host::Rectangle all{kWorkers.front(), kWorkers.back()};
  for (uint32_t i = 0; i < 8; ++i) {
    const auto first = pattern(6000, i), second = pattern(3000, i + 100), third = pattern(1000, i + 200);
    send(cq::wait(wire::kWaitStream | wire::kWaitClearStream, kStream, 1));
    send(cq::write_packed_large(wire::PackedLargeType::Config, 0x30000, std::vector{all}, first));
    send(cq::wait(wire::kWaitBarrier));
    send(cq::write_packed_shared(wire::PackedType::Rta, 0x30000, kWorkers, second));
    send(cq::wait(wire::kWaitBarrier));
    send(cq::write_packed_large(wire::PackedLargeType::Config, 0x30000, std::vector{all}, third));
    send(cq::wait(wire::kWaitBarrier));
    send(cq::host_event(i));
    run(100'000);
    count(1);
    ASSERT_TRUE(pop());
    for (NocCoord worker : kWorkers) {
      const auto got = read_bytes(worker, 0x30000, 6000);
      EXPECT_TRUE(std::ranges::equal(std::span(got).first(1000), as_u8(third)));
      EXPECT_TRUE(std::ranges::equal(std::span(got).subspan(1000, 2000), as_u8(std::span(second).subspan(1000))));
      EXPECT_TRUE(std::ranges::equal(std::span(got).subspan(3000), as_u8(std::span(first).subspan(3000))));
    }
  }
}

TEST_F(WaitCommand, AStreamIsComparedOnSeventeenBits) {
  ASSERT_TRUE(start());
  struct Case {
    uint32_t counted, wanted;
    bool passes;
  };
  for (const Case& c :
       {Case{0, 0, true}, Case{5, 5, true}, Case{4, 5, false}, Case{6, 5, true}, Case{65535, 65535, true},
        Case{65534, 65535, false}, Case{65535, 0, true}, Case{0x10000, 0, false}, Case{0x1FFFF, 0, false},
        Case{0x10004, 5, true}, Case{0x10005, 5, false}}) {
    send(cq::wait(wire::kWaitClearStream, kStream));
    ASSERT_TRUE(round_trip());
    count(c.counted);
    const uint32_t executed = diagnostics(kDispatch).commands_executed;
    send(cq::wait(wire::kWaitStream, kStream, c.wanted));
    settle_command(executed);
    EXPECT_EQ(diagnostics(kDispatch).commands_executed - executed, c.passes ? 1u : 0u)
        << c.counted << " for " << c.wanted;
    if (!c.passes) count(c.wanted - c.counted);
    ASSERT_TRUE(round_trip());
  }
}

TEST_F(WaitCommand, ClearingLosesNoCountThatComesMeanwhile) {
  ASSERT_TRUE(start());
  // How long such a command takes from the host on, in windows of relaxed timing: the host acts between two of them.
  constexpr uint64_t kWindow = 256;
  uint64_t usual = 0;
  send(cq::wait(wire::kWaitClearStream, kStream));
  for (; diagnostics(kDispatch).commands_executed == 0; ++usual) {
    ASSERT_LT(usual, 1000u);
    run(kWindow);
  }
  uint32_t left = 0, cleared = 0;
  for (uint32_t i = 0; i < 200; ++i) {
    count(3);
    const uint32_t executed = diagnostics(kDispatch).commands_executed;
    send(cq::wait(wire::kWaitStream | wire::kWaitClearStream, kStream, 3));
    run(i % (2 * usual) * kWindow);
    count(1);  // before, within or behind the clearing
    ASSERT_TRUE(run_until([&] { return diagnostics(kDispatch).commands_executed != executed; }));
    const uint32_t now = counter();
    EXPECT_TRUE(now == left || now == left + 1) << now;
    cleared += now == 0;
    send(cq::wait(wire::kWaitClearStream, kStream));
    ASSERT_TRUE(round_trip());
  }
  EXPECT_GT(cleared, 0u);
  EXPECT_LT(cleared, 200u) << "some came too late to be cleared, and stayed";
}

TEST_F(WaitCommand, TheSubordinateServesEachStreamByItsOwnNotifications) {
  ASSERT_TRUE(start(true));
  send(cq::set_go_signal_noc_data(kWorkers), wire::Dispatcher::DispatchS);
  uint32_t launches[4] = {};
  for (uint32_t round = 0; round < 6; ++round) {
    // Three streams told at once, then used in another order.
    send(cq::notify_subordinate_go_signal(round % 2 != 0, 0b1000'0101));
    for (const uint32_t index : {7u, 0u, 2u}) {
      const uint32_t worker = index % 4;
      arch::GoMessage go = go_message();
      go.dispatch_message_offset = static_cast<uint8_t>(index);
      send(cq::send_go_signal(go, 1, static_cast<uint8_t>(worker), round, wire::kFirstStream + index),
           wire::Dispatcher::DispatchS);
      ++launches[worker];
    }
  }
  for (const uint32_t index : {0u, 2u, 7u}) send(cq::wait(wire::kWaitStream, static_cast<uint16_t>(48 + index), 6));
  ASSERT_TRUE(round_trip());
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(read(layout.launch_rd_ptr, kWorkers[i]), launches[i] & 7);
  for (const uint32_t index : {0u, 2u, 7u})
    EXPECT_EQ(read(wire::kDispatchSSyncSems + wire::kSemStride * index, kDispatch), 6u);
}

TEST_F(WaitCommand, TheSubordinateSendsNothingBeforeItIsTold) {
  ASSERT_TRUE(start(true));
  send(cq::set_go_signal_noc_data(kWorkers), wire::Dispatcher::DispatchS);
  send(cq::send_go_signal(go_message(), 4, 0, 0), wire::Dispatcher::DispatchS);
  run(20'000);
  for (NocCoord worker : kWorkers) EXPECT_EQ(read(layout.launch_rd_ptr, worker), 0u);
  send(cq::notify_subordinate_go_signal(true, 1));
  send(cq::wait(wire::kWaitStream, wire::kFirstStream, 4));
  ASSERT_TRUE(round_trip());
  for (NocCoord worker : kWorkers) EXPECT_EQ(read(layout.launch_rd_ptr, worker), 1u);
}

TEST_F(WaitCommand, TheSubordinateClearsACounterItWaitedFor) {
  ASSERT_TRUE(start(true));
  send(cq::wait(wire::kWaitStream | wire::kWaitClearStream, kStream, 2), wire::Dispatcher::DispatchS);
  count(2);
  EXPECT_TRUE(run_until([&] { return counter() == 0; }));
}

// Whatever the kernels wait for, no hart of the chip does anything: the emulator says that nothing can happen any more.
struct Standing : QueueRig {
  ::testing::AssertionResult stands() {
    if (std::getenv("KERR_TEST_LIBRARY") != nullptr)
      return ::testing::AssertionSuccess() << "another device cannot tell";
    const auto result = device->wait([] { return false; }, {1'000'000, std::chrono::milliseconds(10)});
    if (result == host::WaitResult::Quiescent) return ::testing::AssertionSuccess();
    std::string who;
    for (const auto& waiting : device->status().waiting) who += " " + waiting.agent;
    return ::testing::AssertionFailure() << "something still moves; these wait:" << who;
  }
  uint32_t executed() { return diagnostics(kDispatch).commands_executed; }
};

TEST_F(Standing, WithNothingToDo) {
  ASSERT_TRUE(start(true));
  EXPECT_TRUE(stands());
  ASSERT_TRUE(round_trip());
  EXPECT_TRUE(stands());
}

TEST_F(Standing, AtAStallThatNobodyNotifies) {
  ASSERT_TRUE(start());
  push(cq::stall());
  EXPECT_TRUE(stands());
  EXPECT_EQ(diagnostics(kPrefetch).last_command_id, static_cast<uint32_t>(wire::PrefetchId::Stall));
}

TEST_F(Standing, ForAStreamOrAWordOfMemory) {
  ASSERT_TRUE(start());
  send(cq::wait(wire::kWaitStream, 48, 5));
  EXPECT_TRUE(stands());
  EXPECT_EQ(executed(), 0u);
  write(arch::stream_address(48, arch::stream::kSpaceAvailableUpdate), arch::stream_increment(5), kDispatch);
  send(cq::wait(wire::kWaitMemory, 0, 5, wire::kCq1LastEvent));
  EXPECT_TRUE(stands());
  EXPECT_EQ(executed(), 1u);
}

TEST_F(Standing, ForANotificationAndForTheStreamOfAGoSignal) {
  ASSERT_TRUE(start(true));
  send(cq::set_go_signal_noc_data(kWorkers), wire::Dispatcher::DispatchS);
  send(cq::send_go_signal(go_message(), 4, 0, 1), wire::Dispatcher::DispatchS);
  EXPECT_TRUE(stands());
  send(cq::notify_subordinate_go_signal(true, 1));
  EXPECT_TRUE(stands());
  for (NocCoord worker : kWorkers) EXPECT_EQ(read(layout.launch_rd_ptr, worker), 0u);
}

TEST_F(Standing, WithAFullCompletionRing) {
  ASSERT_TRUE(start());
  for (uint32_t i = 0; i < 12; ++i) send(cq::host_event(100 + i));
  EXPECT_TRUE(stands());
  EXPECT_EQ(executed(), 8u) << "so many pages has the ring";
  for (uint32_t i = 0; i < 12; ++i) ASSERT_TRUE(pop());
}

TEST_F(Standing, WithNoPagesLeftToSend) {
  ASSERT_TRUE(start());
  send(cq::wait(wire::kWaitStream, 48, 1));
  for (uint32_t i = 0; i < wire::kDispatchCbPages + 20; ++i) {
    const Bytes record = cq::record(cq::delay(1));
    std::copy(record.begin(), record.end(), memory->bytes().begin() + region.issue_offset() + 64 * (1 + i));
    io.write16(kPrefetch, wire::kPrefetchQ + 2 * (1 + i), cq::queue_entry(record));
  }
  EXPECT_TRUE(stands());
  EXPECT_EQ(semaphore(kDispatch, wire::kDispatchCbSem), wire::kDispatchCbPages);
  write(arch::stream_address(48, arch::stream::kSpaceAvailableUpdate), arch::stream_increment(1), kDispatch);
  EXPECT_TRUE(stands());
  EXPECT_EQ(executed(), wire::kDispatchCbPages + 21);
}

TEST_F(Standing, AfterAnError) {
  ASSERT_TRUE(start());
  send(Bytes(16));
  EXPECT_TRUE(stands());
  EXPECT_EQ(error_of(kDispatch), wire::CqError::UnknownId);
}

TEST_F(Standing, AfterTheEnd) {
  ASSERT_TRUE(start());
  terminate();
  EXPECT_TRUE(stands());
}

}  // namespace
}  // namespace kerr::firmware
