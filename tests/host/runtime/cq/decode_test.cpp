#include "host/runtime/cq/decode.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <random>

#include "arch/cq_layout.hpp"
#include "host/error.hpp"
#include "host/runtime/cq/prefetch_commands.hpp"
#include "tests/host/runtime/cq/other_commands.hpp"

namespace kerr::host::cq {
namespace {

namespace wire = arch::cq;

constexpr arch::NocCoord kWorkers[] = {{1, 2}, {2, 2}};
constexpr Rectangle kTiles[] = {{{1, 2}, {7, 11}}};

std::string text_of(const Bytes& dispatch_command) {
  const auto commands = decode_stream(record(dispatch_command));
  return commands.at(0).payload.at(0).text();
}
std::string error_of(const Bytes& bytes) {
  try {
    decode_stream(bytes);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Decode, SaysWhatEachDispatchCommandDoes) {
  const Bytes data(32, std::byte{1});
  const arch::GoMessage go{0, 14, 3, 0x80};
  EXPECT_EQ(text_of(host_event(5)), "WRITE_LINEAR_H_HOST is_event=1 length=32 event=5");
  EXPECT_EQ(text_of(wait(wire::kWaitStream | wire::kWaitClearStream, 48, 118)),
            "WAIT flags=stream|clear stream=48 count=118");
  EXPECT_EQ(text_of(wait(wire::kWaitBarrier)), "WAIT flags=barrier");
  EXPECT_EQ(text_of(set_go_signal_noc_data(kWorkers)), "SET_GO_SIGNAL_NOC_DATA tiles=(1,2),(2,2)");
  const uint32_t rectangle = wire::go_rectangle(2 << 18 | 1 << 12 | 11 << 6 | 7, 70);
  EXPECT_EQ(text_of(set_go_signal_noc_data(std::vector{rectangle, 0x8Eu})),
            "SET_GO_SIGNAL_NOC_DATA tiles=(1,2)..(7,11)=70,(14,2)");
  EXPECT_EQ(text_of(send_go_signal(go, 2)),
            "SEND_GO_SIGNAL go=0x80030e00 signal=0x80 master=(14,3) multicast=no unicasts=2 first=0 wait_count=0 "
            "wait_stream=48");
  EXPECT_EQ(text_of(timestamp(0x46000100)), "TIMESTAMP to=host addr=0x46000100");
  EXPECT_EQ(text_of(write_packed(wire::PackedType::Rta, 0x86B0, kWorkers, data)),
            "WRITE_PACKED flags=none type=1 addr=0x86b0 size=16 offset_index=0 to=(1,2),(2,2)");
  EXPECT_EQ(text_of(write_packed_large(wire::PackedLargeType::Binaries, 0x370, kTiles, data)),
            "WRITE_PACKED_LARGE type=2 alignment=16 offset_index=0 to=(1,2)..(7,11)=70:0x370+32");
  EXPECT_EQ(text_of(write_paged(true, 3, 0x1000, 16, data)),
            "WRITE_PAGED memory=DRAM start_page=3 base=0x1000 page_size=16 pages=2");
  EXPECT_EQ(text_of(write_linear(0x81, 0x30000, data)),
            "WRITE_LINEAR to=(1,2) receivers=0 addr=0x30000 length=32 offset_index=0");
}

TEST(Decode, FollowsEveryPrefetchCommandByItsStride) {
  Bytes all;
  const PagedPiece pieces[] = {{0, 12, 0, 64}, {1, 12, 0, 64}};
  const RingPiece ring[] = {{0, 64}};
  for (const Bytes& b :
       {relay_inline_noflush(host_data_header(4096)), relay_linear(0x81, 0, 4096), relay_linear_h(0x81, 0, 64),
        relay_paged({true, 0, 0, 64, 2, 0}), relay_paged_packed(pieces), paged_to_ringbuffer(true, 12, 0, 0, 64, 64),
        set_ringbuffer_offset(64, true), relay_ringbuffer(ring), exec_buf(0, 12, 1), stall(),
        prefetch_debug(1, Bytes(100)), record(debug(1, {}, delay(5))), prefetch_terminate(), exec_buf_end()}) {
    all.insert(all.end(), b.begin(), b.end());
  }
  const auto commands = decode_stream(all);
  std::vector<std::string_view> names;
  for (const DecodedCommand& c : commands) names.push_back(c.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"RELAY_INLINE_NOFLUSH", "RELAY_LINEAR", "RELAY_LINEAR_H",
                                                  "RELAY_PAGED", "RELAY_PAGED_PACKED", "PAGED_TO_RINGBUFFER",
                                                  "SET_RINGBUFFER_OFFSET", "RELAY_RINGBUFFER", "EXEC_BUF", "STALL",
                                                  "DEBUG", "RELAY_INLINE", "TERMINATE", "EXEC_BUF_END"}));
  EXPECT_EQ(commands[11].payload.size(), 2u) << "DEBUG and what follows it";
}

TEST(Decode, RefusesMalformedBytesWithTheirOffset) {
  Bytes good = record(wait(wire::kWaitBarrier));
  Bytes bad = good;
  bad[16] = std::byte{99};
  good.insert(good.end(), bad.begin(), bad.end());
  EXPECT_EQ(error_of(good), "HostError: byte 0x50: 99 is no dispatch command");
  bad = record(wait(wire::kWaitBarrier));
  bad[8] = std::byte{0x41};
  EXPECT_EQ(error_of(bad), "HostError: byte 0x0: RELAY_INLINE with a stride of 65, 64 bytes are there");
  bad = record(write_linear(0x81, 0, Bytes(64)));
  bad[16 + 17] = std::byte{1};
  EXPECT_NE(error_of(bad).find("byte 0x10: WRITE_LINEAR with 320 bytes of data"), std::string::npos) << error_of(bad);
  bad = Bytes(40, std::byte{5});
  EXPECT_NE(error_of(bad).find("byte 0x0: "), std::string::npos);
  EXPECT_THROW(decode_region(Bytes(100)), DeviceError);
  Bytes region(256);
  region[wire::kHostIssueQWr + 1] = std::byte{1};
  EXPECT_THROW(decode_region(region), DeviceError) << "the write pointer lies outside";
}

// A ring that has wrapped: new records, the rest of one that they have overwritten in part, older ones.
TEST(Decode, ARegionGoesOnWithWhatTheRingStillHoldsOfTheLapBefore) {
  const auto append = [](Bytes& to, const Bytes& more) { to.insert(to.end(), more.begin(), more.end()); };
  Bytes region(wire::kHostHeaderBytes);
  append(region, record(delay(1)));
  region[wire::kHostIssueQWr] = std::byte{64 / 16};
  const Bytes broken = record(write_linear(0x81, 0, Bytes(200, std::byte{9})));  // 9 looks like STALL
  region.insert(region.end(), broken.begin() + 64, broken.end());
  const uint64_t older = region.size();
  for (int i = 0; i < 5; ++i) append(region, record(delay(2)));
  const uint64_t issue_bytes = region.size() - wire::kHostHeaderBytes;
  append(region, prefetch_terminate());  // behind the ring

  const auto commands = decode_region(region, issue_bytes);
  ASSERT_EQ(commands.size(), 7u) << listing(commands);
  EXPECT_EQ(commands[1].text(), "OLDER_RECORDS overwritten=192");
  EXPECT_EQ(commands[1].offset, wire::kHostHeaderBytes + 64u);
  EXPECT_EQ(commands[2].offset, older);
  EXPECT_EQ(commands[6].payload.front().text(), "DELAY turns=2");
  EXPECT_THROW(decode_region(region, 32), DeviceError) << "the write pointer lies outside";
}

// Any bytes: an answer or a refusal, nothing else (the sanitizer build watches).
TEST(Decode, NoBytesMakeItReadOutsideOrHang) {
  std::mt19937 random(7);
  const Bytes seeds[] = {record(write_packed_large(wire::PackedLargeType::Config, 0x370, kTiles, Bytes(40))),
                         record(write_packed(wire::PackedType::Rta, 0, kWorkers, Bytes(32))),
                         record(debug(1, Bytes(20), host_event(1))),
                         relay_paged_packed(std::vector<PagedPiece>(9, {0, 12, 0, 64})),
                         relay_ringbuffer(std::vector<RingPiece>(9, {0, 64})),
                         exec_buf_end()};
  size_t decoded = 0;
  for (int round = 0; round < 200'000; ++round) {
    Bytes bytes = round % 4 == 0 ? Bytes(random() % 300) : seeds[random() % std::size(seeds)];
    if (round % 4 == 0) {
      for (std::byte& b : bytes) b = static_cast<std::byte>(random() % 3 ? random() % 20 : random());
    } else {
      for (uint32_t i = 0; i < 1 + random() % 3; ++i) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
      if (random() % 8 == 0) bytes.resize(random() % bytes.size());
    }
    bytes.shrink_to_fit();
    try {
      listing(decode_stream(bytes));
      ++decoded;
    } catch (const DeviceError&) {
    }
  }
  EXPECT_GT(decoded, 1000u);
}

}  // namespace
}  // namespace kerr::host::cq
