// Memory comes when it is needed, and goes with the machine.
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <new>

#include "tests/emu/machine/busy.hpp"

namespace {

std::atomic<uint64_t> allocations{0};

}  // namespace

// Counts the allocations of this whole program for the tests below. Not inlined, so that the compiler does not pair one
// with free().
[[gnu::noinline]] void* operator new(size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(bytes != 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(bytes != 0 ? bytes : 1);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace kerr::emu {
namespace {

uint64_t resident_bytes() {
  uint64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

constexpr uint64_t kMiB = 1 << 20;

class SteadyState : public ::testing::TestWithParam<Timing> {
 protected:
  static constexpr size_t kTiles = 24;
  static constexpr uint32_t kWord = 0x4000;
  BusyMachine busy{{.timing = GetParam()}, 0};

  // How often memory is asked for in `cycles`, after the machine has taken up what the host did before.
  uint64_t allocations_in(Cycle cycles) {
    busy.machine.advance(1'024);
    const uint64_t before = allocations.load();
    busy.machine.advance(cycles);
    return allocations.load() - before;
  }
};
INSTANTIATE_TEST_SUITE_P(Timings, SteadyState, ::testing::Values(Timing::Relaxed, Timing::Exact),
                         [](const auto& p) { return p.param == Timing::Exact ? "Exact" : "Relaxed"; });

TEST_P(SteadyState, ABusyChipAllocatesNothing) {
  for (size_t i = 0; i < kTiles; ++i) {
    const arch::NocCoord bank = arch::dram_bank_tile_for_noc(arch::kP100a.harvesting, static_cast<int>(i) % 7, 0);
    busy.host.start(busy.workers[i], endless_kernel(busy.workers[(i + 1) % kTiles], bank));
  }
  busy.machine.advance(GetParam() == Timing::Exact ? 1'000'000 : 200'000);  // every queue has been as long as it gets
  ASSERT_FALSE(busy.machine.faulted()) << busy.machine.faults().front().text();
  const uint32_t rounds = busy.host.read32(busy.workers[5], kWord);
  EXPECT_EQ(allocations_in(60'000), 0u);
  EXPECT_GT(busy.host.read32(busy.workers[5], kWord), rounds + 20);
}

// Each tile waits for its word, and hands on to the next what it got: most are parked, one is woken at a time.
TEST_P(SteadyState, APollingChipAllocatesNothing) {
  namespace niu = arch::niu;
  using namespace isa::reg;
  for (size_t i = 0; i < kTiles; ++i) {
    Kernel k;
    for (int buffer : {0, 3}) k.noc_init(0, buffer);
    k.li(s0, 0);
    const isa::Label round = k.here();
    k.addi(s0, s0, 1);
    k.li(t0, kWord);
    const isa::Label poll = k.here();
    k.lw(t1, t0, 0);
    k.bltu(t1, s0, poll);
    k.noc_increment(0, busy.workers[(i + 1) % kTiles], kWord, 1);
    k.j(round);
    busy.host.start(busy.workers[i], k);
  }
  busy.host.write32(busy.workers[0], kWord, 1);  // and round it goes
  busy.machine.advance(60'000);
  ASSERT_FALSE(busy.machine.faulted()) << busy.machine.faults().front().text();
  const uint32_t rounds = busy.host.read32(busy.workers[5], kWord);
  EXPECT_EQ(allocations_in(120'000), 0u);
  EXPECT_GT(busy.host.read32(busy.workers[5], kWord), rounds + 2);
}

TEST(Memory, AMachineOfManyChipsCostsLittleUntilItIsUsed) {
  const uint64_t before = resident_bytes();
  std::vector<std::unique_ptr<Machine>> machines;
  for (int i = 0; i < 8; ++i) machines.push_back(std::make_unique<Machine>(Options{}));
  EXPECT_LT(resident_bytes() - before, 16 * kMiB);
}

TEST(Memory, SeveralMachinesInOneProcessDoNotSeeEachOther) {
  BusyMachine alone({}, 6);
  alone.machine.advance(10'240);
  BusyMachine one({}, 6), other({}, 9);
  for (int i = 0; i < 40; ++i) {
    one.machine.advance(256);
    other.machine.advance(256);
  }
  EXPECT_EQ(one.machine.state_hash(), alone.machine.state_hash());
}

// What making a chip costs is the memory that it touches; a machine that hands out pages late counts them.
TEST(Memory, ChipsAreCheapToMake) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers touch memory of their own";
#endif
  const auto pages_touched = [] {
    rusage use{};
    ::getrusage(RUSAGE_SELF, &use);
    return use.ru_minflt;
  };
  { Machine first{Options{}}; }
  constexpr int kMachines = 50;
  const long before = pages_touched();
  for (int i = 0; i < kMachines; ++i) Machine{Options{}};
  EXPECT_LT((pages_touched() - before) / kMachines, 100);
}

TEST(Memory, TwoHundredRoundsOfMakingRunningAndDestroyingLeaveNothing) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer keeps what was freed for a while";
#endif
  const auto round = [] {
    BusyMachine busy({}, 8, 2);
    busy.machine.advance(5'120);
  };
  for (int i = 0; i < 20; ++i) round();
  const uint64_t before = resident_bytes();
  for (int i = 0; i < 200; ++i) round();
  EXPECT_LT(resident_bytes(), before + 2 * kMiB);
}

}  // namespace
}  // namespace kerr::emu
