// All 700 harts of the 140 tiles of a P150, without host.
#include <benchmark/benchmark.h>

#include "arch/boards.hpp"
#include "bench/cpu_time.hpp"
#include "bench/hart/start_harts.hpp"
#include "emu/machine/machine.hpp"

namespace kerr::emu {
namespace {

using namespace bench;

constexpr Cycle kSlice = 16 * kRelaxedWindowCycles;

void start_all(Machine& machine, const Bytes& program) {
  Chip& chip = machine.chip(0);
  for (int node = 0; node < arch::kGridTiles; ++node) {
    const auto n = static_cast<uint8_t>(node);
    if (!chip.tiles.present(n)) continue;
    start_harts([&](uint64_t address, auto bytes) { chip.tiles.host_write(n, address, bytes, {}); }, program, kHarts);
  }
}

void ChipOfHarts(benchmark::State& state, Bytes (*program)()) {
  Options options;
  options.boards = {arch::kP150};
  options.shards = static_cast<int>(state.range(0));
  Machine machine(options);
  start_all(machine, program());
  machine.advance(kSlice);
  const uint64_t before = machine.now();
  const double cpu_before = cpu_seconds();
  for (auto _ : state) machine.advance(kSlice);
  const double cpu = cpu_seconds() - cpu_before;
  if (machine.faulted()) return state.SkipWithError("fault");
  const auto cycles = static_cast<double>(machine.now() - before);
  state.counters["instructions/s"] = benchmark::Counter(cycles * 140 * kHarts, benchmark::Counter::kIsRate);
  // What the machine can do when other programs take the CPUs: of each second of CPU time, all threads counted.
  state.counters["instructions/cpu_s"] = cycles * 140 * kHarts / cpu;
}

BENCHMARK_CAPTURE(ChipOfHarts, update_word, update_word)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_CAPTURE(ChipOfHarts, integer_mix, integer_mix)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_CAPTURE(ChipOfHarts, mixed_400, mixed_400)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();

// A chip that only polls jumps.
void ChipOfPollingHarts(benchmark::State& state) {
  Options options;
  options.boards = {arch::kP150};
  Machine machine(options);
  start_all(machine, poll_word());
  machine.advance(kSlice);
  for (auto _ : state) machine.advance(64 * kSlice);
  state.counters["simulated_Hz"] =
      benchmark::Counter(64.0 * static_cast<double>(kSlice) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(ChipOfPollingHarts)->UseRealTime();

}  // namespace
}  // namespace kerr::emu
