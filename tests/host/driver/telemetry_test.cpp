#include "host/driver/telemetry.hpp"

#include <gtest/gtest.h>

#include "tests/host/fake_chip.hpp"

namespace kerr::host {
namespace {

namespace arc = arch::arc;

Telemetry read(FakeArc& device) {
  NocIo io(device);
  return Telemetry::read(io, {1000, {}});
}

TEST(Telemetry, GivesBackTheHarvestingAndNameOfBothBoards) {
  for (const arch::Board& board : arch::kBoards) {
    FakeArc device;
    device.add_board(board);
    const Telemetry telemetry = read(device);
    EXPECT_EQ(read_harvesting(telemetry, MissingHarvesting::Refuse), board.harvesting);
    EXPECT_EQ(telemetry.board_name().substr(0, 4), std::string(board.name).substr(0, 4));
  }
}

TEST(Telemetry, WithoutMasksHarvestingIsUnknownUnlessAFullChipIsAssumed) {
  FakeArc device;
  device.add(1, 0x400);
  const Telemetry telemetry = read(device);
  EXPECT_THROW(read_harvesting(telemetry, MissingHarvesting::Refuse), DeviceError);
  EXPECT_EQ(read_harvesting(telemetry, MissingHarvesting::NothingHarvested), arch::Harvesting{});
}

TEST(Telemetry, TablesThatLieAreRefused) {
  FakeArc outside;
  outside.set_word(arch::kArcTile, arc::kTelemetryTablePointer, arc::kCsmBase + arc::kCsmBytes - 4);
  EXPECT_THROW(read(outside), DeviceError);
  FakeArc many;
  many.set_word(arch::kArcTile, FakeArc::kTable + 4, 0xFFFF'FFFF);
  EXPECT_THROW(read(many), DeviceError);
  FakeArc far_value;
  far_value.add(34, 0x3FFF);
  far_value.set_word(arch::kArcTile, FakeArc::kTable + 8, 34 | 5 << 16);
  EXPECT_THROW(read(far_value), DeviceError);
  FakeArc two_bad_banks;
  two_bad_banks.add(34, 0x3FFF);
  two_bad_banks.add(36, 0x3F);
  EXPECT_THROW(read_harvesting(read(two_bad_banks), MissingHarvesting::Refuse), DeviceError);
}

TEST(Telemetry, AChipThatDoesNotBootOrIsGoneIsAnErrorNotAHang) {
  FakeArc hung;
  hung.set_word(arch::kArcTile, arc::kBootStatus, 3);
  EXPECT_THROW(read(hung), DeviceError);
  FakeArc gone;
  gone.set_word(arch::kArcTile, arc::kBootStatus, 0xFFFF'FFFF);
  EXPECT_THROW(read(gone), DeviceError);
}

}  // namespace
}  // namespace kerr::host
