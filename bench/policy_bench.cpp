// What the policies cost: exact against relaxed timing, observed against plain; and what a window costs by itself.
#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>

#include "arch/banks.hpp"
#include "arch/boards.hpp"
#include "arch/bytes.hpp"
#include "arch/memory_map.hpp"
#include "arch/tile_registers.hpp"
#include "bench/hart/programs.hpp"
#include "jobs/matmul.hpp"
#include "emu/machine/machine.hpp"

namespace kerr {
namespace {

using bench::Bytes;

struct Work {
  const char* name;
  Bytes (*program)();
};
// Registers only; a load and a store in five instructions; 400 mixed instructions.
constexpr Work kWorks[] = {{"count_down", bench::count_down}, {"update_word", bench::update_word}, {"mixed_400", bench::mixed_400}};

// The program on BRISC of the first `tiles` tiles.
void start(emu::Machine& machine, int tiles, Bytes (*program)()) {
  emu::Chip& chip = machine.chip(0);
  const auto set = [&](arch::NocCoord at, uint64_t address, uint32_t value) {
    chip.write_coordinate(at.x, at.y, address, arch::as_uint8(value));
  };
  for (const arch::NocCoord at : arch::tensix_tiles(arch::kP150.harvesting)) {
    if (tiles-- == 0) return;
    chip.write_coordinate(at.x, at.y, bench::kCode, program());
    set(at, 0, arch::jal_word(bench::kCode));
    set(at, arch::kSoftReset0, arch::kSoftResetBriscRuns);
  }
}

// Four machines with the same work, turn by turn, so that all see the same load of the host. The counters are what one
// instruction costs, in units of relaxed and plain.
void Policy(benchmark::State& state) {
  const Work& work = kWorks[state.range(0)];
  const int tiles = static_cast<int>(state.range(1));
  emu::Observer silent;
  std::unique_ptr<emu::Machine> machines[2][2];
  for (const int exact : {0, 1}) {
    for (const int observed : {0, 1}) {
      emu::Options options{.boards = {arch::kP150}};
      if (exact) options.timing = emu::Timing::Exact;
      if (observed) options.observer = &silent;
      machines[exact][observed] = std::make_unique<emu::Machine>(options);
      start(*machines[exact][observed], tiles, work.program);
      machines[exact][observed]->advance(22 * 256);
    }
  }
  constexpr emu::Cycle kCycles = 22 * 256 * 8;
  double spent[2][2] = {};
  uint64_t executed[2][2] = {};
  for (auto _ : state) {
    for (const int exact : {0, 1}) {
      for (const int observed : {0, 1}) {
        emu::Machine& machine = *machines[exact][observed];
        const auto instructions = [&] { return machine.counters(0).hart_instructions[0]; };
        const uint64_t before = instructions();
        const auto start = std::chrono::steady_clock::now();
        machine.advance(kCycles);
        spent[exact][observed] += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        executed[exact][observed] += instructions() - before;
      }
    }
  }
  const auto cost = [&](int exact, int observed) { return spent[exact][observed] / static_cast<double>(executed[exact][observed]); };
  state.SetLabel(work.name);
  state.counters["plain_per_s"] = 1 / cost(0, 0);
  state.counters["observed"] = cost(0, 1) / cost(0, 0);
  state.counters["exact"] = cost(1, 0) / cost(0, 0);
  state.counters["exact_observed"] = cost(1, 1) / cost(0, 0);
}
BENCHMARK(Policy)->ArgNames({"work", "tiles"})->ArgsProduct({{0, 1, 2}, {1, 118}})->Unit(benchmark::kMillisecond);

// The same for a matmul: the launch, on one thread.
void MatmulByPolicy(benchmark::State& state) {
  const auto size = static_cast<uint64_t>(state.range(0));
  jobs::MatmulJob job{.shape = {size, size, size}};
  job.device.emulator.shards = 1;
  double spent[3] = {};
  for (auto _ : state) {
    for (const int policy : {0, 1, 2}) {
      job.observing.watch = policy == 1 ? jobs::Watch::Events : jobs::Watch::Nothing;
      job.device.emulator.timing = policy == 2 ? emu::Timing::Exact : emu::Timing::Relaxed;
      const jobs::MatmulOutcome outcome = jobs::run(job);
      if (!outcome.agreement.good()) state.SkipWithError("not verified");
      spent[policy] += outcome.run_s;
    }
  }
  state.counters["plain_s"] = spent[0] / static_cast<double>(state.iterations());
  state.counters["observed"] = spent[1] / spent[0];
  state.counters["exact"] = spent[2] / spent[0];
}
BENCHMARK(MatmulByPolicy)->ArgName("size")->Arg(256)->Arg(512)->Unit(benchmark::kMillisecond);

// --- windows ---

// Window by window, so that a lone tile does not run ahead.
double seconds_for(emu::Machine& machine, emu::Cycle cycles) {
  const emu::Cycle end = machine.now() + cycles;
  const auto start = std::chrono::steady_clock::now();
  while (machine.now() < end) machine.step(end);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The same work in windows of 64 and of 1024 cycles: what windows themselves cost is the difference, divided by how
// many more there are. `asleep`: tiles beside the active ones that have been used, and wait.
void Window(benchmark::State& state) {
  const int tiles = static_cast<int>(state.range(0));
  const int asleep = static_cast<int>(state.range(1));
  constexpr emu::Cycle kCycles = 1 << 18;
  const auto machine = [&](emu::Cycle window) {
    return emu::Options{.boards = {arch::kP150}, .shards = static_cast<int>(state.range(2)), .window_cycles = window};
  };
  emu::Machine few(machine(1024)), many(machine(64));
  for (emu::Machine* m : {&few, &many}) {
    start(*m, tiles + asleep, bench::poll_word);
    m->advance(4096);
    start(*m, tiles, bench::count_down);
    seconds_for(*m, 4096);
  }
  double spent = 0;
  for (auto _ : state) {
    const double more = seconds_for(many, kCycles) - seconds_for(few, kCycles);
    spent += more / (static_cast<double>(kCycles) / 64 - static_cast<double>(kCycles) / 1024);
  }
  state.counters["window_ns"] = spent * 1e9 / static_cast<double>(state.iterations());
}
BENCHMARK(Window)
    ->ArgNames({"active", "asleep", "threads"})
    ->Args({1, 0, 1})
    ->Args({1, 117, 1})
    ->Args({118, 0, 1})
    ->Args({118, 0, 2})
    ->UseRealTime()
    ->Iterations(20);

}  // namespace
}  // namespace kerr
