#include "emu/server/dram_bank.hpp"

#include "arch/noc_registers.hpp"
#include "tests/emu/server/fixture.hpp"

namespace kerr::emu {
namespace {

class DramBankTest : public ServerTest {
 protected:
  const NocGeometry geometry{arch::kP150.harvesting};
  DramBank bank{geometry, 2, timing::kBlackhole};
  const TileId port0 = TileId::at(0, 0, 9);
  const TileId port1 = TileId::at(0, 0, 4);
};

TEST_F(DramBankTest, ShowsTheSameBytesThroughAllItsTiles) {
  write32(bank, port0, 0x1234'5678, 42);
  EXPECT_EQ(read32(bank, port1, 0x1234'5678), 42u);
}

TEST_F(DramBankTest, ReadsZeroWhereNothingWasWrittenAndTouchesNothing) {
  EXPECT_EQ(read32(bank, port0, 0xFEFF'FFFC), 0u);
  EXPECT_EQ(bank.touched_bytes(), 0u);
}

TEST_F(DramBankTest, AnswersAReadWithDataAndAWriteWithAnAck) {
  bank.receive(write_request(port0, 0x1000, {1, 2, 3, 4}, 300));
  bank.receive(read_request(port0, 0x1000, 4, 301));
  const std::vector<Message> responses = serve(bank, 512);
  ASSERT_EQ(responses.size(), 2u);
  EXPECT_EQ(responses[0].kind, MessageKind::WriteAck);
  EXPECT_EQ(responses[0].destination, kAsker);
  EXPECT_EQ(responses[0].transaction_id, 3);
  EXPECT_EQ(responses[1].kind, MessageKind::ReadResponse);
  EXPECT_EQ(responses[1].source, port0);
  EXPECT_EQ(responses[1].address, 0x4000u);
  EXPECT_EQ(responses[1].payload.bytes()[3], 4);
  EXPECT_GT(responses[1].sent, 301u + 100u);
}

TEST_F(DramBankTest, ServesInOrderOfArrivalWhateverTheOrderOfDelivery) {
  bank.receive(read_request(port1, 0x1000, 4, 310));
  bank.receive(write_request(port0, 0x1000, {7, 0, 0, 0}, 300));
  const std::vector<Message> responses = serve(bank, 512);
  ASSERT_EQ(responses.size(), 2u);
  EXPECT_EQ(responses[1].payload.bytes()[0], 7);
}

TEST_F(DramBankTest, AReadUnderWayKeepsTheBytesItFound) {
  const auto filled = [](uint8_t byte) { return std::vector<uint8_t>(4096, byte); };
  std::vector<Message> responses;
  {
    DramBank own(geometry, 2, timing::kBlackhole);
    own.receive(write_request(port0, 0xF000, filled(1), 300));
    own.receive(write_request(port0, 0x1'0000, filled(2), 301));
    own.receive(read_request(port0, 0xF800, 4096, 302));  // half of both, over the border of a block
    own.receive(read_request(port0, 0x1'0800, 2048, 303));
    own.receive(write_request(port0, 0x1'0000, filled(3), 304));
    own.receive(read_request(port0, 0xF800, 4096, 305));
    own.receive(read_request(port0, 0x1'0800, 2048, 306));
    responses = serve(own, 512);
    ASSERT_EQ(responses.size(), 7u);
    EXPECT_TRUE(own.write(host(port1, 0xF000), filled(4)));  // the host, between windows
  }                                                          // as when the chip is reset
  const auto bytes_of = [&](size_t response) {
    const std::span<const uint8_t> bytes = responses[response].payload.bytes();
    return std::vector<uint8_t>(bytes.begin(), bytes.end());
  };
  const auto halves = [](uint8_t first, uint8_t second) {
    std::vector<uint8_t> bytes(2048, first);
    bytes.resize(4096, second);
    return bytes;
  };
  EXPECT_EQ(bytes_of(2), halves(1, 2));
  EXPECT_EQ(bytes_of(3), std::vector<uint8_t>(2048, 2));
  EXPECT_EQ(bytes_of(5), halves(1, 3));
  EXPECT_EQ(bytes_of(6), std::vector<uint8_t>(2048, 3));
}

TEST_F(DramBankTest, LeavesWhatArrivesAtTheHorizonForTheNextTime) {
  bank.receive(read_request(port0, 0, 4, 512));
  EXPECT_TRUE(serve(bank, 512).empty());
  EXPECT_EQ(bank.next_arrival(), 512u);
  EXPECT_EQ(serve(bank, 513).size(), 1u);
}

TEST_F(DramBankTest, SharesItsRateAmongAllTiles) {
  for (int i = 0; i < 20; ++i) bank.receive(read_request(i % 2 ? port0 : port1, 0, 16384, 300));
  const std::vector<Message> responses = serve(bank, 512);
  const Cycle per_read = (responses[19].sent - responses[9].sent) / 10;
  EXPECT_NEAR(static_cast<double>(per_read), 16384 / 47.4, 10);
}

TEST_F(DramBankTest, HasIdentificationRegistersInTheLast16MiB) {
  EXPECT_EQ(read32(bank, port0, arch::niu_base(0) + arch::niu::kNodeId), arch::node_id(0, 0, 9));
  EXPECT_EQ(read32(bank, port0, arch::niu_base(1) + arch::niu::kNodeId), arch::node_id(1, 16, 2));
  EXPECT_EQ(read32(bank, port1, 0x100'0000'0000 + arch::niu_base(0) + arch::niu::kIdLogical),
            arch::logical_id(arch::kP150.harvesting, {0, 4}).packed());
}

TEST_F(DramBankTest, RefusesMemoryThatRegistersShadow) {
  EXPECT_EQ(refused_write(bank, port0, 0xFF00'0000, 64).category, FaultCategory::Unsupported);
  EXPECT_EQ(refused_write(bank, port0, 0xFEFF'FFC0, 128).category, FaultCategory::OutOfBounds);
  EXPECT_EQ(refused_read(bank, port0, 0xFFFF'FFFF'0000'0000, 64).category, FaultCategory::Unsupported);
  EXPECT_EQ(refused_read(bank, port0, 0x1'0000'0000, 64).category, FaultCategory::OutOfBounds);
}

TEST_F(DramBankTest, RefusesAtomicsInlineWritesAndStrayAcksAndNamesTheSender) {
  for (MessageKind kind : {MessageKind::Atomic, MessageKind::InlineWrite, MessageKind::WriteAck}) {
    bank.receive(request(kind, port0, 0, 300));
    EXPECT_TRUE(serve(bank, 512).empty());
    const Fault fault = only_fault();
    EXPECT_EQ(fault.category, FaultCategory::UndefinedBehavior);
    EXPECT_EQ(fault.tile, kAsker);
    EXPECT_EQ(fault.cycle, 300u);
  }
}

TEST_F(DramBankTest, HarvestedHasOnlyIdentification) {
  const NocGeometry p100a{arch::kP100a.harvesting};
  DramBank off{p100a, 3, timing::kBlackhole};
  const TileId tile = TileId::at(0, 0, 5);
  EXPECT_EQ(read32(off, tile, arch::niu_base(0) + arch::niu::kNodeId), arch::node_id(0, 0, 5));
  EXPECT_NE(refused_read(off, tile, 0, 64).what.find("harvested"), std::string::npos);
}

TEST_F(DramBankTest, HashFollowsContentsNotHistory) {
  const uint64_t empty = hash_of(bank);
  write32(bank, port0, 0x5000'0000, 1);
  EXPECT_NE(hash_of(bank), empty);
  write32(bank, port0, 0x5000'0000, 0);
  EXPECT_EQ(hash_of(bank), empty);
}

}  // namespace
}  // namespace kerr::emu
