// The prefetcher's commands that fetch data from memory.                      docs/hardware/fast-dispatch.md 6.3, 8.1
#include "tests/firmware/queue_rig.hpp"

namespace kerr::firmware {
namespace {

namespace cq = host::cq;

struct Relay : QueueRig {
  // A read that the host gets back: header in front of whatever `data` delivers.
  std::optional<std::vector<uint8_t>> fetched(uint32_t length, const Bytes& data) {
    push(join({cq::relay_inline_noflush(cq::host_data_header(length)), data}));
    return pop();
  }
  uint32_t pages_sent() { return semaphore(kDispatch, wire::kDispatchCbSem); }
  uint32_t dram_xy(uint32_t bank) { return bank_tile(true, bank).packed(); }
};

TEST_F(Relay, LinearReadsDramL1AndHostMemory) {
  ASSERT_TRUE(start());
  const auto data = pattern(200'000, 7);
  io.write(bank_tile(true, 3), 0x12340, data);
  auto got = fetched(200'000, cq::relay_linear(dram_xy(3), 0x12340, 200'000));
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, as_u8(data));
  io.write(kWorkers[1], 0x40010, data);
  got = fetched(200'000, cq::relay_linear(kWorkers[1].packed(), 0x40010, 200'000));
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, as_u8(data)) << "L1 needs 16 bytes of alignment only";
  const host::PinnedMemory pinned(*device, data.size());
  std::memcpy(pinned.bytes().data(), data.data(), data.size());
  got = fetched(200'000, cq::relay_linear(wire::kPcieNocXyAddr, pinned.noc_local(), 200'000));
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, as_u8(data));
  got = fetched(64, cq::relay_linear_h(wire::kPcieNocXyAddr, pinned.noc_address(), 64));
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, as_u8(std::span(data).first(64))) << "the upper half of the address may be given too";
}

// Every length around a page end, from every start in the first page that a header can leave.
TEST_F(Relay, APayloadEndsWithItsLastPageWhateverItsLength) {
  ASSERT_TRUE(start());
  const auto data = pattern(3 * 65536, 8);
  io.write(bank_tile(true, 0), 0x1000, data);
  uint32_t sent = pages_sent();
  for (uint32_t whole : {0u, 4096u, 8192u, 65536u, 131072u}) {
    for (uint32_t length : {whole + 4080 - 64, whole + 4080 - 1, whole + 4080, whole + 4081, whole + 4096}) {
      const auto got = fetched(length, cq::relay_linear(dram_xy(0), 0x1000, length));
      ASSERT_TRUE(got) << length;
      ASSERT_EQ(*got, as_u8(std::span(data).first(length))) << length;
      sent += (16 + length + 4095) / 4096;
      ASSERT_EQ(pages_sent(), sent) << length;
    }
  }
  ASSERT_TRUE(round_trip());
  terminate();
  EXPECT_EQ(semaphore(kPrefetch, wire::kPrefetchDownstreamCbSem), wire::kDispatchCbPages + sent + 2);
}

TEST_F(Relay, APayloadMayBeLongerThanTheDispatchersBuffer) {
  ASSERT_TRUE(start());
  const auto data = pattern(1'500'000, 9);
  io.write(bank_tile(true, 1), 0x4000, data);
  push(join({cq::relay_inline_noflush(cq::write_linear_header(dram_xy(2), 0x8000, data.size())),
             cq::relay_linear(dram_xy(1), 0x4000, data.size())}));
  send(cq::wait(wire::kWaitBarrier));
  ASSERT_TRUE(round_trip());
  EXPECT_EQ(read_bytes(bank_tile(true, 2), 0x8000, data.size()), as_u8(data));
}

TEST_F(Relay, PagedReadsAcrossAllBanksFromAnyPage) {
  ASSERT_TRUE(start());
  for (const bool is_dram : {true, false}) {
    for (const uint32_t page : {64u, 2048u, 4160u, 65536u, 65536u + 64, 150'016u}) {
      const uint32_t base = is_dram ? 0x200'000 : 0xA8000;
      if (!is_dram && page > 65536) continue;
      const uint32_t pages = page > 65536 ? 9 : page == 65536 ? 20 : 40;
      for (const uint32_t first : {0u, 5u, 17u}) {
        const uint32_t drop = page == 64 ? 32 : 960;
        const uint32_t length = pages * page - drop;
        const auto data = pattern(pages * page, page + first);
        write_pages(is_dram, base, page, first, data);
        const auto got =
            fetched(length, cq::relay_paged({is_dram, static_cast<uint8_t>(first), base, page, pages, drop}));
        ASSERT_TRUE(got) << page;
        ASSERT_EQ(*got, as_u8(std::span(data).first(length))) << page << " from page " << first;
      }
    }
  }
}

TEST_F(Relay, PagedPackedJoinsPiecesOfSeveralBuffers) {
  ASSERT_TRUE(start());
  std::vector<cq::PagedPiece> pieces;
  std::vector<uint8_t> expected;
  for (uint32_t i = 0; i < wire::kPackedLargeMaxSubCommands; ++i) {
    const uint32_t log2_page = 6 + i % 8;
    const uint32_t length = i == 34 ? 100 : i % 5 == 0 ? 65536 : 64 * (1 + 37 * i % 500);
    const uint32_t base = 0x100'000 + i * 0x40000;
    const auto data = pattern(length, i);
    write_pages(true, base, 1u << log2_page, 3 * i, data);
    pieces.push_back({static_cast<uint16_t>(3 * i), static_cast<uint16_t>(log2_page), base, length});
    const auto bytes = as_u8(data);
    expected.insert(expected.end(), bytes.begin(), bytes.end());
  }
  const auto got = fetched(static_cast<uint32_t>(expected.size()), cq::relay_paged_packed(pieces));
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, expected);
}

TEST_F(Relay, LinearPackedJoinsPiecesOfOneTilesMemory) {
  ASSERT_TRUE(start());
  const auto data = pattern(1 << 20, 10);
  const host::PinnedMemory pinned(*device, data.size());
  std::memcpy(pinned.bytes().data(), data.data(), data.size());
  io.write(bank_tile(true, 2), 0x40000, data);
  io.write(kWorkers[0], 0x40000, std::span(data).first(1 << 19));
  struct Source {
    uint32_t xy;
    uint64_t base;
    uint32_t alignment, bytes;
  };
  for (const Source& from : {Source{dram_xy(2), 0x40000, 64, 1 << 20}, Source{kWorkers[0].packed(), 0x40000, 16, 1 << 19},
                             Source{wire::kPcieNocXyAddr, pinned.noc_local(), 64, 1 << 20}}) {
    std::vector<cq::LinearPiece> pieces;
    std::vector<uint8_t> expected;
    for (uint32_t i = 0; i < wire::kPackedLargeMaxSubCommands; ++i) {
      const uint32_t length = i == 34 ? 100 : i % 5 == 0 ? 65536 : from.alignment * (1 + 37 * i % 200);
      const uint32_t at = (i * 12'345'664u) % (from.bytes - length) / from.alignment * from.alignment;
      pieces.push_back({from.base + at, length});
      const auto bytes = as_u8(std::span(data).subspan(at, length));
      expected.insert(expected.end(), bytes.begin(), bytes.end());
    }
    for (const auto& command : {cq::relay_linear_packed(from.xy, pieces), cq::relay_linear_packed_h(from.xy, pieces)}) {
      const auto got = fetched(static_cast<uint32_t>(expected.size()), command);
      ASSERT_TRUE(got);
      EXPECT_EQ(*got, expected) << from.xy;
    }
  }
}

TEST_F(Relay, RingbufferSendsPiecesOfWhatWasFetchedBefore) {
  ASSERT_TRUE(start());
  const auto a = pattern(8192, 1), b = pattern(4096 + 64, 2);
  write_pages(true, 0x100'000, 1024, 0, a);
  write_pages(true, 0x200'000, 256, 5, b);
  push(join({cq::paged_to_ringbuffer(true, 10, 0, 0x100'000, 8192, 8192),
             cq::paged_to_ringbuffer(false, 8, 5, 0x200'000, 4096 + 64, 8192)}));
  for (int round = 0; round < 3; ++round) {  // fetched once, sent as often as wanted
    const auto got = fetched(4096 + 48 + 64,
                             cq::relay_ringbuffer(std::vector<cq::RingPiece>{{64, 4096}, {16, 48}, {0, 64}}));
    ASSERT_TRUE(got);
    std::vector<uint8_t> expected = as_u8(std::span(b).subspan(64, 4096));
    const auto second = as_u8(std::span(b).subspan(16, 48)), third = as_u8(std::span(b).first(64));
    expected.insert(expected.end(), second.begin(), second.end());
    expected.insert(expected.end(), third.begin(), third.end());
    EXPECT_EQ(*got, expected);
  }
  const auto got = fetched(8192, join({cq::set_ringbuffer_offset(0, false),
                                       cq::relay_ringbuffer(std::vector<cq::RingPiece>{{0, 8192}})}));
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, as_u8(a));
}

TEST_F(Relay, RingbufferOffsetsCanBeSet) {
  ASSERT_TRUE(start());
  const auto a = pattern(8192, 1), b = pattern(4096, 2);
  write_pages(true, 0x100'000, 1024, 0, a);
  write_pages(true, 0x200'000, 1024, 0, b);
  push(join({cq::paged_to_ringbuffer(true, 10, 0, 0x100'000, 8192, 8192), cq::set_ringbuffer_offset(4096, true),
             cq::paged_to_ringbuffer(false, 10, 0, 0x200'000, 4096, 4096), cq::set_ringbuffer_offset(0, false)}));
  const auto got = fetched(8192, cq::relay_ringbuffer(std::vector<cq::RingPiece>{{0, 8192}}));
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, as_u8(join({Bytes(a.begin(), a.begin() + 4096), b})));
}

TEST_F(Relay, PrefetchDebugIsSkipped) {
  ASSERT_TRUE(start());
  push(join({cq::prefetch_debug(3, pattern(100, 1)), cq::record(cq::host_event(9))}));
  ASSERT_TRUE(pop());
  EXPECT_EQ(diagnostics(kPrefetch).commands_executed, 2u);
}

}  // namespace
}  // namespace kerr::firmware
