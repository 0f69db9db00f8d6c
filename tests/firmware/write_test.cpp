// The dispatcher's commands that write, and the small ones.                        docs/hardware/fast-dispatch.md 7.4
#include "host/runtime/cq/queue_config.hpp"
#include "tests/firmware/queue_rig.hpp"

namespace kerr::firmware {
namespace {

using arch::NocCoord;
namespace cq = host::cq;

struct Write : QueueRig {
  bool settle() {
    send(cq::wait(wire::kWaitBarrier));
    return round_trip();
  }
};

TEST_F(Write, LinearToOneTile) {
  ASSERT_TRUE(start());
  for (const uint32_t length : {1u, 16u, 4063u, 4064u, 4065u, 100'001u}) {
    const auto data = pattern(length, length);
    send(cq::write_linear(kWorkers[2].packed(), 0x40000, data));
    ASSERT_TRUE(settle());
    EXPECT_EQ(read_bytes(kWorkers[2], 0x40000, length), as_u8(data)) << length;
  }
}

TEST_F(Write, LinearToARectangle) {
  ASSERT_TRUE(start());
  const auto data = pattern(50'000, 1);
  send(cq::write_linear_multicast(kWorkerGrid, 0x40000, data));
  ASSERT_TRUE(settle());
  for (NocCoord worker : kWorkers) EXPECT_EQ(read_bytes(worker, 0x40000, data.size()), as_u8(data));
}

TEST_F(Write, LinearToHostMemory) {
  ASSERT_TRUE(start());
  const host::PinnedMemory pinned(*device, 1 << 16);
  const auto data = pattern(30'000, 2);
  send(cq::write_linear(wire::kPcieNocXyAddr, pinned.noc_local(), data));
  send(cq::write_linear_h(wire::kPcieNocXyAddr, pinned.noc_address() + 0x8000, data));
  ASSERT_TRUE(settle());
  EXPECT_EQ(as_u8(pinned.bytes().first(data.size())), as_u8(data));
  EXPECT_EQ(as_u8(pinned.bytes().subspan(0x8000, data.size())), as_u8(data));
}

TEST_F(Write, PagedToDramAndL1) {
  ASSERT_TRUE(start());
  for (const bool is_dram : {true, false}) {
    for (const uint32_t page : {16u, 64u, 4096u, 9600u, 40'000u}) {
      const uint32_t base = is_dram ? 0x300'000 : 0xA8000;
      const uint32_t pages = std::min(25u, 120'000 / page);
      for (const uint32_t first : {0u, 130u}) {
        const auto data = pattern(pages * page, page + first);
        send(cq::write_paged(is_dram, static_cast<uint16_t>(first), base, page, data));
        ASSERT_TRUE(settle());
        ASSERT_EQ(read_pages(is_dram, base, page, first, data.size()), as_u8(data)) << page << " from " << first;
      }
    }
  }
}

TEST_F(Write, PackedReachesHostMemory) {
  ASSERT_TRUE(start());
  const host::PinnedMemory pinned(*device, 1 << 16);
  const auto data = pattern(4 * 1000, 3);
  Bytes command = cq::write_packed(wire::PackedType::Rta, pinned.noc_local(), kWorkers, data);
  for (size_t i = 0; i < kWorkers.size(); ++i)
    std::memcpy(command.data() + sizeof(wire::WritePacked) + 4 * i, &wire::kPcieNocXyAddr, 4);
  send(command);
  ASSERT_TRUE(settle());
  EXPECT_EQ(as_u8(pinned.bytes().first(1000)), as_u8(std::span(data).subspan(3000))) << "the last one";
}

// The page with the sub-commands goes back before the last of them is used, and a prefetcher that has been waiting for
// pages overwrites it at once.
TEST_F(Write, PackedDataMayReachFurtherThanABlockOfPages) {
  ASSERT_TRUE(start());
  constexpr uint32_t kStream = 51;
  std::vector<arch::NocCoord> cores;
  while (cores.size() < 116) cores.insert(cores.end(), kWorkers.begin(), kWorkers.end());
  const auto data = pattern(cores.size() * 4096, 8);
  const auto bytes = static_cast<uint32_t>(data.size());
  io.write(bank_tile(true, 2), 0x10000, data);
  Bytes command = cq::write_packed(wire::PackedType::Rta, 0x30000, cores, data);
  command.resize(command.size() - bytes);
  const Bytes relay = cq::relay_linear(bank_tile(true, 2).packed(), 0x10000, bytes);
  for (int i = 0; i < 4; ++i) {
    for (NocCoord worker : kWorkers) io.write(worker, 0x30000, std::vector<std::byte>(4096));
    send(cq::wait(wire::kWaitStream | wire::kWaitClearStream, kStream, 1));
    push(join({cq::relay_inline_noflush(command), relay}));
    push(join({cq::relay_inline_noflush(cq::sink_header(bytes)), relay}));
    run(100'000);
    write(arch::stream_address(kStream, arch::stream::kSpaceAvailableUpdate), arch::stream_increment(1), kDispatch);
    ASSERT_TRUE(settle());
    for (size_t w = 0; w < 4; ++w)
      ASSERT_EQ(read_bytes(kWorkers[w], 0x30000, 4096), as_u8(std::span(data).subspan((112 + w) * 4096, 4096))) << i;
  }
}

TEST_F(Write, PackedByMulticast) {
  ASSERT_TRUE(start());
  const std::vector<host::Rectangle> rows = {{{1, 2}, {2, 2}}, {{1, 3}, {2, 3}}};
  const auto data = pattern(2 * 1000, 4);
  send(cq::write_packed_multicast(wire::PackedType::Rta, 0x30000, rows, data));
  ASSERT_TRUE(settle());
  for (NocCoord worker : kWorkers) {
    EXPECT_EQ(read_bytes(worker, 0x30000, 1000), as_u8(std::span(data).subspan(1000 * (worker.y - 2), 1000)));
  }
}

TEST_F(Write, PackedLargeByUnicastAndWhatIsThrownAway) {
  ASSERT_TRUE(start());
  const auto a = pattern(70'001, 1), b = pattern(5000, 2), c = pattern(33, 3);
  const std::vector<cq::UnicastPiece> pieces = {
      {kWorkers[0], 0x40000, a}, {kWorkers[1], wire::kDiscardAddress, b}, {kWorkers[3], 0x50000, c}};
  send(cq::write_packed_large_unicast(pieces));
  ASSERT_TRUE(settle());
  EXPECT_EQ(read_bytes(kWorkers[0], 0x40000, a.size()), as_u8(a));
  EXPECT_EQ(read_bytes(kWorkers[3], 0x50000, c.size()), as_u8(c));
}

TEST_F(Write, OffsetsAreAddedByIndexEverywhereButToPages) {
  ASSERT_TRUE(start());
  const uint32_t offsets[] = {0, 0x1000, 0x2000, 0x3000};
  send(cq::set_write_offset(offsets, 77));
  const auto data = pattern(64, 5);
  const NocCoord worker = kWorkers[0];
  send(cq::write_linear(worker.packed(), 0x40000, data, 1));
  send(cq::write_packed(wire::PackedType::Rta, 0x40000, std::vector{worker}, data, 2));
  send(cq::write_packed_large(wire::PackedLargeType::Config, 0x40000, std::vector<host::Rectangle>{{worker, worker}},
                              data, 0, 3));
  send(cq::write_packed_large_unicast(std::vector<cq::UnicastPiece>{{worker, 0x44000, data}}, 1));
  ASSERT_TRUE(settle());
  for (uint32_t at : {0x41000u, 0x42000u, 0x43000u, 0x45000u}) EXPECT_EQ(read_bytes(worker, at, 64), as_u8(data)) << at;
}

TEST_F(Write, DebugIsFollowedByACommandInTheSamePayload) {
  ASSERT_TRUE(start());
  send(cq::debug(1, pattern(5000, 1), cq::debug(2, {}, cq::host_event(1))));
  ASSERT_TRUE(pop());
  EXPECT_EQ(diagnostics(kDispatch).commands_executed, 3u);
}

// Inline, and relayed from memory: more than the dispatcher's buffer holds.
TEST_F(Write, SinkThrowsAwayItsDataAndNoMore) {
  ASSERT_TRUE(start());
  for (const uint32_t length : {0u, 1u, 4080u, 4081u, 100'001u}) {
    send(cq::sink(pattern(length, length)));
    ASSERT_TRUE(round_trip()) << length;
  }
  push(join({cq::relay_inline_noflush(cq::sink_header(2'000'000)),
             cq::relay_linear(bank_tile(true, 1).packed(), 0x40000, 2'000'000)}));
  ASSERT_TRUE(round_trip());
  terminate();
  EXPECT_EQ(diagnostics(kDispatch).commands_executed, 13u);
  EXPECT_EQ(error_of(kDispatch), wire::CqError::None);
}

TEST_F(Write, DelayTakesItsTurns) {
  ASSERT_TRUE(start());
  const uint32_t slot = config.timestamp_base;
  send(cq::timestamp(slot));
  send(cq::delay(10'000));
  send(cq::timestamp(slot + 16));
  ASSERT_TRUE(round_trip());
  uint64_t times[2];
  for (int i : {0, 1}) std::memcpy(&times[i], memory->bytes().data() + region.timestamp_offset() + 16 * i, 8);
  EXPECT_GE(times[1] - times[0], 10'000u);
}

TEST_F(Write, TheNumberOfWorkerSemsAndTheEndOfABufferChangeNothingHere) {
  ASSERT_TRUE(start());
  send(cq::set_num_worker_sems(4));
  Bytes end(16);
  end[0] = std::byte{static_cast<uint8_t>(wire::DispatchId::ExecBufEnd)};
  send(end);
  EXPECT_TRUE(round_trip());
}

TEST_F(Write, AGoSignalByMulticastReachesEveryWorkerAndNobodyElse) {
  ASSERT_TRUE(start());
  for (uint32_t round = 1; round <= 10; ++round) {
    send(cq::send_go_signal_multicast(go_message()));
    send(cq::wait(wire::kWaitStream | wire::kWaitClearStream, wire::kFirstStream, 4));
    ASSERT_TRUE(round_trip());
    for (NocCoord worker : kWorkers) EXPECT_EQ(read(layout.launch_rd_ptr, worker), round & 7);
  }
  // Another go message than the first.
  for (NocCoord worker : kWorkers) write(layout.go_message_index, 6, worker);
  send(cq::send_go_signal_multicast(go_message(), 6));
  send(cq::wait(wire::kWaitStream | wire::kWaitClearStream, wire::kFirstStream, 4));
  ASSERT_TRUE(round_trip());
  EXPECT_EQ(read(layout.launch_rd_ptr, kWorkers[3]), 3u);
}

// The largest rectangle by multicast, the others one by one; each NoC has its own order of corners.
TEST_F(Write, AGoTableHoldsRectanglesAndSingleWorkers) {
  ASSERT_TRUE(start(true));
  const auto xy = [](NocCoord tile) { return uint32_t{tile.packed()}; };
  const host::Rectangle column{{1, 2}, {1, 3}}, rest{{2, 2}, {2, 3}};
  uint32_t rounds = 0;
  for (const int noc : {0, 1}) {
    const auto word = [noc](const host::Rectangle& r) {
      return wire::go_rectangle(cq::multicast_address(r, noc), r.tiles());
    };
    const auto to = noc == 0 ? wire::Dispatcher::DispatchD : wire::Dispatcher::DispatchS;
    for (const std::vector<uint32_t>& words :
         {std::vector{word(kWorkerGrid)}, {word(column), xy({2, 2}), xy({2, 3})}, {word(column), word(rest)}}) {
      if (noc == 1) send(cq::notify_subordinate_go_signal(true, 1));
      send(cq::set_go_signal_noc_data(words), to);
      send(cq::send_go_signal(go_message(), static_cast<uint32_t>(words.size())), to);
      send(cq::wait(wire::kWaitStream | wire::kWaitClearStream, wire::kFirstStream, 4));
      ASSERT_TRUE(round_trip());
      ++rounds;
      for (NocCoord worker : kWorkers) EXPECT_EQ(read(layout.launch_rd_ptr, worker), rounds);
    }
  }
}

TEST_F(Write, AGoRectangleWithNobodyInItIsRefused) {
  ASSERT_TRUE(start());
  send(cq::set_go_signal_noc_data(std::vector{cq::multicast_address({{1, 2}, {1, 3}}, 0)}));
  send(cq::send_go_signal(go_message(), 1));
  EXPECT_EQ(await_error(kDispatch), wire::CqError::BadMulticastGroup);
  for (NocCoord worker : kWorkers) EXPECT_EQ(read(layout.launch_rd_ptr, worker), 0u);
}

TEST_F(Write, AGoRectangleBehindASingleWorkerIsRefused) {
  ASSERT_TRUE(start());
  const uint32_t column = wire::go_rectangle(cq::multicast_address({{1, 2}, {1, 3}}, 0), 2);
  send(cq::set_go_signal_noc_data(std::vector{uint32_t{kWorkers[1].packed()}, column}));
  send(cq::send_go_signal(go_message(), 2));
  EXPECT_EQ(await_error(kDispatch), wire::CqError::BadMulticastGroup);
}

TEST_F(Write, TheSubordinateHasNoConfiguredRectangles) {
  ASSERT_TRUE(start(true));
  send(cq::notify_subordinate_go_signal(true, 1));
  send(cq::send_go_signal_multicast(go_message()), wire::Dispatcher::DispatchS);
  for (int i = 0; i < 100; ++i) run(1000);
  const wire::Diagnostics of_s = diagnostics(kDispatch, offsetof(wire::ConfigBlock, dispatch_s_diagnostics));
  EXPECT_EQ(static_cast<wire::CqError>(of_s.error), wire::CqError::BadMulticastGroup);
}

TEST_F(Write, TheSubordinateAcceptsEveryCommandOfIts) {
  ASSERT_TRUE(start(true));
  const auto s = wire::Dispatcher::DispatchS;
  send(cq::set_num_worker_sems(1), s);
  send(cq::set_go_signal_noc_data(kWorkers), s);
  send(cq::notify_subordinate_go_signal(true, 1));
  send(cq::send_go_signal(go_message(), 4), s);
  send(cq::wait(wire::kWaitStream | wire::kWaitClearStream, wire::kFirstStream, 4), s);
  send(cq::notify_subordinate_go_signal(false, 1));
  send(cq::send_go_signal(go_message(), 4), s);
  send(cq::wait(wire::kWaitStream, wire::kFirstStream, 4), wire::Dispatcher::DispatchD);
  ASSERT_TRUE(round_trip());
  EXPECT_EQ(read(layout.launch_rd_ptr, kWorkers[0]), 2u);
}

}  // namespace
}  // namespace kerr::firmware
