#include "host/driver/arc_messages.hpp"

#include <gtest/gtest.h>

#include "arch/arc.hpp"
#include "host/device/emulated_device.hpp"
#include "tests/host/fake_device.hpp"

namespace kerr::host {
namespace {

namespace arc = arch::arc;

constexpr ArcOptions kQuick{.boot = {1000, {}}, .answer = {1000, {}}, .tries = 3};

// Firmware that takes messages when its bell rings, or does not: every answer is the request with its first argument
// plus one.
struct Firmware : FakeDevice {
  static constexpr uint32_t kControl = arc::kCsmBase + 0x2000, kBase = arc::kCsmBase + 0x2100, kEntries = 4;
  static constexpr uint32_t kQueue = kBase + 3 * (32 + 2 * kEntries * 32);
  int deaf_bells = 0;  // so many are not heard
  int bells = 0;

  Firmware() {
    set(arc::kBootStatus, arc::kBootStatusReady);
    set(arc::kQueueControlPointer, kControl);
    set(kControl, kBase);
    set(kControl + 4, kEntries | 4 << 8);
    on_write32 = [this](arch::NocCoord, uint64_t address, uint32_t value) {
      if (address != arc::kMiscCntl || (value & arc::kMiscCntlFirmwareInterrupt) == 0) return;
      if (++bells > deaf_bells) serve();
    };
  }
  void set(uint64_t address, uint32_t value) { set_word(arch::kArcTile, address, value); }
  uint32_t get(uint64_t address) { return word(arch::kArcTile, address); }
  void serve() {
    uint32_t read = get(kQueue + 0x10), written = get(kQueue + 0x14);
    while (read != get(kQueue) && (written + 2 * kEntries - get(kQueue + 4)) % (2 * kEntries) < kEntries) {
      const uint32_t request = kQueue + 32 + 32 * (read % kEntries),
                     answer = kQueue + 32 + 32 * (kEntries + written % kEntries);
      set(answer, 0);
      set(answer + 4, get(request + 4) + 1);
      read = (read + 1) % (2 * kEntries);
      written = (written + 1) % (2 * kEntries);
    }
    set(kQueue + 0x10, read);
    set(kQueue + 0x14, written);
  }
};

Category category_of(ArcMessages& messages) {
  try {
    messages.send(ArcCode::Test);
  } catch (const DeviceError& error) {
    return error.category();
  }
  return Category::HostError;
}

uint32_t ask(ArcMessages& messages, uint32_t argument) {
  return messages.send(ArcCode::Test, std::span(&argument, 1)).words[0];
}

TEST(ArcMessages, TheEmulatedFirmwareAnswersManyMessagesInARow) {
  EmulatedDevice device;
  NocIo io(device);
  ArcMessages messages(io);
  for (uint32_t i = 0; i < 30; ++i) EXPECT_EQ(ask(messages, i), i + 1);
  EXPECT_EQ(messages.send(static_cast<ArcCode>(0x1F)).status, 0xFF);
  EXPECT_THROW(messages.require(static_cast<ArcCode>(0x1F)), DeviceError);
  EXPECT_THROW(messages.send(ArcCode::Test, std::array<uint32_t, 8>{}), DeviceError);
  ArcMessages other(io, 1);
  EXPECT_EQ(ask(other, 7), 8u) << "each queue for itself";
}

TEST(ArcMessages, ABellThatIsNotHeardIsRungAgain) {
  Firmware device;
  NocIo io(device);
  ArcMessages messages(io, 3, kQuick);
  device.deaf_bells = 2;
  EXPECT_EQ(ask(messages, 41), 42u);
  EXPECT_EQ(device.bells, 3);
}

TEST(ArcMessages, SilenceEndsAfterAllTriesAndALateAnswerIsNotTakenForTheNext) {
  Firmware device;
  NocIo io(device);
  ArcMessages messages(io, 3, kQuick);
  for (int round = 0; round < 10; ++round) {
    device.bells = 0;
    device.deaf_bells = 3;
    EXPECT_EQ(category_of(messages), Category::Deadlock);
    EXPECT_EQ(device.bells, 3);
    if (round % 2 != 0) device.serve();  // too late; else it is answered together with the next
    EXPECT_EQ(ask(messages, 100), 101u);
  }
  device.tick = [] { return true; };  // a device that seems to be busy
  device.bells = 0;
  EXPECT_EQ(category_of(messages), Category::Timeout);
}

TEST(ArcMessages, AQueueThatNobodyEmptiesIsAnErrorNotAHang) {
  Firmware device;
  NocIo io(device);
  ArcMessages messages(io, 3, kQuick);
  device.deaf_bells = 1000;
  for (uint32_t i = 0; i < Firmware::kEntries + 2; ++i) EXPECT_EQ(category_of(messages), Category::Deadlock);
  EXPECT_EQ(device.get(Firmware::kQueue), Firmware::kEntries) << "no more than fit";
  device.serve();
  device.deaf_bells = 0;
  EXPECT_EQ(ask(messages, 1), 2u);
}

TEST(ArcMessages, WordsThatCannotBeAreRefused) {
  const std::function<void(Firmware&)> breaks[] = {
      [](Firmware& f) { f.set(arc::kBootStatus, ~0u); },
      [](Firmware& f) { f.set(arc::kQueueControlPointer, ~0u); },
      [](Firmware& f) { f.set(arc::kQueueControlPointer, 0x8003'0000); },
      [](Firmware& f) { f.set(arc::kQueueControlPointer, arc::kCsmBase + arc::kCsmBytes - 4); },
      [](Firmware& f) { f.set(Firmware::kControl + 4, 0); },
      [](Firmware& f) { f.set(Firmware::kControl + 4, 4 | 3 << 8); },
      [](Firmware& f) { f.set(Firmware::kControl, arc::kCsmBase + arc::kCsmBytes - 64); },
      [](Firmware& f) { f.set(Firmware::kQueue, 8); },
      [](Firmware& f) { f.set(Firmware::kQueue + 0x10, ~0u); },
      [](Firmware& f) { f.set(Firmware::kQueue + 0x14, 1); },  // an answer to nothing
  };
  for (const auto& break_it : breaks) {
    Firmware device;
    break_it(device);
    NocIo io(device);
    ArcMessages messages(io, 3, kQuick);
    EXPECT_EQ(category_of(messages), Category::Protocol) << &break_it - breaks;
  }
}

TEST(ArcMessages, FirmwareThatHasNotBootedIsWaitedForAndThenGivenUp) {
  Firmware device;
  device.set(arc::kBootStatus, 2);
  NocIo io(device);
  ArcMessages messages(io, 3, kQuick);
  EXPECT_EQ(category_of(messages), Category::Deadlock);
  int ticks = 0;
  device.tick = [&] {
    if (++ticks == 3) device.set(arc::kBootStatus, 5);
    return true;
  };
  EXPECT_EQ(ask(messages, 5), 6u);
}

}  // namespace
}  // namespace kerr::host
