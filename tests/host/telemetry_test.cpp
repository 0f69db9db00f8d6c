#include "host/telemetry.hpp"

#include <gtest/gtest.h>

#include "arch/arc.hpp"
#include "tests/host/fake_device.hpp"

namespace kerr::host {
namespace {

namespace arc = arch::arc;

struct FakeArc : FakeDevice {
  static constexpr uint32_t kTable = arc::kCsmBase + 0x100, kValues = arc::kCsmBase + 0x800;
  uint32_t entries = 0;

  FakeArc() {
    set_word(arch::kArcTile, arc::kBootStatus, arc::kBootStatusReady);
    set_word(arch::kArcTile, arc::kTelemetryTablePointer, kTable);
    set_word(arch::kArcTile, arc::kTelemetryValuesPointer, kValues);
  }
  void add(uint16_t tag, uint32_t value) {
    set_word(arch::kArcTile, kTable + 8 + 4 * entries, tag | entries << 16);
    set_word(arch::kArcTile, kValues + 4 * entries, value);
    set_word(arch::kArcTile, kTable + 4, ++entries);
  }
  void add_board(const arch::Board& board) {
    for (uint16_t tag = 0; tag < arch::kTelemetryEntries; ++tag) add(tag, arch::telemetry_value(board, tag));
  }
  Telemetry read() {
    NocIo io(*this);
    return Telemetry::read(io, {1000, {}});
  }
};

TEST(Telemetry, GivesBackTheHarvestingAndNameOfBothBoards) {
  for (const arch::Board& board : arch::kBoards) {
    FakeArc device;
    device.add_board(board);
    const Telemetry telemetry = device.read();
    EXPECT_EQ(read_harvesting(telemetry, MissingHarvesting::kRefuse), board.harvesting);
    EXPECT_EQ(telemetry.board_name().substr(0, 4), std::string(board.name).substr(0, 4));
  }
}

TEST(Telemetry, WithoutTheMasksTheHarvestingIsUnknownUnlessTheCallerAssumesAFullChip) {
  FakeArc device;
  device.add(1, 0x400);
  const Telemetry telemetry = device.read();
  EXPECT_THROW(read_harvesting(telemetry, MissingHarvesting::kRefuse), DeviceError);
  EXPECT_EQ(read_harvesting(telemetry, MissingHarvesting::kNothingHarvested), arch::Harvesting{});
}

TEST(Telemetry, TablesThatLieAreRefused) {
  FakeArc outside;
  outside.set_word(arch::kArcTile, arc::kTelemetryTablePointer, arc::kCsmBase + arc::kCsmBytes - 4);
  EXPECT_THROW(outside.read(), DeviceError);
  FakeArc many;
  many.set_word(arch::kArcTile, FakeArc::kTable + 4, 0xFFFF'FFFF);
  EXPECT_THROW(many.read(), DeviceError);
  FakeArc far_value;
  far_value.add(34, 0x3FFF);
  far_value.set_word(arch::kArcTile, FakeArc::kTable + 8, 34 | 5 << 16);
  EXPECT_THROW(far_value.read(), DeviceError);
  FakeArc two_bad_banks;
  two_bad_banks.add(34, 0x3FFF);
  two_bad_banks.add(36, 0x3F);
  EXPECT_THROW(read_harvesting(two_bad_banks.read(), MissingHarvesting::kRefuse), DeviceError);
}

TEST(Telemetry, AChipThatDoesNotBootOrIsGoneIsAnErrorNotAHang) {
  FakeArc hung;
  hung.set_word(arch::kArcTile, arc::kBootStatus, 3);
  EXPECT_THROW(hung.read(), DeviceError);
  FakeArc gone;
  gone.set_word(arch::kArcTile, arc::kBootStatus, 0xFFFF'FFFF);
  EXPECT_THROW(gone.read(), DeviceError);
}

}  // namespace
}  // namespace kerr::host
