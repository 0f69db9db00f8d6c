// Commands from DRAM.                                                          docs/hardware/fast-dispatch.md 6.3
#include "tests/firmware/queue_rig.hpp"

namespace kerr::firmware {
namespace {

namespace cq = host::cq;

struct ExecBuf : QueueRig {
  static constexpr uint32_t kBase = 0x400'000;

  void execute(const Bytes& commands, uint32_t log2_page = 12) {
    Bytes all = join({commands, cq::exec_buf_end()});
    const uint32_t page = 1u << log2_page;
    const auto pages = static_cast<uint32_t>((all.size() + page - 1) / page);
    write_pages(true, kBase, page, 0, all);
    push(cq::exec_buf(kBase, log2_page, pages), true);
  }
};

TEST_F(ExecBuf, RunsItsCommandsAndGoesOnWithTheRing) {
  ASSERT_TRUE(start());
  const auto data = pattern(640, 1);
  for (int round = 0; round < 5; ++round) {
    const uint32_t target = 0x30000 + 0x1000 * round;
    execute(cq::record(cq::write_packed(wire::PackedType::Rta, target, kWorkers, data)));
    send(cq::wait(wire::kWaitBarrier));
    ASSERT_TRUE(round_trip());
    for (size_t i = 0; i < kWorkers.size(); ++i)
      EXPECT_EQ(read_bytes(kWorkers[i], target, 160), as_u8(std::span(data).subspan(160 * i, 160)));
  }
}

// Records of many sizes, so that they straddle pages, the first part and the window's end.
TEST_F(ExecBuf, CommandsMayStraddleEveryRefill) {
  ASSERT_TRUE(start());
  for (const uint32_t log2_page : {6u, 10u, 12u, 14u}) {
    Bytes commands;
    std::vector<std::pair<uint32_t, std::vector<std::byte>>> expected;
    uint32_t target = 0x20'0000;
    for (uint32_t i = 0; commands.size() < 1'200'000; ++i) {
      const uint32_t length = i % 7 == 0 ? 120'000 - 16 * i : 16 + 48 * (i * 37 % 400);
      const auto data = pattern(length, i + log2_page);
      const Bytes command = cq::record(cq::write_linear(bank_tile(true, 1).packed(), target, data));
      commands.insert(commands.end(), command.begin(), command.end());
      expected.push_back({target, data});
      target += (length + 63) / 64 * 64;
    }
    execute(commands, log2_page);
    send(cq::wait(wire::kWaitBarrier));
    ASSERT_TRUE(round_trip());
    for (const auto& [at, data] : expected) ASSERT_EQ(read_bytes(bank_tile(true, 1), at, data.size()), as_u8(data));
  }
}

TEST_F(ExecBuf, ItsCommandsMayFetchDataThemselves) {
  ASSERT_TRUE(start());
  const auto data = pattern(100'000, 3);
  write_pages(true, 0x800'000, 2048, 0, data);
  Bytes commands;
  for (int i = 0; i < 20; ++i) {
    commands = join({commands, cq::relay_inline_noflush(cq::host_data_header(100'000)),
                     cq::relay_paged({true, 0, 0x800'000, 2048, 49, 49 * 2048 - 100'000})});
  }
  execute(commands);
  for (int i = 0; i < 20; ++i) {
    const auto got = pop();
    ASSERT_TRUE(got);
    EXPECT_EQ(*got, as_u8(data));
  }
  EXPECT_TRUE(round_trip());
}

TEST_F(ExecBuf, AStallInsideWaitsForItsNotification) {
  ASSERT_TRUE(start());
  execute(join({cq::record(cq::wait(wire::kWaitNotifyPrefetch)), cq::stall(), cq::record(cq::host_event(5))}));
  EXPECT_TRUE(pop());
}

TEST_F(ExecBuf, CannotBeNested) {
  ASSERT_TRUE(start());
  execute(cq::exec_buf(kBase, 12, 1));
  EXPECT_EQ(await_error(kPrefetch), wire::CqError::BadExecBuf);
}

TEST_F(ExecBuf, ABufferWithoutItsEndIsRefused) {
  ASSERT_TRUE(start());
  Bytes commands;
  for (int i = 0; i < 64; ++i) commands = join({commands, cq::record(cq::wait(wire::kWaitBarrier))});
  write_pages(true, kBase, 4096, 0, commands);
  push(cq::exec_buf(kBase, 12, 1), true);
  EXPECT_EQ(await_error(kPrefetch), wire::CqError::BadStride);
}

TEST_F(ExecBuf, AStalledEntryWithoutItIsRefused) {
  ASSERT_TRUE(start());
  push(cq::record(cq::wait(wire::kWaitBarrier)), true);
  EXPECT_EQ(await_error(kPrefetch), wire::CqError::BadExecBuf);
}

TEST_F(ExecBuf, MustBeTheLastOfItsRecord) {
  ASSERT_TRUE(start());
  push(join({cq::exec_buf(kBase, 12, 1), cq::record(cq::wait(wire::kWaitBarrier))}), true);
  EXPECT_EQ(await_error(kPrefetch), wire::CqError::BadExecBuf);
}

TEST_F(ExecBuf, AnEntryOfTheStallFlagAloneIsRefused) {
  ASSERT_TRUE(start());
  push({}, true);
  EXPECT_EQ(await_error(kPrefetch), wire::CqError::BadLength);
}

}  // namespace
}  // namespace kerr::firmware
