// What goes wrong between host and device ends in one clear error, loses nothing that had come back, and leaves a
// device that can be reset and used.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <span>
#include <string>

#include "host/device/emulated_device.hpp"
#include "host/driver/chip_reset.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "tests/host/device/card/card_programs.hpp"

namespace kerr::host {
namespace {

constexpr uint32_t kWord = 0x150000;
constexpr QueueOptions kQueue{.region = {512 << 10, 1 << 16, 64, 0}, .stall = {20'000'000, {}}};

struct Survival : testing::Test {
  EmulatedDevice device;
  std::optional<Chip> chip{device};
  std::optional<CommandQueue> queue{std::in_place, *chip, kQueue};

  std::span<const arch::NocCoord> cores() { return chip->workers().first(3); }
  std::span<const std::byte> completion() {
    const auto layout = queue->region_layout();
    return queue->region().subspan(layout.completion_offset(), layout.completion_bytes);
  }
  std::span<const std::byte> completion_pointer() { return queue->region().subspan(arch::cq::kHostCompletionQWr, 4); }
  std::span<const std::byte> issue() {
    const auto layout = queue->region_layout();
    return queue->region().subspan(layout.issue_offset(), layout.issue_bytes);
  }

  // The one error that `action` ends with.
  template <class Action>
  Category error_of(Action&& action, std::string* text = nullptr) {
    try {
      action();
    } catch (const DeviceError& error) {
      EXPECT_NE(error.report(), "") << error.what();
      if (text != nullptr) *text = std::string(error.what()) + "\n" + error.report();
      return error.category();
    }
    ADD_FAILURE() << "nothing was thrown";
    return Category::HostError;
  }

  // After an error: the queue refuses politely, and after a reset all is well.
  void recover() {
    EXPECT_THROW(queue->enqueue(store_program(cores(), kWord, 9)), DeviceError);
    EXPECT_THROW(queue->finish(), DeviceError);
    device.clear_injections();
    queue.reset();
    chip.reset();
    EXPECT_TRUE(reset_chip(device).chip);
    run_everything(device);
  }
};

TEST_F(Survival, ADroppedCompletionPointerIsNamedAndTheResultBeforeItIsKept) {
  std::vector<std::byte> out(5000);
  const Buffer buffer = chip->allocate(Memory::Dram, 5000, 1024);
  queue->write(buffer, pattern(5000));
  const auto before = queue->enqueue_read(buffer, out);
  device.inject({.kind = Injection::Kind::DropWrite, .where = completion_pointer(), .skip = 3});
  const auto lost = queue->record_event();
  std::string text;
  EXPECT_EQ(error_of([&] { queue->wait(lost); }, &text), Category::Deadlock);
  EXPECT_NE(text.find("event"), std::string::npos) << text;
  EXPECT_TRUE(queue->is_reached(before));
  EXPECT_NO_THROW(queue->wait(before));
  EXPECT_EQ(out, pattern(5000)) << "it had come back";
  EXPECT_THROW(queue->wait(lost), DeviceError);
  recover();
}

TEST_F(Survival, ADroppedPointerThatALaterOneRepeatsIsNoLoss) {
  device.inject({.kind = Injection::Kind::DropWrite, .where = completion_pointer()});
  const auto first = queue->record_event(), second = queue->record_event();
  queue->wait(second);
  EXPECT_TRUE(queue->is_reached(first));
}

TEST_F(Survival, ADroppedCompletionPageIsAnEventThatIsNotTheExpectedOne) {
  device.inject({.kind = Injection::Kind::DropWrite, .where = completion()});
  std::string text;
  EXPECT_EQ(error_of([&] { queue->finish(); }, &text), Category::Protocol);
  EXPECT_NE(text.find("completion queue"), std::string::npos) << text;
  recover();
}

TEST_F(Survival, ADelayedCompletionIsWaitedFor) {
  const uint64_t before = device.cycles();
  device.inject({.kind = Injection::Kind::DelayWrite, .where = completion(), .delay_cycles = 5'000'000});
  queue->enqueue(store_program(cores(), kWord, 1));
  queue->finish();
  EXPECT_GE(device.cycles() - before, 5'000'000u);
  EXPECT_EQ(chip->io().read32(cores()[0], kWord), 1u);
}

TEST_F(Survival, ACompletionThatIsTooLateIsATimeoutOrCountsAsNeverSent) {
  device.inject({.kind = Injection::Kind::DelayWrite, .where = completion(), .delay_cycles = 500'000'000});
  EXPECT_EQ(error_of([&] { queue->finish(); }), Category::Timeout);
  recover();
}

TEST_F(Survival, ACorruptEventIdIsAMismatchThatNamesBoth) {
  // Bytes 16 to 19 of the page hold the id; the page is one write.
  device.inject({.kind = Injection::Kind::CorruptWrite, .where = completion(), .bit = 8 * 16 + 5});
  std::string text;
  EXPECT_EQ(error_of([&] { queue->finish(); }, &text), Category::Protocol);
  EXPECT_NE(text.find("came where 2 was expected"), std::string::npos) << text;
  recover();
}

TEST_F(Survival, ACorruptCompletionPointerIsRefused) {
  for (const uint64_t bit : {0u, 9u, 25u}) {
    device.inject({.kind = Injection::Kind::CorruptWrite, .where = completion_pointer(), .bit = bit});
    const Category category = error_of([&] { queue->finish(); });
    EXPECT_TRUE(category == Category::Protocol || category == Category::Deadlock) << category_name(category);
    recover();
    chip.emplace(device);
    queue.emplace(*chip, kQueue);
  }
}

TEST_F(Survival, AWorkerThatHasDiedIsNamed) {
  queue->enqueue(store_program(cores(), kWord, 1));
  const auto fine = queue->record_event();
  queue->wait(fine);
  device.stall(cores()[1], arch::Hart::Brisc);
  queue->enqueue(store_program(cores(), kWord, 2));
  std::string text;
  EXPECT_EQ(error_of([&] { queue->finish(); }, &text), Category::Deadlock);
  const arch::NocCoord dead = cores()[1];
  EXPECT_NE(text.find("(" + std::to_string(dead.x) + "," + std::to_string(dead.y) + ")"), std::string::npos) << text;
  EXPECT_TRUE(queue->is_reached(fine));
  recover();
}

TEST_F(Survival, ADispatcherOrPrefetcherThatHasDiedIsAnErrorNotAHang) {
  for (const bool prefetcher : {false, true}) {
    const auto pair = chip->dispatch_pair();
    device.stall(prefetcher ? pair.prefetch : pair.dispatch, arch::Hart::Brisc);
    EXPECT_EQ(error_of([&] { queue->finish(); }), Category::Deadlock);
    recover();
    chip.emplace(device);
    queue.emplace(*chip, kQueue);
  }
}

TEST_F(Survival, AQueueWhoseKernelsDoNotEndSaysSo) {
  const std::string what = "Deadlock: end of the command queue";
  std::string text;
  const std::function<void(const DeviceError&)> tell = [&](const DeviceError& error) { text = error.what(); };
  for (const bool told : {true, false}) {
    queue.reset();
    QueueOptions options = kQueue;
    if (told) options.when_stuck = &tell;
    queue.emplace(*chip, options);
    device.stall(chip->dispatch_pair().dispatch, arch::Hart::Brisc);
    testing::internal::CaptureStderr();
    queue.reset();
    const std::string said = testing::internal::GetCapturedStderr();
    if (told) {
      EXPECT_EQ(said, "");
      EXPECT_EQ(text.substr(0, what.size()), what) << text;
    } else {
      EXPECT_EQ(said.find("kerr: a command queue does not end: " + what), 0u) << said;
    }
    chip.reset();
    EXPECT_TRUE(reset_chip(device).chip);
    chip.emplace(device);
  }
  chip.reset();
  run_everything(device);
}

TEST_F(Survival, AFaultOfTheDeviceKeepsItsPlaceAndWhatCameBefore) {
  queue->enqueue(store_program(cores(), kWord, 1));
  const auto fine = queue->record_event();
  queue->enqueue(store_program(cores(), 0xFF00'0000, 1));  // nothing is there
  std::string text;
  error_of([&] { queue->finish(); }, &text);
  EXPECT_NE(text.find("NCRISC"), std::string::npos) << text;
  EXPECT_EQ(device.status().state, DeviceStatus::State::Faulted);
  EXPECT_TRUE(queue->is_reached(fine));
  EXPECT_EQ(chip->io().read32(cores()[2], kWord), 1u);
  recover();
}

TEST_F(Survival, AKernelThatSpinsIsATimeoutThatNamesIt) {
  image::Image image = *store_program(cores(), 0, 0).kernels()[0].image;
  image.name = "spin";
  image.segments[0].bytes = {0x93, 0x82, 0x12, 0x00, 0x6F, 0xF0, 0xDF, 0xFF};  // addi t0, t0, 1; j -4
  image.segments[0].memory_bytes = 8;
  Program program("spinner");
  program.add_kernel(arch::Hart::Ncrisc, image, cores().first(1));
  queue->enqueue(program);
  std::string text;
  EXPECT_EQ(error_of([&] { queue->finish(); }, &text), Category::Timeout);
  EXPECT_NE(text.find("kernel 'spin' goes round for ever, pc 0x"), std::string::npos) << text;
  recover();
}

// Every flip ends in the right result, another result, or one error; never in a hang or a crash.
TEST_F(Survival, BitFlipsInTheIssueRegionEndInOneErrorOrDoNotMatter) {
  std::mt19937 random(3);
  int errors = 0;
  for (int round = 0; round < 24; ++round) {
    device.inject({.kind = Injection::Kind::CorruptRead,
                   .where = issue(),
                   .skip = static_cast<uint32_t>(random() % 4),
                   .bit = random() % (round % 2 != 0 ? 256 : 8192)});
    try {
      for (int i = 0; i < 3; ++i) queue->enqueue(store_program(cores(), kWord, 5));
      queue->finish();
    } catch (const DeviceError& error) {
      ++errors;
      EXPECT_NE(error.category(), Category::HostError) << error.what();
      EXPECT_NE(error.report(), "") << error.what();
    }
    device.clear_injections();
    queue.reset();
    chip.reset();
    reset_chip(device);
    chip.emplace(device);
    queue.emplace(*chip, kQueue);
    queue->enqueue(store_program(cores(), kWord, 7));
    queue->finish();
    ASSERT_EQ(chip->io().read32(cores()[0], kWord), 7u) << round;
  }
  EXPECT_GT(errors, 5);
}

// A process that was killed leaves running harts, a full queue and its pins' addresses behind: the next one starts
// anew. The same card as the next process opens it: it knows nothing of the Chip that the killed one had.
class OpenedAgain final : public PcieDevice {
 public:
  explicit OpenedAgain(PcieDevice& card) : card_(card) {}
  std::string name() const override { return card_.name(); }
  uint32_t config_read(uint32_t offset) override { return card_.config_read(offset); }
  void config_write(uint32_t offset, uint32_t value) override { card_.config_write(offset, value); }
  uint64_t bar_bytes(Bar bar) const override { return card_.bar_bytes(bar); }
  void read(Bar bar, uint64_t offset, std::span<std::byte> out) override { card_.read(bar, offset, out); }
  void write(Bar bar, uint64_t offset, std::span<const std::byte> bytes, Caching caching) override {
    card_.write(bar, offset, bytes, caching);
  }
  void flush() override { card_.flush(); }
  uint64_t pin(std::span<std::byte> memory) override { return card_.pin(memory); }
  void unpin(uint64_t noc_address) override { card_.unpin(noc_address); }
  WaitResult wait(const std::function<bool()>& condition, Deadline deadline) override {
    return card_.wait(condition, deadline);
  }
  DeviceStatus status() override { return card_.status(); }
  WindowOwner* window_owner() override { return card_.window_owner(); }

 private:
  PcieDevice& card_;
};

TEST_F(Survival, WhatAKilledProcessLeavesRunningDoesNotDisturbTheNext) {
  for (int i = 0; i < 4; ++i) queue->enqueue(store_program(cores(), kWord, 1));
  device.wait([] { return false; }, {3000, {}});  // in the middle of it
  {
    OpenedAgain again(device);
    Chip next(again);  // boots over what is there, without a reset of the chip
    CommandQueue fresh(next, kQueue);
    fresh.enqueue(store_program(next.workers().first(3), kWord, 42));
    fresh.finish();
    EXPECT_EQ(next.io().read32(next.workers()[0], kWord), 42u);
  }
  queue.reset();
  chip.reset();
  EXPECT_TRUE(reset_chip(device).chip);
  run_everything(device);
}

}  // namespace
}  // namespace kerr::host
