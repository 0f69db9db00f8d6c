#include "host/runtime/cq/command_queue.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "arch/cq.hpp"
#include "host/device/pinned_memory.hpp"
#include "host/runtime/cq/completion_ring.hpp"
#include "tests/host/fake_chip.hpp"

namespace kerr::host {
namespace {

const ChipOptions kQuick{.boot_deadline = {10'000, {}}};
constexpr QueueOptions kSmall{.region = {512 << 10, 8192, 64, 0}, .stall = {100'000, {}}};

Program program_on(std::span<const arch::NocCoord> cores, size_t code_bytes = 64) {
  Program program("test");
  image::Image image;
  image.name = "kernel";
  image.entry = 0x1000;
  image::Segment segment{.address = 0x1000, .load_address = 0x1000};
  for (size_t i = 0; i < code_bytes; ++i) segment.bytes.push_back(static_cast<uint8_t>(i * 7 + 1));
  segment.memory_bytes = static_cast<uint32_t>(code_bytes);
  image.segments.push_back(segment);
  const auto kernel = program.add_kernel(arch::Hart::Ncrisc, image, cores);
  for (arch::NocCoord core : cores) program.set_args(kernel, core, {core.packed(), 5});
  return program;
}

// Commands of the dispatcher, in short.
std::string names(const std::vector<uint8_t>& ids) {
  using enum arch::cq::DispatchId;
  static const std::map<arch::cq::DispatchId, const char*> kNames{
      {WritePacked, "packed"},    {WritePackedLarge, "large"}, {Wait, "wait"},
      {SendGoSignal, "go"},       {Timestamp, "time"},         {SetGoSignalNocData, "go-data"},
      {WriteLinearHHost, "host"},
  };
  std::string all;
  for (const uint8_t id : ids) {
    const auto found = kNames.find(static_cast<arch::cq::DispatchId>(id));
    all += (all.empty() ? "" : " ") + (found == kNames.end() ? std::to_string(id) : found->second);
  }
  return all;
}

TEST(CommandQueue, AProgramsBytesReachEveryCoreBeforeGo) {
  std::vector<uint8_t> ids;  // outlives the queue, whose end is a command too
  FakeChip device;
  Chip chip(device, kQuick);
  CommandQueue queue(chip, kSmall);
  device.on_command = [&](uint8_t id) { ids.push_back(id); };
  queue.enqueue(program_on(chip.workers(), 20'000));
  const auto times = queue.finish();
  for (arch::NocCoord core : chip.workers()) {
    EXPECT_EQ(device.word(core, 0x86B0), core.packed());
    EXPECT_EQ(device.word(core, 0x86C0), 0x160F'0801u) << "first word of the text";
    EXPECT_EQ(device.at(core, 0x86C0 + 19'999), static_cast<std::byte>(19'999 * 7 + 1));
    EXPECT_EQ(device.word(core, 0x70 + 76), 2u) << "enables";
    EXPECT_EQ(device.word(core, 0x70 + 40) >> 16 & 0xFF, 0u) << "device mode";
  }
  EXPECT_EQ(device.word(chip.dispatch_pair().prefetch, 0x70 + 76), 1u) << "the queue's own launch is untouched";
  EXPECT_EQ(names(ids), "large packed go-data wait time go wait time host");
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].name, "test");
  EXPECT_EQ(times[0].end_cycles - times[0].start_cycles, 1u);
}

TEST(CommandQueue, WithoutOverlapTheOrderIsThatOfBlackholePysHost) {
  std::vector<uint8_t> ids;
  FakeChip device;
  Chip chip(device, kQuick);
  QueueOptions options = kSmall;
  options.overlap = false;
  CommandQueue queue(chip, options);
  device.on_command = [&](uint8_t id) { ids.push_back(id); };
  for (int i = 0; i < 2; ++i) queue.enqueue(program_on(chip.workers()));
  EXPECT_EQ(queue.finish().size(), 2u);
  const std::string one = "time large large packed wait go-data wait go wait time";
  EXPECT_EQ(names(ids), one + " " + one + " host");
}

TEST(CommandQueue, WritesTheNextProgramIntoTheOtherHalfBeforeItWaits) {
  std::vector<uint8_t> ids;
  FakeChip device;
  Chip chip(device, kQuick);
  CommandQueue queue(chip, kSmall);
  device.on_command = [&](uint8_t id) { ids.push_back(id); };
  const auto some = chip.workers().first(5);
  for (int i = 0; i < 2; ++i) queue.enqueue(program_on(some));
  EXPECT_EQ(queue.finish().size(), 2u);
  EXPECT_EQ(names(ids), "packed packed packed go-data wait time go packed packed packed wait time go wait time host")
      << "one table for both, one timestamp between them";
  const uint32_t half = (chip.layout().unreserved - chip.layout().kernel_config) / 2 & ~15u;
  for (uint32_t slot : {0u, 1u}) {
    EXPECT_EQ(device.word(some[0], chip.layout().launch_entry(slot)), chip.layout().kernel_config + slot * half);
    EXPECT_EQ(device.word(some[4], chip.layout().kernel_config + slot * half), some[4].packed());
  }
}

// The go signal waits for the program before and for all that was written: no WAIT has to.
TEST(CommandQueue, ALaunchThatIsNotTimedIsItsDataAndItsGoSignal) {
  std::vector<uint8_t> ids;
  FakeChip device;
  Chip chip(device, kQuick);
  QueueOptions options = kSmall;
  options.region.timestamp_slots = 0;
  CommandQueue queue(chip, options);
  const auto all = chip.workers();
  const Program small = program_on(all.first(5)), large = program_on(all);
  device.on_command = [&](uint8_t id) { ids.push_back(id); };
  for (int i = 0; i < 3; ++i) queue.enqueue(small);
  queue.finish();
  EXPECT_EQ(names(ids), "packed packed packed go-data go packed packed packed go packed packed go wait host")
      << "the third finds its code in its half";
  ids.clear();
  queue.enqueue(large);
  queue.enqueue(small);
  queue.finish();
  EXPECT_EQ(names(ids), "large large large packed go-data go packed packed go-data go wait host")
      << "the image, and a launch message for each of two slots; then the other cores' table again";
}

TEST(CommandQueue, TheLaunchSlotFollowsEachCoresReadPointer) {
  FakeChip device;
  Chip chip(device, kQuick);
  CommandQueue queue(chip, kSmall);
  const auto all = chip.workers();
  const Program few = program_on(all.first(3));
  const Program many = program_on(all.first(6));
  queue.enqueue(few);
  queue.enqueue(many);  // three cores read slot 1, three slot 0
  queue.finish();
  EXPECT_EQ(chip.ledger().slot(all[0]), 2u);
  EXPECT_EQ(chip.ledger().slot(all[5]), 1u);
  EXPECT_EQ(device.word(all[0], 0x70 + 96 + 76), 2u);
  EXPECT_EQ(device.word(all[5], 0x70 + 96 + 76), 0u);
  for (int i = 0; i < 7; ++i) queue.enqueue(few);
  queue.finish();
  EXPECT_EQ(chip.ledger().slot(all[0]), 1u) << "nine launches: the ring has eight slots";
}

TEST(CommandQueue, BothRingsWrapManyTimes) {
  FakeChip device;
  Chip chip(device, kQuick);
  CommandQueue queue(chip, kSmall);
  for (size_t i = 0; i < 40; ++i) {
    queue.enqueue(program_on(chip.workers(), 30'000 + 16 * (i % 3)));  // nobody holds what has never been sent
    queue.record_event();
  }
  const auto times = queue.finish();
  EXPECT_EQ(times.size(), 32u) << "64 slots time 32 programs; the rest runs untimed";
  EXPECT_EQ(device.records, queue.records());
  EXPECT_GT(queue.record_bytes(), 4u * kSmall.region.issue_bytes);
}

TEST(CommandQueue, ThePrefetchQueuesLastSlotIsFollowedByItsFirst) {
  FakeChip device;
  Chip chip(device, kQuick);
  CommandQueue queue(chip, kSmall);
  CommandQueue::Event last;
  for (int i = 0; i < 5000; ++i) last = queue.record_event();
  queue.wait(last);
  EXPECT_EQ(last.id, 5001u);
  EXPECT_TRUE(queue.is_reached(last));
}

TEST(CommandQueue, CodeThatTheCoresHoldIsNotSentAgain) {
  FakeChip device;
  Chip chip(device, kQuick);
  CommandQueue queue(chip, kSmall);
  const auto some = chip.workers().first(7);
  Program program = program_on(some, 9'000);
  const auto cost = [&](const Program& p) {
    const uint64_t before = queue.record_bytes();
    queue.enqueue(p);
    return queue.record_bytes() - before;
  };
  EXPECT_GT(cost(program), 9'000u) << "first half";
  EXPECT_GT(cost(program), 9'000u) << "second half";
  for (int i = 0; i < 10; ++i) EXPECT_LT(cost(program), 1'000u);
  program.set_args(0, some[3], {99, 98});  // arguments are not code
  EXPECT_LT(cost(program), 1'000u);
  queue.finish();
  EXPECT_EQ(device.word(some[3], 0x86B0), 99u);
  program.add_semaphore(5);  // moves everything
  EXPECT_GT(cost(program), 9'000u);
  EXPECT_GT(cost(program), 9'000u);
  EXPECT_LT(cost(program), 1'000u);
  chip.run(program_on(some.first(1), 9'008));
  for (int half = 0; half < 2; ++half) {
    EXPECT_GT(cost(program), 9'000u) << "slow dispatch wrote over one core's area: the code goes to DRAM";
  }
  EXPECT_LT(cost(program), 1'000u);
  chip.run(program_on(some.first(1), 9'008));
  for (int half = 0; half < 2; ++half) EXPECT_LT(cost(program), 1'500u) << "the prefetcher has kept it";
  queue.finish();
  EXPECT_EQ(device.word(some[6], 0x86B0), some[6].packed());
}

TEST(CommandQueue, AWrongEventKillsTheQueue) {
  FakeChip device;
  Chip chip(device, kQuick);
  CommandQueue queue(chip, kSmall);
  device.corrupt_event_by = 1;
  try {
    queue.finish();
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.category(), Category::Protocol);
    EXPECT_NE(std::string(error.what()).find("event 3 came where 2 was expected"), std::string::npos) << error.what();
  }
  device.corrupt_event_by = 0;
  EXPECT_THROW(queue.record_event(), DeviceError);
}

TEST(CommandQueue, AProgramThatNeverEndsIsADeadlockThatShowsBothKernels) {
  FakeChip device;
  Chip chip(device, kQuick);
  CommandQueue queue(chip, kSmall);
  queue.enqueue(program_on(chip.workers()));
  device.workers_finish = false;
  device.next_status = {DeviceStatus::State::Quiescent, {}, "waiting"};
  queue.enqueue(program_on(chip.workers()));
  try {
    queue.finish();
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.category(), Category::Deadlock);
    EXPECT_NE(error.report().find("waiting"), std::string::npos);
    EXPECT_NE(error.report().find("dispatcher on (14,3)"), std::string::npos) << error.report();
  }
}

TEST(CommandQueue, ASecondOneOfTheSameIndexIsACallersMistake) {
  FakeChip device;
  Chip chip(device, kQuick);
  std::optional<CommandQueue> first;
  first.emplace(chip, kSmall);
  try {
    CommandQueue second(chip, kSmall);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.category(), Category::HostError);
    EXPECT_NE(error.summary().find("ChipOptions{.queues = 2}"), std::string::npos) << error.summary();
  }
  first->enqueue(program_on(chip.workers()));
  first->finish();
  first.reset();
  EXPECT_NO_THROW(CommandQueue(chip, kSmall));
}

TEST(CommandQueue, AKernelsErrorCodeIsTranslated) {
  FakeChip device;
  Chip chip(device, kQuick);
  CommandQueue queue(chip, kSmall);
  device.workers_finish = false;
  queue.enqueue(program_on(chip.workers()));
  const uint32_t error = arch::cq::kConfigBlock + offsetof(arch::cq::ConfigBlock, diagnostics.error);
  device.set_word(chip.dispatch_pair().dispatch, error, static_cast<uint32_t>(arch::cq::CqError::UnknownId));
  try {
    queue.finish();
    FAIL();
  } catch (const DeviceError& caught) {
    EXPECT_EQ(caught.category(), Category::Protocol);
    EXPECT_NE(caught.report().find("unknown command id"), std::string::npos) << caught.report();
  }
}

TEST(CommandQueue, RefusedProgramsLeaveTheQueueAlive) {
  FakeChip device;
  Chip chip(device, kQuick);
  CommandQueue queue(chip, kSmall);
  const arch::NocCoord dispatcher[] = {chip.dispatch_pair().dispatch};
  EXPECT_THROW(queue.enqueue(program_on(dispatcher)), DeviceError);
  EXPECT_THROW(queue.enqueue(Program("empty")), DeviceError);
  EXPECT_THROW(queue.wait({99}), DeviceError);
  queue.enqueue(program_on(chip.workers()));
  EXPECT_EQ(queue.finish().size(), 1u);
}

TEST(CommandQueue, EndsItsKernelsSoThatAnotherQueueCanStart) {
  FakeChip device;
  Chip chip(device, kQuick);
  for (int i = 0; i < 3; ++i) {
    CommandQueue queue(chip, kSmall);
    queue.enqueue(program_on(chip.workers()));
  }
  CommandQueue first(chip, kSmall);
  EXPECT_THROW(CommandQueue(chip, kSmall), DeviceError) << "the dispatch pair is taken";
}

TEST(CommandQueue, RegionsThatCannotWorkAreRefused) {
  FakeChip device;
  Chip chip(device, kQuick);
  EXPECT_THROW(CommandQueue(chip, {.region = {64 << 10, 8192, 64, 0}}), DeviceError);
  EXPECT_THROW(CommandQueue(chip, {.region = {(1 << 20) + 4, 8192, 64, 0}}), DeviceError);
  EXPECT_THROW(CommandQueue(chip, {.region = {1 << 20, 4096, 64, 0}}), DeviceError);
}

TEST(CommandQueue, TheRegionsPlaceInNocSpaceDoesNotMatter) {
  FakeChip device;
  PinnedMemory before(device, 3 << 20);
  Chip chip(device, kQuick);
  CommandQueue queue(chip, kSmall);
  queue.enqueue(program_on(chip.workers()));
  EXPECT_EQ(queue.finish().size(), 1u);
}

TEST(CompletionRing, TheToggleFlipsAtEveryWrap) {
  cq::CompletionRing ring(0x4400'0100, 8192);
  EXPECT_EQ(ring.pointer(), 0x0440'0010u);
  EXPECT_FALSE(ring.has_page(0x0440'0010));
  EXPECT_TRUE(ring.has_page(0x8440'0010)) << "same place, other toggle: full";
  ring.pop_page();
  EXPECT_EQ(ring.pointer(), 0x0440'0110u);
  ring.pop_page();
  EXPECT_EQ(ring.pointer(), 0x8440'0010u);
  ring.pop_page();
  ring.pop_page();
  EXPECT_EQ(ring.pointer(), 0x0440'0010u) << "second wrap clears it again";
  EXPECT_FALSE(ring.is_possible(0x0440'0011));
  EXPECT_FALSE(ring.is_possible(0x0440'0210));
}

}  // namespace
}  // namespace kerr::host
