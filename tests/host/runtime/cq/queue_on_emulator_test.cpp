// The command queue on the emulated chip: buffers, overlap, traces, two queues.
#include <gtest/gtest.h>
#include <malloc.h>

#include <random>

#include "host/device/emulated_device.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "isa/assembler.hpp"
#include "tests/host/fake_device.hpp"

namespace kerr::host {
namespace {

using namespace isa::reg;

constexpr uint32_t kWord = 0x150000;
constexpr QueueOptions kSmallRings = {.region = {512 << 10, 1 << 16, 256, 0}};

// Adds its second argument to the word at its first, after so many turns of its third.
image::Image adder() {
  isa::Assembler a;
  a.lw(t0, a0, 0);
  a.lw(t1, a0, 4);
  a.lw(t2, a0, 8);
  const isa::Label loop = a.here();
  a.addi(t2, t2, -1);
  a.bnez(t2, loop);
  a.lw(t3, t0, 0);
  a.add(t3, t3, t1);
  a.sw(t3, t0, 0);
  a.ret();
  return image::Image::from(a.finish(0x1000), "add");
}

Program add_on(std::span<const arch::NocCoord> cores, uint32_t amount, uint32_t turns = 1) {
  Program program("add");
  const auto kernel = program.add_kernel(arch::Hart::Ncrisc, adder(), cores);
  for (arch::NocCoord core : cores) program.set_args(kernel, core, {kWord, amount, turns});
  return program;
}

// On the whole kernels and on the split ones.
struct QueueOnEmulator : testing::TestWithParam<bool> {
  EmulatedDevice device;
  Chip chip{device, {.queues = GetParam() ? 2u : 1u}};

  QueueOptions options(QueueOptions o = {}) {
    o.split = GetParam();
    return o;
  }

  void clear() {
    for (arch::NocCoord core : chip.tiles()) chip.io().write32(core, kWord, 0);
  }
  uint32_t word(arch::NocCoord core) { return chip.io().read32(core, kWord); }
  void trace_and_replay(bool subordinate);
};

TEST_P(QueueOnEmulator, BuffersOfEveryLayoutKeepWhatIsWrittenAnywhereInThem) {
  CommandQueue queue(chip, options(kSmallRings));
  const auto workers = chip.workers();
  std::mt19937 random(1);
  struct Shape {
    Memory memory;
    uint64_t bytes;
    uint32_t page;
    size_t shards;  // cores of a sharded L1 buffer; 1: the DRAM banks; 0: interleaved
  };
  for (const Shape& shape : {Shape{Memory::Dram, 700'000, 2048, 0}, Shape{Memory::Dram, 300'000, 1040, 0},
                             Shape{Memory::Dram, 2'000'000, 200'000, 0}, Shape{Memory::L1, 400'000, 2048, 0},
                             Shape{Memory::L1, 100'000, 48, 0}, Shape{Memory::Dram, 500'000, 2048, 1},
                             Shape{Memory::L1, 300'000, 1024, 7}, Shape{Memory::Dram, 100'000, 1040, 1}}) {
    const Buffer buffer = shape.shards == 0              ? chip.allocate(shape.memory, shape.bytes, shape.page)
                          : shape.memory == Memory::Dram ? chip.allocate_sharded(shape.memory, shape.bytes, shape.page)
                                                         : chip.allocate_sharded(shape.memory, shape.bytes, shape.page,
                                                                                 workers.first(shape.shards));
    std::vector<std::byte> model = pattern(buffer.bytes(), static_cast<uint8_t>(shape.page));
    queue.write(buffer, model);
    for (int i = 0; i < 12; ++i) {
      const uint64_t offset = random() % buffer.bytes();
      const uint64_t n = std::min<uint64_t>(random() % (i % 3 ? 5000 : 200'000), buffer.bytes() - offset);
      const auto data = pattern(n, static_cast<uint8_t>(i));
      queue.write(buffer, data, offset);
      std::copy(data.begin(), data.end(), model.begin() + static_cast<ptrdiff_t>(offset));
      std::vector<std::byte> out(std::min<uint64_t>(n + 100, buffer.bytes() - offset));
      queue.read(buffer, out, offset);
      ASSERT_TRUE(std::equal(out.begin(), out.end(), model.begin() + static_cast<ptrdiff_t>(offset)))
          << "page " << shape.page << ", " << n << " bytes at " << offset;
    }
    std::vector<std::byte> all(buffer.bytes()), direct(buffer.bytes());
    queue.read(buffer, all);
    chip.read(buffer, direct);
    ASSERT_EQ(all, model) << shape.page;
    ASSERT_EQ(direct, model) << shape.page;
  }
  EXPECT_THROW(queue.write(chip.allocate(Memory::Dram, 64, 64), pattern(65)), DeviceError);
}

TEST_P(QueueOnEmulator, SeveralReadsAreUnderWayAndEventsAreWaitedForInAnyOrder) {
  CommandQueue queue(chip, options(kSmallRings));
  const Buffer buffer = chip.allocate(Memory::Dram, 1 << 20, 4096);
  const auto data = pattern(1 << 20);
  queue.write(buffer, data);
  std::vector<std::vector<std::byte>> out(6);
  std::vector<CommandQueue::Event> events;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].resize(100'000 + i);
    events.push_back(queue.enqueue_read(buffer, out[i], 1000 * i));
  }
  for (size_t i : {5u, 0u, 3u, 1u, 4u, 2u}) {
    queue.wait(events[i]);
    EXPECT_TRUE(std::equal(out[i].begin(), out[i].end(), data.begin() + static_cast<ptrdiff_t>(1000 * i)));
  }
}

TEST_P(QueueOnEmulator, AProgramSeesWhatWasWrittenBeforeItAndReadsSeeItsResult) {
  CommandQueue queue(chip, options());
  const arch::NocCoord core[] = {chip.workers()[9]};
  const Buffer word = chip.allocate_sharded(Memory::L1, 16, 16, core);
  Program program("add");
  const auto kernel = program.add_kernel(arch::Hart::Ncrisc, adder(), core);
  for (uint32_t i = 1; i <= 20; ++i) {
    std::vector<std::byte> bytes(16);
    std::memcpy(bytes.data(), &i, 4);
    queue.write(word, bytes);
    program.set_args(kernel, core[0], {word.address(), 1000, 5000});
    queue.enqueue(program);
    queue.read(word, bytes);
    uint32_t got;
    std::memcpy(&got, bytes.data(), 4);
    ASSERT_EQ(got, i + 1000);
  }
}

TEST_P(QueueOnEmulator, OverlappedProgramsRunInOrderAndLoseNothing) {
  for (const bool subordinate : {false, true}) {
    clear();
    CommandQueue queue(chip, options({.subordinate = subordinate}));
    const auto workers = chip.workers();
    std::map<arch::NocCoord, uint32_t> expected;
    for (uint32_t i = 0; i < 60; ++i) {
      const auto cores = i % 4 == 0 ? workers : workers.subspan(i % 50, 1 + i % 60);
      queue.enqueue(add_on(cores, i + 1, 1 + 200 * (i % 3)));
      for (arch::NocCoord core : cores) expected[core] += i + 1;
    }
    const auto times = queue.finish();
    ASSERT_EQ(times.size(), 60u);
    for (size_t i = 1; i < times.size(); ++i) {
      EXPECT_LT(times[i - 1].start_cycles, times[i - 1].end_cycles);
      EXPECT_LE(times[i - 1].end_cycles, times[i].start_cycles);
    }
    for (const auto& [core, sum] : expected) EXPECT_EQ(word(core), sum);
  }
}

TEST_P(QueueOnEmulator, WritingTheNextProgramMeanwhileSavesTime) {
  const auto cycles = [&](bool overlap) {
    CommandQueue queue(chip, options({.overlap = overlap}));
    const Program program = add_on(chip.workers(), 1, 3000);
    const uint64_t before = device.cycles();
    for (int i = 0; i < 20; ++i) queue.enqueue(program);
    queue.finish();
    return device.cycles() - before;
  };
  const uint64_t one_by_one = cycles(false), overlapped = cycles(true);
  EXPECT_LT(overlapped, one_by_one * 9 / 10) << "one by one: " << one_by_one;
}

TEST_P(QueueOnEmulator, ACountThatWouldLeaveTheCommandsRangeIsClearedInTime) {
  clear();
  CommandQueue queue(chip, options());
  const Program program = add_on(chip.workers(), 1);
  for (int i = 0; i < 1200; ++i) queue.enqueue(program);  // 141,600 completions
  queue.finish();
  EXPECT_EQ(word(chip.workers().back()), 1200u);
}

TEST_P(QueueOnEmulator, ATraceIsRecordedOnceAndReplayedManyTimes) {
  for (const bool subordinate : {false, true}) trace_and_replay(subordinate);
}

void QueueOnEmulator::trace_and_replay(bool subordinate) {
  clear();
  CommandQueue queue(chip, options({.subordinate = subordinate}));
  const auto workers = chip.workers();
  queue.enqueue(add_on(workers, 1'000'000));  // the launch ring stands at slot 1
  queue.begin_trace();
  EXPECT_THROW(queue.finish(), DeviceError);
  for (uint32_t i = 1; i <= 11; ++i) queue.enqueue(add_on(i % 2 ? workers : workers.first(20), i));
  const Trace trace = queue.end_trace();
  queue.finish();
  EXPECT_EQ(word(workers[0]), 1'000'000u) << "recording runs nothing";
  const uint64_t records = queue.records();
  for (int i = 0; i < 5; ++i) queue.replay(trace);
  EXPECT_LT(queue.records() - records, 5u * 10u);
  queue.enqueue(add_on(workers, 2'000'000));
  const auto times = queue.finish();
  EXPECT_EQ(times.size(), 6u);
  EXPECT_EQ(times[0].name, "trace of 11 programs");
  EXPECT_EQ(word(workers[0]), 3'000'000u + 5 * 66);
  EXPECT_EQ(word(workers[50]), 3'000'000u + 5 * 36) << "the odd ones only";
}

TEST_P(QueueOnEmulator, CodeStaysBetweenLaunchesAndSemaphoresBeginAnew) {
  clear();
  CommandQueue queue(chip, options());
  // Adds the semaphore's value to the word and leaves another one behind.
  isa::Assembler a;
  a.lw(t0, a0, 0);
  a.lw(t1, t0);
  a.lw(t2, a2);
  a.add(t1, t1, t2);
  a.sw(t1, t0);
  a.li(t2, 1000);
  a.sw(t2, a2);
  a.ret();
  Program program("semaphore");
  program.add_semaphore(7);
  const auto cores = chip.workers().first(30);
  const auto kernel = program.add_kernel(arch::Hart::Brisc, image::Image::from(a.finish(), "semaphore"), cores);
  for (arch::NocCoord core : cores) program.set_args(kernel, core, {kWord});
  const Program other = add_on(cores.first(3), 10'000);
  for (int i = 0; i < 20; ++i) {
    queue.enqueue(program);
    if (i % 7 == 3) queue.enqueue(other);  // takes three cores' area
  }
  queue.finish();
  EXPECT_EQ(word(cores[0]), 20 * 7 + 3 * 10'000u);
  EXPECT_EQ(word(cores[20]), 20 * 7u);
}

// Three programs in two halves: none is ever where it was. Big enough for the ring to hold not all of a fourth.
TEST_P(QueueOnEmulator, CodeThatTakesTurnsComesFromThePrefetchersRing) {
  const auto cores = chip.workers();
  const auto large = [&](uint32_t amount, uint32_t padding) {
    isa::Assembler a;
    a.lw(t0, a0, 0);
    a.lw(t1, t0);
    a.li(t2, amount);
    a.add(t1, t1, t2);
    a.sw(t1, t0);
    a.ret();
    for (uint32_t i = 0; i < padding; ++i) a.nop();
    Program program("large");
    const auto kernel = program.add_kernel(arch::Hart::Brisc, image::Image::from(a.finish(), "large"), cores);
    for (arch::NocCoord core : cores) program.set_args(kernel, core, {kWord});
    return program;
  };
  // 4 KB each: the ring holds all. 32 KB each: they push each other out.
  for (const uint32_t padding : {1000u, 8000u}) {
    clear();
    CommandQueue queue(chip, options({.region = {512 << 10, 1 << 16, 0, 0}}));
    const Program programs[] = {large(1, padding), large(10, padding), large(100, padding)};
    const Buffer buffer = chip.allocate(Memory::Dram, 100'000, 2048);
    const auto data = pattern(100'000);
    uint64_t bytes[5] = {};
    for (uint64_t& round : bytes) {
      const uint64_t before = queue.record_bytes();
      for (int i = 0; i < 6; ++i) {
        queue.enqueue(programs[i % 3]);
        if (i != 4) continue;
        queue.write(buffer, std::span(data).first(64));
        std::vector<std::byte> out(100'000);  // what relays from memory use is not where code is kept
        queue.read(buffer, std::span(out).first(64));
        queue.read(buffer, out);
      }
      round = queue.record_bytes() - before;
    }
    queue.finish();
    EXPECT_EQ(word(cores[0]), 5 * 2 * 111u);
    EXPECT_EQ(word(cores.back()), 5 * 2 * 111u);
    EXPECT_GT(bytes[0], 6u * 4 * padding) << "all of it once, for each rectangle";
    EXPECT_LT(bytes[3], 40'000u) << "arguments of every core, headers";
    EXPECT_EQ(bytes[3], bytes[4]);
  }
}

// Nobody waits for any of them: the rings bound what is in flight, and what has run is forgotten.
TEST_P(QueueOnEmulator, TenThousandLaunchesTakeNoMoreMemoryThanFiveThousand) {
  clear();
  CommandQueue queue(chip, options());
  const Program program = add_on(chip.workers().first(2), 1);
  const auto live = [] { return mallinfo2().uordblks; };
  size_t after_5000 = 0;
  for (int i = 1; i <= 10'000; ++i) {
    queue.enqueue(program);
    if (i == 5000) after_5000 = live();
  }
  EXPECT_LE(live(), after_5000 + (64 << 10));
  queue.finish();
  EXPECT_EQ(word(chip.workers()[1]), 10'000u);
}

TEST_P(QueueOnEmulator, CoresTellWhenTheyRan) {
  clear();
  CommandQueue queue(chip, options({.core_times = true}));
  const auto workers = chip.workers();
  queue.enqueue(add_on(workers, 1, 100));
  queue.enqueue(add_on(workers.first(5), 1, 5000));
  for (int i = 0; i < 40; ++i) queue.enqueue(add_on(workers, 1));
  auto times = queue.finish();
  ASSERT_EQ(times.size(), 42u);
  EXPECT_EQ(times[0].cores.size(), workers.size());
  ASSERT_EQ(times[1].cores.size(), 5u);
  for (const auto& core : times[1].cores) {
    EXPECT_GT(core.end_cycles - core.start_cycles, 5000u);
    EXPECT_GE(core.start_cycles, times[1].start_cycles);
    EXPECT_LE(core.end_cycles, times[1].end_cycles);
  }
  const size_t timed = queue.region_layout().core_timing_slots / workers.size();
  EXPECT_EQ(times[timed - 1].cores.size(), workers.size());
  EXPECT_TRUE(times[timed].cores.empty()) << "4096 slots hold so many programs";
  queue.enqueue(add_on(workers.first(2), 1));
  times = queue.finish();
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].cores.size(), 2u) << "finish() gives the slots back";
}

TEST_P(QueueOnEmulator, ADroppedTraceStaysUntilItsReplayIsDone) {
  clear();
  CommandQueue queue(chip, options());
  {
    queue.begin_trace();
    queue.enqueue(add_on(chip.workers(), 7));
    const Trace trace = queue.end_trace();
    queue.replay(trace);
  }
  const Buffer other = chip.allocate(Memory::Dram, 1 << 20, 4096);
  queue.write(other, pattern(1 << 20));
  queue.finish();
  EXPECT_EQ(word(chip.workers()[3]), 7u);
}

INSTANTIATE_TEST_SUITE_P(Kernels, QueueOnEmulator, testing::Bool(),
                         [](const auto& test) { return test.param ? "Split" : "Whole"; });

TEST(TwoQueues, RunOnDifferentCoresAndWaitForEachOther) {
  EmulatedDevice device;
  Chip chip(device, {.queues = 2});
  EXPECT_EQ(chip.workers().size(), 116u);
  for (arch::NocCoord core : chip.tiles()) chip.io().write32(core, kWord, 0);
  CommandQueue a(chip, {.index = 0}), b(chip, {.index = 1});
  const auto left = chip.workers().first(50), right = chip.workers().subspan(50);
  for (uint32_t i = 0; i < 10; ++i) {
    a.enqueue(add_on(left, 1, 2000));
    b.enqueue(add_on(right, 1, 100));
    // Then change sides, by events on the device alone.
    const CommandQueue::Event of_a = a.record_event(), of_b = b.record_event();
    b.wait_for(a, of_a);
    a.wait_for(b, of_b);
    a.enqueue(add_on(right, 100, 50));
    b.enqueue(add_on(left, 100, 50));
    const CommandQueue::Event end_a = a.record_event(), end_b = b.record_event();
    b.wait_for(a, end_a);
    a.wait_for(b, end_b);
  }
  EXPECT_EQ(a.finish().size(), 20u);
  EXPECT_EQ(b.finish().size(), 20u);
  for (arch::NocCoord core : chip.workers()) EXPECT_EQ(chip.io().read32(core, kWord), 1010u);
  EXPECT_THROW(a.wait_for(b, {9999}), DeviceError);
  EXPECT_THROW(CommandQueue(chip, {.index = 2}), DeviceError);
}

// The second queue's dispatcher stands before a full completion ring that nobody asks about.
TEST(TwoQueues, WhoWaitsForOneTakesOutWhatTheOtherHasBroughtMeanwhile) {
  EmulatedDevice device;
  Chip chip(device, {.queues = 2});
  CommandQueue a(chip, kSmallRings);
  QueueOptions two_pages = kSmallRings;
  two_pages.region.completion_bytes = 8192;
  two_pages.index = 1;
  std::vector<std::byte> out(100'000);
  const Buffer buffer = chip.allocate(Memory::Dram, out.size(), 2048);
  {
    CommandQueue b(chip, two_pages);
    b.write(buffer, pattern(out.size()));
    b.enqueue_read(buffer, out);
    a.wait_for(b, b.record_event());
    a.finish();
    EXPECT_EQ(out, pattern(out.size()));
    for (int i = 0; i < 20; ++i) b.record_event();
  }  // and its end waits for the same
  a.finish();
}

TEST(SplitQueue, NeedsBothPairsOfItsChip) {
  EmulatedDevice device;
  {
    Chip one(device);
    EXPECT_THROW(CommandQueue(one, {.split = true}), DeviceError);
  }
  Chip chip(device, {.queues = 2});
  EXPECT_THROW(CommandQueue(chip, {.index = 1, .split = true}), DeviceError);
  const CommandQueue queue(chip, {.split = true});
  EXPECT_THROW(CommandQueue(chip, {.index = 1}), DeviceError) << "its tiles are taken";
}

// A spinner on one sub-device holds up nobody on the others.
TEST(SubDevices, RunTheirProgramsIndependently) {
  for (const bool subordinate : {false, true}) {
    EmulatedDevice device;
    Chip chip(device);
    for (arch::NocCoord core : chip.tiles()) chip.io().write32(core, kWord, 0);
    CommandQueue queue(chip, {.subordinate = subordinate, .core_times = true});
    const auto workers = chip.workers();
    const auto part = [&](size_t first, size_t n) {
      const auto cores = workers.subspan(first, n);
      return std::vector<arch::NocCoord>(cores.begin(), cores.end());
    };
    const std::vector<std::vector<arch::NocCoord>> groups = {part(0, 10), part(10, 40), part(60, 58)};
    queue.set_sub_devices(groups);
    const Program slow = add_on(groups[0], 1, 300'000), quick = add_on(groups[1], 2), other = add_on(groups[2], 3);
    queue.enqueue(slow);
    for (int i = 0; i < 10; ++i) {
      queue.enqueue(quick);
      queue.enqueue(other);
    }
    const CommandQueue::Event quick_done = queue.record_event(1), other_done = queue.record_event(2);
    queue.wait(other_done);
    queue.wait(quick_done);
    EXPECT_EQ(chip.io().read32(groups[0][0], kWord), 0u) << "still at work";
    EXPECT_EQ(chip.io().read32(groups[1][39], kWord), 20u);
    EXPECT_EQ(chip.io().read32(groups[2][0], kWord), 30u);
    const auto times = queue.finish();
    ASSERT_EQ(times.size(), 21u);
    ASSERT_EQ(times[20].cores.size(), groups[2].size());
    EXPECT_EQ(chip.io().read32(groups[0][9], kWord), 1u);
    EXPECT_GT(times[0].cores[0].end_cycles, times[20].cores[0].end_cycles);
    EXPECT_GT(times[0].end_cycles, times[20].start_cycles);
    for (const auto& time : times) EXPECT_LT(time.start_cycles, time.end_cycles);

    // A trace of programs on two of them, replayed when the workers are one device again.
    queue.begin_trace();
    for (int i = 0; i < 9; ++i) {
      queue.enqueue(quick);
      queue.enqueue(other);
    }
    const Trace trace = queue.end_trace();
    EXPECT_THROW(queue.enqueue(add_on(workers.first(20), 1)), DeviceError) << "cores of two sub-devices";
    EXPECT_THROW(queue.enqueue(add_on(workers.subspan(55, 2), 1)), DeviceError) << "a core of none";
    EXPECT_THROW(queue.record_event(3), DeviceError);
    queue.set_sub_devices({});
    queue.replay(trace);
    queue.enqueue(add_on(workers, 1000));
    queue.finish();
    EXPECT_EQ(chip.io().read32(groups[1][0], kWord), 20u + 18 + 1000);
    EXPECT_EQ(chip.io().read32(groups[2][57], kWord), 30u + 27 + 1000);
    EXPECT_THROW(queue.record_event(0), DeviceError) << "no sub-devices any more";
  }
}

TEST(SubDevices, AreRefusedIfTheyOverlapOrHoldWhatIsNoWorker) {
  EmulatedDevice device;
  Chip chip(device);
  CommandQueue queue(chip);
  using Groups = std::vector<std::vector<arch::NocCoord>>;
  const auto w = chip.workers();
  EXPECT_THROW(queue.set_sub_devices(Groups{{w[0], w[1]}, {w[1]}}), DeviceError);
  EXPECT_THROW(queue.set_sub_devices(Groups{{w[0]}, {}}), DeviceError);
  EXPECT_THROW(queue.set_sub_devices(Groups{{chip.dispatch_pair().dispatch}}), DeviceError);
  EXPECT_THROW(queue.set_sub_devices(Groups{{w[0]}, {w[1]}, {w[2]}, {w[3]}, {w[4]}, {w[5]}, {w[6]}, {w[7]}, {w[8]}}),
               DeviceError);
  queue.enqueue(add_on(w, 1));
  EXPECT_EQ(queue.finish().size(), 1u) << "nothing has changed";
}

}  // namespace
}  // namespace kerr::host
