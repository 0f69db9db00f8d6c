// The protocol of docs/hardware/tile.md 7, spoken to our base firmware on a running tile.
#include "arch/firmware_error.hpp"
#include "arch/kernel_abi.hpp"
#include "tests/firmware/tile_fixture.hpp"

namespace kerr::firmware {
namespace {

using arch::DispatchMode;
using arch::Hart;
using arch::LaunchMessage;
using arch::RunMessage;
using namespace isa::reg;

constexpr uint32_t kAllHarts = 0x1F;

struct OnABootedTile : TileFixture {
  OnABootedTile() {
    boot({kTile});
    run(1000);
  }
};

TEST_F(OnABootedTile, EveryHartHasReported) {
  EXPECT_EQ(signal(), 0);
  EXPECT_EQ(read(layout.subordinate_sync), arch::kSyncAllDone);
  EXPECT_EQ(read_pointer(), 0u);
}

TEST_F(OnABootedTile, EveryGoIsAnsweredOnceAndTheRingWraps) {
  for (uint32_t i = 1; i <= 10; ++i) {
    ASSERT_TRUE(go());
    EXPECT_EQ(completions(), i);
    EXPECT_EQ(read_pointer(), i & 7);
  }
  EXPECT_EQ(read(layout.go_messages), (kMaster.y << 16) | (kMaster.x << 8)) << "only the signal byte is cleared";
}

TEST_F(OnABootedTile, CompletionGoesToTheStreamOfTheGoMessage) {
  send(RunMessage::Go, 3);
  ASSERT_TRUE(run_until([&] { return signal() == 0; }));
  settle();
  EXPECT_EQ(completions(3), 1u);
  EXPECT_EQ(completions(0), 0u);
}

TEST_F(OnABootedTile, ResetReadPointerIsAnswered) {
  ASSERT_TRUE(go());
  for (RunMessage message : {RunMessage::ResetReadPtr, RunMessage::ReplayTrace}) {
    const uint32_t before = completions();
    send(message);
    ASSERT_TRUE(run_until([&] { return signal() == 0; }));
    settle();
    EXPECT_EQ(read_pointer(), 0u);
    EXPECT_EQ(completions(), before + 1);
  }
}

TEST_F(OnABootedTile, ResetReadPointerFromHostIsNotAnswered) {
  ASSERT_TRUE(go());
  send(RunMessage::ResetReadPtrFromHost);
  ASSERT_TRUE(run_until([&] { return read_pointer() == 0; }));
  EXPECT_EQ(completions(), 1u);
  EXPECT_EQ(signal(), 0xE0);
}

TEST_F(OnABootedTile, HostModeLeavesRingAndDispatcherAlone) {
  launch(kernel_message(0, DispatchMode::Host));
  ASSERT_TRUE(go());
  EXPECT_EQ(read_pointer(), 0u);
  EXPECT_EQ(completions(), 0u);
}

TEST_F(OnABootedTile, PreloadWaitsForGo) {
  LaunchMessage m = kernel_message(0);
  m.preload = arch::kPreloadFlag;
  launch(m);
  run(3000);
  EXPECT_EQ(completions(), 0u);
  const uint32_t last_word = layout.launch_entry(0) + 92;
  EXPECT_EQ(read(last_word) >> 24, arch::kPreloadFlag);
  ASSERT_TRUE(go());
  EXPECT_EQ(completions(), 1u);
  EXPECT_EQ(read(last_word) >> 24, 0u);
}

TEST_F(OnABootedTile, AnotherGoIndexIsUsedWhenTheHostSaysSo) {
  write(layout.go_message_index, 2);
  send(RunMessage::Go, 0, 2);
  ASSERT_TRUE(run_until([&] { return read(layout.go_messages + 8) >> 24 == 0; }));
  settle();
  EXPECT_EQ(completions(), 1u);
}

TEST_F(OnABootedTile, UnknownSignalsChangeNothing) {
  send(static_cast<RunMessage>(0x20));
  run(2000);
  EXPECT_EQ(signal(), 0x20);
  EXPECT_EQ(completions(), 0u);
}

TEST_F(OnABootedTile, KernelsOfAllFiveHartsAreCalledWithTheirArguments) {
  LaunchMessage m = kernel_message(kAllHarts);
  m.brisc_noc_id = 1;
  for (int h = 0; h < arch::kHarts; ++h) {
    isa::Assembler a;
    a.li(t0, static_cast<int32_t>(kResults + 64 * h));
    a.sw(a0, t0, 0);
    a.sw(a1, t0, 4);
    a.sw(a2, t0, 8);
    a.sw(a3, t0, 12);
    a.sw(a4, t0, 16);
    a.sw(a5, t0, 20);
    a.sw(sp, t0, 24);
    a.ret();
    load_kernel(static_cast<Hart>(h), a);
  }
  launch(m);
  ASSERT_TRUE(go());
  EXPECT_EQ(completions(), 1u);
  for (uint32_t h = 0; h < arch::kHarts; ++h) {
    const arch::KernelAbi abi = arch::kernel_abi(layout, static_cast<Hart>(h));
    const uint32_t at = kResults + 64 * h;
    EXPECT_EQ(read(at), kConfig + 16 * h) << arch::kHartNames[h];
    EXPECT_EQ(read(at + 4), kConfig + 16 * h + 8) << arch::kHartNames[h];
    EXPECT_EQ(read(at + 8), kConfig + 0x60) << arch::kHartNames[h];
    EXPECT_EQ(read(at + 12), abi.cb_interface) << arch::kHartNames[h];
    EXPECT_EQ(read(at + 16), h == 0 ? 1u : 0u) << arch::kHartNames[h] << ": BRISC on NoC 1, NCRISC on the other";
    EXPECT_EQ(read(at + 20), kTile.packed()) << arch::kHartNames[h];
    const uint32_t stack = read(at + 24);
    EXPECT_LE(stack, abi.stack_top);
    EXPECT_GT(stack, abi.stack_top - 512);
    EXPECT_EQ(stack % 16, 0u);
  }
}

TEST_F(OnABootedTile, OnlyEnabledHartsRun) {
  for (int h = 0; h < arch::kHarts; ++h) {
    isa::Assembler a;
    a.li(t0, static_cast<int32_t>(kResults + 4 * h));
    a.li(t1, 1);
    a.sw(t1, t0, 0);
    a.ret();
    load_kernel(static_cast<Hart>(h), a);
  }
  launch(kernel_message(arch::enable_bit(Hart::Ncrisc)));
  ASSERT_TRUE(go());
  EXPECT_EQ(read(kResults), 0u);
  EXPECT_EQ(read(kResults + 4), 1u);
  EXPECT_EQ(read(kResults + 8), 0u);
}

TEST_F(OnABootedTile, ARunningKernelHoldsBackTheAnswer) {
  isa::Assembler a;
  a.li(t0, kResults);
  const isa::Label loop = a.here();
  a.fence();
  a.lw(t1, t0, 0);
  a.beqz(t1, loop);
  a.ret();
  load_kernel(Hart::Trisc1, a);
  for (Hart h : {Hart::Trisc0, Hart::Trisc2}) {
    isa::Assembler nothing;
    nothing.ret();
    load_kernel(h, nothing);
  }
  write(kResults, 0);
  launch(kernel_message(arch::kEnableTriscs));
  send(RunMessage::Go);
  run(5000);
  EXPECT_EQ(signal(), 0x80);
  EXPECT_EQ(completions(), 0u);
  write(kResults, 1);
  ASSERT_TRUE(run_until([&] { return completions() == 1; }));
  EXPECT_EQ(signal(), 0);
}

// Copies `words` words of the hart's local RAM from `from` to kResults + 0x400 * hart.
isa::Assembler copy_local(Hart hart, uint32_t from, int words) {
  isa::Assembler a;
  a.li(t0, static_cast<int32_t>(from));
  a.li(t1, static_cast<int32_t>(0x20000 + 0x1000 * static_cast<int>(hart)));
  a.li(t2, words);
  const isa::Label loop = a.here();
  a.lw(t3, t0, 0);
  a.sw(t3, t1, 0);
  a.addi(t0, t0, 4);
  a.addi(t1, t1, 4);
  a.addi(t2, t2, -1);
  a.bnez(t2, loop);
  a.ret();
  return a;
}

TEST_F(OnABootedTile, CircularBuffersAreSetUpInTheUnitsOfEachHart) {
  LaunchMessage m = kernel_message(kAllHarts);
  m.local_cb_mask = 0x5;  // buffers 0 and 2; the entry of 1 is there, unused
  const arch::CbConfig configs[3] = {{0x30000, 0x4000, 4, 0x1000}, {1, 2, 3, 4}, {0x40000, 0x800, 1, 0x800}};
  io.write(kTile, kConfig + m.local_cb_offset, as_bytes(configs));
  for (Hart h : {Hart::Brisc, Hart::Ncrisc, Hart::Trisc0, Hart::Trisc2}) {
    isa::Assembler a = copy_local(h, arch::kernel_abi(layout, h).cb_interface, 24);
    load_kernel(h, a);
  }
  isa::Assembler nothing;
  nothing.ret();
  load_kernel(Hart::Trisc1, nothing);
  launch(m);
  ASSERT_TRUE(go());

  const auto interface = [&](Hart h, uint32_t cb) {
    arch::CbInterface out;
    io.read(kTile, 0x20000 + 0x1000 * static_cast<uint32_t>(h) + 32 * cb, std::as_writable_bytes(std::span(&out, 1)));
    return out;
  };
  for (Hart h : {Hart::Brisc, Hart::Ncrisc}) {
    const arch::CbInterface cb = interface(h, 0);
    EXPECT_EQ(cb.fifo_size, 0x4000u);
    EXPECT_EQ(cb.fifo_limit, 0x34000u);
    EXPECT_EQ(cb.fifo_page_size, 0x1000u);
    EXPECT_EQ(cb.fifo_num_pages, 4u);
    EXPECT_EQ(cb.fifo_rd_ptr, 0x30000u);
    EXPECT_EQ(cb.fifo_wr_ptr, 0x30000u);
    EXPECT_EQ(interface(h, 1).fifo_size, 0u) << "not in the mask";
    EXPECT_EQ(interface(h, 2).fifo_limit, 0x40800u);
  }
  const arch::CbInterface unpack = interface(Hart::Trisc0, 0);
  EXPECT_EQ(unpack.fifo_limit, 0x3400u);
  EXPECT_EQ(unpack.fifo_page_size, 0x100u);
  EXPECT_EQ(unpack.fifo_rd_ptr, 0x3000u);
  EXPECT_EQ(unpack.fifo_wr_ptr, 0u) << "TRISC0 does not write";
  const arch::CbInterface pack = interface(Hart::Trisc2, 0);
  EXPECT_EQ(pack.fifo_wr_ptr, 0x3000u);
  EXPECT_EQ(pack.fifo_num_pages, 4u);
  EXPECT_EQ(pack.fifo_rd_ptr, 0u) << "TRISC2 does not read";
}

TEST_F(OnABootedTile, BankTablesAreInLocalRam) {
  const auto image = arch::bank_table_image(layout, board().harvesting);
  for (Hart h : {Hart::Brisc, Hart::Ncrisc}) {
    const int words = static_cast<int>(layout.bank_table_bytes() / 4);
    isa::Assembler a = copy_local(h, arch::kernel_abi(layout, h).dram_xy, words);
    load_kernel(h, a);
  }
  launch(kernel_message(3));
  ASSERT_TRUE(go());
  for (uint32_t h : {0u, 1u}) {
    std::vector<uint8_t> got(layout.bank_table_bytes());
    io.read(kTile, 0x20000 + 0x1000 * h, std::as_writable_bytes(std::span(got)));
    EXPECT_EQ(got, std::vector<uint8_t>(image.bytes.begin(), image.bytes.begin() + layout.bank_table_bytes()));
  }
}

TEST_F(OnABootedTile, CircularBufferCountersAreZeroAfterAProgramThatHasBuffers) {
  const auto received = [&](uint32_t cb) {
    return arch::stream_address(static_cast<int>(layout.first_cb_stream + cb), arch::stream::kRemoteDestBufSize);
  };
  write(received(0), 7);
  write(received(31), 9);
  LaunchMessage m = kernel_message(0);
  m.local_cb_mask = 1;
  launch(m);
  ASSERT_TRUE(go());
  EXPECT_EQ(read(received(0)), 0u);
  EXPECT_EQ(read(received(31)), 0u);
}

TEST_F(OnABootedTile, RemoteCircularBuffersAreRefusedByName) {
  LaunchMessage m = kernel_message(1);
  m.min_remote_cb_start_index = 4;
  launch(m);
  send(RunMessage::Go);
  run(5000);
  EXPECT_EQ(signal(), 0x80) << "stopped, not done";
  EXPECT_EQ(read(arch::kFirmwareAssert),
            arch::kFirmwareAssertTripped | static_cast<uint32_t>(arch::FirmwareError::RemoteCircularBuffers));
}

TEST_F(TileFixture, BootsFromGarbage) {
  std::vector<uint32_t> garbage(0x20000 / 4, 0xFFFFFFFF);
  host::hold_in_reset(io, std::vector{kTile});
  io.write(kTile, 0, std::as_bytes(std::span(garbage)));
  boot({kTile});
  run(2000);
  EXPECT_EQ(read(layout.subordinate_sync), 0u);
  EXPECT_EQ(completions(), 0u) << "no phantom program";
}

}  // namespace
}  // namespace kerr::firmware
