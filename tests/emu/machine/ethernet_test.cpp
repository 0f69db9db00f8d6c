// Ethernet tiles: what start-up software finds there, and programs on E0 and E1.
// docs/hardware/noc.md 9, host-pcie.md 6.9
#include "arch/ethernet_registers.hpp"
#include "emu/machine/snapshot.hpp"
#include "tests/emu/machine/host.hpp"
#include "tests/emu/tile/debug_unit.hpp"

namespace kerr::emu {
namespace {

namespace eth = arch::ethernet;
namespace niu = arch::niu;
using arch::NocCoord;
using namespace isa::reg;

constexpr NocCoord kTile{20, 25};  // E0 of the chip, at raw (1, 1)
constexpr NocCoord kTensix{1, 2};
constexpr uint32_t kBothHeld = 0x1800, kE0Runs = 0x1000, kE1Runs = 0x0800, kBothRun = 0;

Options p150(Timing timing = Timing::Relaxed, Scheduler scheduler = Scheduler::Fast) {
  Options options;
  options.boards = {arch::kP150};
  options.timing = timing;
  options.scheduler = scheduler;
  return options;
}

class Ethernet : public ::testing::Test {
 protected:
  /// Code at `address` of the tile, for the hart with that index.
  void load(int hart, uint32_t address, const isa::Assembler& program) {
    host.write(kTile, address, program.finish(address).bytes);
    host.write32(kTile, eth::kResetPc[static_cast<size_t>(hart)], address);
  }
  std::string fault() {
    machine.advance(2048);
    return machine.faulted() ? machine.faults().front().text() : "";
  }
  std::optional<Fault> read(NocCoord tile, uint64_t address, std::vector<uint8_t>& out) {
    host.point(tile, address);
    return machine.read(0, Bar::k0, address % arch::pcie::kSmallWindowBytes, out);
  }

  Machine machine{p150()};
  TestHost host{machine};
};

TEST_F(Ethernet, HasBootedWithItsPortDownAndAMovingHeartbeat) {
  for (uint8_t x = 20; x < 32; ++x) {
    const NocCoord tile{x, 25};
    EXPECT_EQ(host.read32(tile, eth::kPostCode), eth::kPostCodePass);
    EXPECT_EQ(host.read32(tile, eth::kPortStatus), eth::kPortDown);
    EXPECT_EQ(host.read32(tile, eth::kFirmwareVersion), 0x00010600u);
    EXPECT_NE(host.read32(tile, eth::kHeartbeat), host.read32(tile, eth::kHeartbeat));
    EXPECT_EQ(host.read32(tile, eth::kPcsStatus), 0u);
    EXPECT_EQ(host.read32(tile, TestHost::kSoftReset), kBothHeld);
  }
}

TEST_F(Ethernet, KnowsItself) {
  EXPECT_EQ(host.read32(kTile, arch::niu_base(0) + niu::kIdLogical), kTile.packed());
  EXPECT_EQ(host.read32(kTile, arch::niu_base(0) + niu::kNodeId), arch::node_id(0, 1, 1));
  EXPECT_EQ(host.read32(kTile, arch::niu_base(1) + niu::kNodeId, 1), arch::node_id(1, 15, 10));
  EXPECT_EQ(host.read32(kTile, arch::niu_base(0) + niu::kEndpointId),
            arch::endpoint_id(0, arch::EndpointType::Ethernet, 0));
}

TEST_F(Ethernet, KeepsTheBitsOfItsTwoHartsOnly) {
  host.write32(kTile, TestHost::kSoftReset, TestHost::kAllInReset);
  EXPECT_EQ(host.read32(kTile, TestHost::kSoftReset), kBothHeld);
  for (uint32_t i = 0; i < 5; ++i) host.write32(kTile, eth::kPicBase + 4 * i, 0);  // interrupt modes, as drivers do
}

// Tenstorrent's firmware would go on there; there is none, and tt-metal writes a reset PC before it means its own.
TEST_F(Ethernet, AReleasedHartWithoutAResetPcStaysWhereItIs) {
  host.write32(kTile, TestHost::kSoftReset, kBothRun);
  EXPECT_EQ(fault(), "");
  EXPECT_EQ(host.read32(kTile, TestHost::kSoftReset), kBothRun);
  EXPECT_NE(host.read32(kTile, eth::kHeartbeat), host.read32(kTile, eth::kHeartbeat));
}

TEST_F(Ethernet, BothHartsRunAndShareL1ButNotTheirLocalMemory) {
  Kernel first;
  first.store_word(0xFFB0'1FFC, 7);
  first.store_word(0x4000, 1);
  first.wait_for_word(0x4004, 2);
  first.load_word(a0, 0xFFB0'1FFC);
  first.store_reg(0x4008, a0);
  first.stop();
  Kernel second;
  second.wait_for_word(0x4000, 1);
  second.store_word(0xFFB0'1FFC, 9);
  second.store_word(0x4004, 2);
  second.stop();
  load(0, 0x1'0000, first);
  load(1, 0x2'0000, second);
  host.write32(kTile, TestHost::kSoftReset, kBothRun);
  EXPECT_EQ(fault(), "");
  EXPECT_EQ(host.read32(kTile, 0x4008), 7u);
  EXPECT_EQ(host.read32(kTile, eth::kHeartbeat), host.read32(kTile, eth::kHeartbeat))
      << "E0 is no longer the firmware's";
}

// As tt-exalens does: erisc0 and erisc1 are numbers 0 and 1.
TEST_F(Ethernet, ADebuggerHaltsStepsAndShowsEitherHart) {
  for (const int hart : {0, 1}) {
    const uint32_t base = hart == 0 ? 0x1'0000 : 0x2'0000;
    isa::Assembler counts;
    counts.li(a0, 0);
    const isa::Label loop = counts.here();
    counts.addi(a0, a0, 1);
    counts.sw(a0, zero, 0x400 + 4 * hart);
    counts.j(loop);
    load(hart, base, counts);
  }
  host.write32(kTile, TestHost::kSoftReset, kBothRun);
  machine.advance(2048);
  const auto unit_of = [&](uint32_t risc) {
    return debug_unit::Unit([&](uint32_t address) { return host.read32(kTile, address); },
                            [&](uint32_t address, uint32_t value) { host.write32(kTile, address, value); }, risc);
  };
  debug_unit::Unit e0 = unit_of(0), e1 = unit_of(1), nobody = unit_of(2);
  for (debug_unit::Unit* const unit : {&e0, &e1}) {
    const uint32_t base = unit == &e0 ? 0x1'0000 : 0x2'0000, word = unit == &e0 ? 0x400 : 0x404;
    EXPECT_FALSE(unit->is_halted());
    unit->command(0x1);
    EXPECT_TRUE(unit->is_halted());
    const uint32_t count = host.read32(kTile, word);
    EXPECT_GT(count, 0u);
    machine.advance(2048);
    EXPECT_EQ(host.read32(kTile, word), count) << "it stands still";
    EXPECT_LE(unit->ethernet_pc() - base, 16u);
    unit->write_register(10, 1000);
    EXPECT_EQ(unit->read_register(10), 1000u);
    unit->write_memory(0xFFB0'0100, 77);
    EXPECT_EQ(unit->read_memory(0xFFB0'0100), 77u);
    const uint32_t before = unit->ethernet_pc();
    for (int n = 0; n < 2; ++n) unit->command(0x2);
    machine.advance(2048);
    EXPECT_TRUE(unit->is_halted());
    EXPECT_NE(unit->ethernet_pc(), before);
    unit->write(10, base + 4);
    unit->write(5, 0x8);
    unit->command(0x4);
    machine.advance(2048);
    EXPECT_EQ(unit->read(0), 0x103u) << "halted, by breakpoint 0";
    unit->write(5, 0);
    unit->command(0x4);
    machine.advance(2048);
    EXPECT_GT(host.read32(kTile, word), 1000u);
  }
  nobody.command(0x1);
  EXPECT_EQ(nobody.read(0), 0u);
  EXPECT_FALSE(machine.faulted());
  e0.command(0x1);
  host.write32(kTile, TestHost::kSoftReset, kE1Runs);
  host.write32(kTile, TestHost::kSoftReset, kBothRun);
  machine.advance(2048);
  EXPECT_FALSE(e0.is_halted()) << "a reset forgets it";
}

TEST_F(Ethernet, OneHartStartsTheOther) {
  Kernel first;
  first.store_word(eth::kResetPc[1], 0x2'0000);
  first.store_word(TestHost::kSoftReset, kBothRun);
  first.stop();
  Kernel second;
  second.store_word(0x4000, 5);
  second.stop();
  load(0, 0x1'0000, first);
  host.write(kTile, 0x2'0000, second.finish(0x2'0000).bytes);
  host.write32(kTile, TestHost::kSoftReset, kE0Runs);
  EXPECT_EQ(fault(), "");
  EXPECT_EQ(host.read32(kTile, 0x4000), 5u);
  EXPECT_EQ(host.read32(kTile, TestHost::kSoftReset), kBothRun);
}

class EthernetNoc : public ::testing::TestWithParam<Timing> {};

// E1 reads a word of a Tensix tile, writes it back there, and increments a word there and one of its own that the other
// reads.
TEST_P(EthernetNoc, TalksToTensixTilesAndDram) {
  const auto outcome = [&](Scheduler scheduler) {
    Machine machine{p150(GetParam(), scheduler)};
    TestHost host{machine};
    host.write32(kTensix, 0x3000, 0x1234'5678);
    Kernel k;
    for (int buffer : {0, 1, 3}) k.noc_init(0, buffer);
    k.noc_read(0, kTensix, 0x3000, 0x5000, 4);
    k.noc_wait(0, niu::kMstRdRespReceived, 1);
    k.noc_write(0, 0x5000, kTensix, 0x3040, 4);
    k.noc_increment(0, kTensix, 0x3080, 3);
    k.noc_wait(0, niu::kMstAtomicRespReceived, 1);
    k.noc_write(0, 0x5000, {17, 12}, 0x1'0000, 4);
    k.noc_wait(0, niu::kMstWrAckReceived, 2);
    k.stop();
    Kernel tensix;
    for (int buffer : {0, 1, 3}) tensix.noc_init(0, buffer);
    tensix.noc_increment(0, kTile, 0x6000, 4);
    tensix.noc_read(0, kTile, eth::kPostCode, 0x3100, 4);
    tensix.noc_wait(0, niu::kMstRdRespReceived, 1);
    tensix.stop();
    host.write(kTile, 0x1'0000, k.finish(0x1'0000).bytes);
    host.write32(kTile, eth::kResetPc[1], 0x1'0000);
    host.write32(kTile, TestHost::kSoftReset, kE1Runs);
    host.start(kTensix, tensix);
    machine.advance(256 * 22);
    EXPECT_FALSE(machine.faulted()) << machine.faults().front().text();
    EXPECT_EQ(host.read32(kTensix, 0x3040), 0x1234'5678u);
    EXPECT_EQ(host.read32(kTensix, 0x3080), 3u);
    EXPECT_EQ(host.read32({17, 12}, 0x1'0000), 0x1234'5678u);
    EXPECT_EQ(host.read32(kTile, 0x6000), 4u);
    EXPECT_EQ(host.read32(kTensix, 0x3100), eth::kPostCodePass);
    return machine.state_hash();
  };
  EXPECT_EQ(outcome(Scheduler::Fast), outcome(Scheduler::Reference));
}
INSTANTIATE_TEST_SUITE_P(Timings, EthernetNoc, ::testing::Values(Timing::Relaxed, Timing::Exact),
                         [](const auto& param) { return param.param == Timing::Exact ? "Exact" : "Relaxed"; });

TEST_F(Ethernet, HalfAMebibyteOfL1IsAllThereIs) {
  std::vector<uint8_t> out(4);
  EXPECT_FALSE(read(kTile, 0x7'FFFC, out));
  EXPECT_EQ(read(kTile, 0x7'FFFE, out)->category, FaultCategory::HostError);
  EXPECT_NE(read(kTile, 0x8'0000, out)->what.find("L1 ends at 0x80000"), std::string::npos);
  Kernel k;
  k.load_word(a0, 0x8'0000);
  k.stop();
  load(0, 0x1000, k);
  host.write32(kTile, TestHost::kSoftReset, kE0Runs);
  const std::string text = fault();
  EXPECT_NE(text.find("raw (1,1) E0"), std::string::npos) << text;
  EXPECT_NE(text.find("nothing is mapped there"), std::string::npos) << text;
}

TEST_F(Ethernet, PacketsPastTheEndOfItsL1AreRefused) {
  Kernel k;
  k.noc_init(0, 0);
  k.noc_write(0, 0x5000, kTile, 0x7'FFF0, 32);
  k.stop();
  host.start(kTensix, k);
  EXPECT_NE(fault().find("runs past the end of L1 (0x80000)"), std::string::npos);
}

TEST_F(Ethernet, SendingOverALinkThatIsDownIsSaid) {
  Kernel k;
  k.store_word(eth::kTxQueueBase + 0x14, 0x1000);
  k.store_word(eth::kTxQueueBase + eth::kTxCommand, 1);
  k.stop();
  load(0, 0x1000, k);
  host.write32(kTile, TestHost::kSoftReset, kE0Runs);
  const std::string text = fault();
  EXPECT_NE(text.find("CMD of TX queue 0"), std::string::npos) << text;
  EXPECT_NE(text.find("no link of this chip is up"), std::string::npos) << text;
}

TEST_F(Ethernet, HasNoCoprocessorAndNoTensixRegisters) {
  for (const uint32_t address : {0xFFB1'1010u, 0xFFB1'3000u, 0xFFB1'6000u, 0xFFB6'0000u, 0xFFE4'0000u, 0xFFEF'0000u}) {
    Machine fresh{p150()};
    TestHost other{fresh};
    Kernel k;
    k.load_word(a0, address);
    k.stop();
    other.write(kTile, 0x1000, k.finish(0x1000).bytes);
    other.write32(kTile, eth::kResetPc[0], 0x1000);
    other.write32(kTile, TestHost::kSoftReset, kE0Runs);
    fresh.advance(2048);
    ASSERT_TRUE(fresh.faulted()) << address;
    EXPECT_EQ(fresh.faults().front().address, address);
  }
}

TEST_F(Ethernet, QueuesHeadersAndRoutingKeepWhatIsWritten) {
  EXPECT_EQ(host.read32(kTile, eth::kTxQueueBase), 1u);
  EXPECT_EQ(host.read32(kTile, eth::kRxQueueBase + eth::kQueueStride), 2u);
  EXPECT_EQ(host.read32(kTile, eth::kTxHeaderBase + 0x18), ~0u);
  EXPECT_EQ(host.read32(kTile, eth::kRxAddressRouting), 0xA00u);
  for (const uint32_t address : {eth::kTxQueueBase + 2 * eth::kQueueStride + 0x18, eth::kRxQueueBase + 0x0C,
                                 eth::kTxHeaderBase + 9 * eth::kTxHeaderStride + 0x70, eth::kRxAddressRouting}) {
    host.write32(kTile, address, 0x1230);
    EXPECT_EQ(host.read32(kTile, address), 0x1230u);
  }
  host.write32(kTile, eth::kTxQueueBase + eth::kTxCommand, 0);
  EXPECT_EQ(host.read32(kTile, eth::kTxQueueBase + eth::kTxCommand), 0u);
}

TEST_F(Ethernet, SnapshotsHoldItsHarts) {
  Kernel k;
  k.li(a0, 0);
  const isa::Label again = k.here();
  k.addi(a0, a0, 1);
  k.store_reg(0x4000, a0);
  k.j(again);
  load(0, 0x1000, k);
  host.write32(kTile, TestHost::kSoftReset, kE0Runs);
  machine.advance(1024);
  const std::vector<uint8_t> file = save_snapshot(machine);
  Machine restored{p150()};
  load_snapshot(restored, file);
  machine.advance(1024);
  restored.advance(1024);
  EXPECT_EQ(restored.state_hash(), machine.state_hash());
  EXPECT_GT(TestHost(restored).read32(kTile, 0x4000), 100u);
}

}  // namespace
}  // namespace kerr::emu
