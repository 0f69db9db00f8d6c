// Calls of the queue in random order and size against a model of memory: buffers of every layout, programs, events,
// traces, sub-devices, two queues. The rings are so small that they wrap all the time.
//
// 10,000 calls in all; KERR_RANDOM_CALLS in the environment says otherwise.
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <map>
#include <random>

#include "host/device/emulated_device.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "isa/assembler.hpp"
#include "tests/host/fake_device.hpp"

namespace kerr::host {
namespace {

using namespace isa::reg;
using Bytes = std::vector<std::byte>;

// Adds its second argument to the word at its first. `padding`: instructions that make it long.
image::Image adder(uint32_t padding) {
  isa::Assembler a;
  a.lw(t0, a0, 0);
  a.lw(t1, a0, 4);
  a.lw(t3, t0, 0);
  a.add(t3, t3, t1);
  a.sw(t3, t0, 0);
  a.ret();
  for (uint32_t i = 0; i < padding; ++i) a.nop();
  return image::Image::from(a.finish(0x1000), "add");
}

struct Setting {
  const char* name;
  uint32_t share;  // of the calls, in hundredths
  uint32_t queues;
  bool split, subordinate;
};
constexpr Setting kSettings[] = {{"OneQueue", 30, 1, false, false},
                                 {"WithASubordinate", 15, 1, false, true},
                                 {"SplitQueue", 20, 1, true, false},
                                 {"TwoQueues", 35, 2, false, false}};

uint64_t calls(const Setting& setting) {
  const char* wanted = std::getenv("KERR_RANDOM_CALLS");
  return (wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 10'000) * setting.share / 100;
}

struct RandomCalls : testing::TestWithParam<Setting> {
  // A buffer, what it holds, and which queue may touch it: the others first wait for that one.
  struct Held {
    Buffer buffer;
    Bytes model;
    size_t owner;
  };
  struct Read {
    Bytes out, expected;
    size_t queue;
    CommandQueue::Event event;
  };
  struct Recorded {
    Trace trace;
    std::map<arch::NocCoord, uint32_t> sums;
  };

  std::mt19937 random{20261128};
  EmulatedDevice device;
  Chip chip{device, {.queues = GetParam().split ? 2 : GetParam().queues}};
  std::vector<std::unique_ptr<CommandQueue>> queues;
  std::vector<std::vector<arch::NocCoord>> cores;                // of each queue
  std::vector<std::vector<std::vector<arch::NocCoord>>> groups;  // of each queue: its sub-devices, or one of all cores
  std::vector<std::vector<Recorded>> traces;                     // of each queue
  std::map<size_t, std::vector<std::pair<Program, std::map<arch::NocCoord, uint32_t>>>> known;
  std::deque<Held> buffers;
  std::deque<Read> reads;
  std::map<arch::NocCoord, uint32_t> sums;
  const std::vector<arch::NocCoord> workers{chip.workers().begin(), chip.workers().end()};
  Buffer words = chip.allocate_sharded(Memory::L1, 16 * workers.size(), 16, workers);

  uint32_t below(uint64_t n) { return static_cast<uint32_t>(random() % n); }
  Bytes data(uint64_t n) { return pattern(n, static_cast<uint8_t>(random())); }

  void SetUp() override {
    chip.write(words, Bytes(words.bytes()));
    for (uint32_t i = 0; i < GetParam().queues; ++i) {
      queues.push_back(std::make_unique<CommandQueue>(chip, QueueOptions{.region = {512 << 10, 16 << 10, 64, 0},
                                                                         .subordinate = GetParam().subordinate,
                                                                         .index = i,
                                                                         .split = GetParam().split}));
      const size_t half = workers.size() / GetParam().queues;
      cores.emplace_back(workers.begin() + static_cast<long>(i * half),
                         workers.begin() + static_cast<long>((i + 1) * half));
      groups.push_back({cores.back()});
      traces.emplace_back();
    }
  }

  void allocate() {
    const Memory memory = below(2) ? Memory::Dram : Memory::L1;
    const uint32_t page = 16 * (1 + below(below(4) ? 200 : 1000));
    const uint64_t bytes = 1 + below(below(4) ? 20'000 : 300'000);
    const auto some = std::span(workers).subspan(below(workers.size() - 8), 1 + below(8));
    Buffer buffer = below(2)                 ? chip.allocate(memory, bytes, page)
                    : memory == Memory::Dram ? chip.allocate_sharded(memory, bytes, page)
                                             : chip.allocate_sharded(memory, bytes, page, some);
    Bytes model = data(buffer.bytes());
    const size_t owner = below(queues.size());
    queues[owner]->write(buffer, model);
    buffers.push_back({std::move(buffer), std::move(model), owner});
  }
  void release() {
    take_reads(0);
    Held& held = buffers[below(buffers.size())];
    queues[held.owner]->wait(queues[held.owner]->record_event());  // writes that are under way
    std::swap(held, buffers.back());
    buffers.pop_back();
  }
  // A range of some buffer, in the hands of some queue.
  std::pair<Held*, uint64_t> place(uint64_t& n) {
    Held& held = buffers[below(buffers.size())];
    if (const size_t queue = below(queues.size()); queue != held.owner && below(4) == 0) {
      queues[queue]->wait_for(*queues[held.owner], queues[held.owner]->record_event());
      held.owner = queue;
    }
    const uint64_t offset = below(held.model.size());
    n = std::min<uint64_t>(1 + below(below(3) ? 3000 : held.model.size()), held.model.size() - offset);
    return {&held, offset};
  }
  void write() {
    uint64_t n = 0;
    const auto [held, offset] = place(n);
    const Bytes what = data(n);
    queues[held->owner]->write(held->buffer, what, offset);
    std::copy(what.begin(), what.end(), held->model.begin() + static_cast<long>(offset));
  }
  void read() {
    uint64_t n = 0;
    const auto [held, offset] = place(n);
    const auto from = held->model.begin() + static_cast<long>(offset);
    reads.push_back({Bytes(n), Bytes(from, from + static_cast<long>(n)), held->owner, {}});
    reads.back().event = queues[held->owner]->enqueue_read(held->buffer, reads.back().out, offset);
    take_reads(below(8));
  }
  // Waits for reads in any order until `left` are under way.
  void take_reads(size_t left) {
    while (reads.size() > left) {
      const auto at = reads.begin() + below(reads.size());
      queues[at->queue]->wait(at->event);
      ASSERT_EQ(at->out, at->expected);
      reads.erase(at);
    }
  }

  // Adds an amount on some cores of one group of a queue.
  using Amounts = std::map<arch::NocCoord, uint32_t>;
  std::pair<Program, Amounts> program(size_t queue) {
    const auto& group = groups[queue][below(groups[queue].size())];
    const size_t most = below(10) ? std::min<size_t>(group.size(), 12) : group.size(), n = 1 + below(most);
    const auto some = std::span(group).subspan(below(group.size() - n + 1), n);
    Amounts amounts;
    Program program("add");
    const auto hart = below(2) ? arch::Hart::Ncrisc : arch::Hart::Brisc;
    const auto kernel = program.add_kernel(hart, adder(below(3) ? 0 : 1000), some);
    for (arch::NocCoord core : some) {
      amounts[core] = below(1000);
      program.set_args(kernel, core, {words.address(), amounts[core]});
    }
    return {std::move(program), std::move(amounts)};
  }
  void add(const Amounts& amounts) {
    for (const auto& [core, amount] : amounts) sums[core] += amount;
  }
  void launch() {
    const size_t queue = below(queues.size());
    // Some programs come again and again: their code stays on the cores, or in the prefetcher's ring.
    auto& often = known[queue];
    if (often.size() < 5) often.push_back(program(queue));
    if (below(3) == 0) often[below(often.size())] = program(queue);
    for (uint32_t n = 1 + below(4); n != 0; --n) {
      const auto& [what, amounts] = often[below(often.size())];
      queues[queue]->enqueue(what);
      add(amounts);
    }
  }
  void record_trace() {
    const size_t queue = below(queues.size());
    if (traces[queue].size() == 4) traces[queue].erase(traces[queue].begin());
    Recorded recorded;
    queues[queue]->begin_trace();
    for (uint32_t n = 1 + below(10); n != 0; --n) {
      const auto [what, amounts] = program(queue);
      queues[queue]->enqueue(what);
      for (const auto& [core, amount] : amounts) recorded.sums[core] += amount;
    }
    recorded.trace = queues[queue]->end_trace();
    traces[queue].push_back(std::move(recorded));
  }
  void replay() {
    const size_t queue = below(queues.size());
    if (traces[queue].empty()) return record_trace();
    const Recorded& recorded = traces[queue][below(traces[queue].size())];
    queues[queue]->replay(recorded.trace);
    add(recorded.sums);
  }
  void divide() {
    const size_t queue = below(queues.size());
    std::vector<std::vector<arch::NocCoord>> parts(below(9));
    for (arch::NocCoord core : cores[queue])
      if (!parts.empty()) parts[below(parts.size())].push_back(core);
    queues[queue]->set_sub_devices(parts);
    if (!parts.empty() && below(2)) {
      queues[queue]->wait(queues[queue]->record_event(below(parts.size())));
    }
    known[queue].clear();
    if (parts.empty()) parts.push_back(cores[queue]);
    groups[queue] = std::move(parts);
  }
  void compare() {
    take_reads(0);
    for (auto& queue : queues) queue->finish();
    for (arch::NocCoord core : workers) ASSERT_EQ(chip.io().read32(core, words.address()), sums[core]);
    for (const Held& held : buffers) {
      Bytes now(held.model.size());
      chip.read(held.buffer, now);
      ASSERT_EQ(now, held.model);
    }
  }
};

TEST_P(RandomCalls, LeaveWhatTheModelSays) {
  allocate();
  const uint64_t n = calls(GetParam());
  uint64_t bytes = 0;
  for (uint64_t i = 1; i <= n; ++i) {
    switch (below(40)) {
      case 0:
      case 1: buffers.size() < 12 ? allocate() : release(); break;
      case 2: record_trace(); break;
      case 3:
      case 4: replay(); break;
      case 5: divide(); break;
      case 6: queues[below(queues.size())]->finish(); break;
      case 7:
      case 8: queues[below(queues.size())]->record_event(); break;
      default: {
        const uint32_t kind = below(5);
        kind < 2 ? write() : kind < 3 ? read() : launch();
      }
    }
    if (i % 1000 == 0 || i == n) compare();
    if (HasFatalFailure()) FAIL() << "call " << i;
  }
  for (const auto& queue : queues) bytes += queue->record_bytes();
  EXPECT_GT(bytes, n * 500) << "the issue ring has wrapped many times";
}

INSTANTIATE_TEST_SUITE_P(Queue, RandomCalls, testing::ValuesIn(kSettings),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace kerr::host
