// A whole chip: booting, harts that compute, harts that poll, a matmul from end to end.
#include <benchmark/benchmark.h>

#include <span>

#include "arch/tile_registers.hpp"
#include "emu/machine/machine.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "isa/assembler.hpp"
#include "jobs/matmul.hpp"

namespace kerr {
namespace {

using namespace isa::reg;

std::vector<uint8_t> endless_loop(bool polls) {
  isa::Assembler a;
  a.li(a0, 0x2000);
  const isa::Label top = a.here();
  a.lw(t0, a0);
  if (!polls) {
    a.addi(t0, t0, 3);
    a.xor_(t1, t1, t0);
    a.sw(t0, a0);
  }
  a.j(top);
  return a.finish().bytes;
}

// The same code on BRISC of `tiles` tiles of a P150.
void start_briscs(host::EmulatedDevice& device, int tiles, bool polls) {
  host::NocIo io(device);
  const std::vector<uint8_t> code = endless_loop(polls);
  int started = 0;
  for (uint8_t y = 2; y < 12; ++y) {
    for (const uint8_t x : arch::kTensixColumnX) {
      if (started++ == tiles) return;
      io.write({x, y}, 0, std::as_bytes(std::span(code)));
      io.write32({x, y}, arch::kSoftReset0, arch::kSoftResetBriscRuns);
    }
  }
}

void run_harts(benchmark::State& state, bool polls) {
  host::EmulatedDevice device({.chip = {.boards = {arch::kP150}, .shards = static_cast<int>(state.range(1))}});
  start_briscs(device, static_cast<int>(state.range(0)), polls);
  constexpr uint64_t kCycles = 100'000;
  for (auto _ : state) device.machine().advance(kCycles);
  const double cycles = static_cast<double>(kCycles) * static_cast<double>(state.iterations());
  state.counters["simulated_Hz"] = benchmark::Counter(cycles, benchmark::Counter::kIsRate);
  if (!polls) {
    state.counters["instructions/s"] =
        benchmark::Counter(cycles * static_cast<double>(state.range(0)), benchmark::Counter::kIsRate);
  }
}

void BusyHarts(benchmark::State& state) { run_harts(state, false); }
void PollingHarts(benchmark::State& state) { run_harts(state, true); }
BENCHMARK(BusyHarts)->ArgNames({"tiles", "threads"})->Args({1, 1})->Args({140, 1})->Args({140, 2})->UseRealTime();
BENCHMARK(PollingHarts)->ArgNames({"tiles", "threads"})->Args({140, 1})->UseRealTime();

void CreateChip(benchmark::State& state) {
  for (auto _ : state) host::EmulatedDevice device({.chip = {.boards = {arch::kP150}}});
}
BENCHMARK(CreateChip)->Unit(benchmark::kMillisecond);

void BootFirmware(benchmark::State& state) {
  for (auto _ : state) {
    host::EmulatedDevice device({.chip = {.boards = {arch::kP150}}});
    host::Chip chip(device);
  }
}
BENCHMARK(BootFirmware)->Unit(benchmark::kMillisecond);

void Matmul(benchmark::State& state) {
  const auto size = static_cast<uint64_t>(state.range(0));
  jobs::MatmulJob job{.shape = {size, size, size}};
  job.device.emulator.shards = static_cast<int>(state.range(1));
  for (auto _ : state) {
    const jobs::MatmulOutcome outcome = jobs::run(job);
    if (!outcome.agreement.good()) state.SkipWithError("not verified");
    state.counters["launch_s"] = outcome.run_s;
    state.counters["MVMUL/s"] = static_cast<double>(outcome.plan.mvmuls()) / outcome.run_s;
  }
}
BENCHMARK(Matmul)->ArgNames({"size", "threads"})->Args({256, 1})->Args({512, 1})->Args({512, 2})->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace kerr
