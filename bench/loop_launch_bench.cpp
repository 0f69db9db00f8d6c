// Loop programs on harts: from launch to result, the emulated device's work included.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/cpu_time.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "loops/program.hpp"
#include "loops/scalar/compile.hpp"
#include "loops/scalar/launch.hpp"

namespace kerr {
namespace {

// About 10^9 instructions, 40 % of them of floats: 47,200 elements, each of them changed 2,000 times.
constexpr char kMixed[] =
    "kernel mixed\nparam p0 f32 47200\nparam p1 f32 47200\nreg r0 f32 1\n%i = loop i32 i32:47200 weak\n%1 = load f32 "
    "p1[%i]\n"
    "store f32 r0[i32:0] %1\n%k = loop i32 i32:2000 reduce\n%2 = load f32 r0[i32:0]\n%3 = cast f32 %k\n%4 = mul f32 %2 "
    "f32:0.5\n"
    "%5 = add f32 %4 %3\n%6 = and i32 %k i32:7\n%7 = xor i32 %6 %i\n%8 = cast f32 %7\n%9 = add f32 %5 %8\n"
    "store f32 r0[i32:0] %9\nend %k\n%10 = load f32 r0[i32:0]\nstore f32 p0[%i] %10\nend %i\n";
constexpr char kAdd[] =
    "kernel add\nparam p0 f32 {0}\nparam p1 f32 {0}\nparam p2 f32 {0}\n%1 = loop i32 i32:{0} weak\n%2 = load f32 "
    "p1[%1]\n"
    "%3 = load f32 p2[%1]\n%4 = add f32 %2 %3\nstore f32 p0[%1] %4\nend %1\n";
// A matrix of 512 x 512 by rows, stored by columns.
constexpr char kScatter[] =
    "kernel scatter\nparam p0 f32 262144\nparam p1 f32 262144\n%i = loop i32 i32:512 weak\n%j = loop i32 i32:512 weak\n"
    "%1 = shl i32 %i i32:9\n%2 = add i32 %1 %j\n%3 = load f32 p1[%2]\n%4 = shl i32 %j i32:9\n%5 = add i32 %4 %i\n"
    "store f32 p0[%5] %3\nend %j\nend %i\n";

std::string matmul(int m, int n, int k) {
  return fmt::format(
      "kernel matmul\nparam p0 f32 {3}\nparam p1 f32 {4}\nparam p2 f32 {5}\nreg r0 f32 1\n%i = loop i32 i32:{0} weak\n"
      "%1 = mul i32 %i i32:{2}\n%2 = mul i32 %i i32:{1}\n%j = loop i32 i32:{1} weak\nstore f32 r0[i32:0] f32:0.0\n"
      "%k = loop i32 i32:{2} reduce\n%3 = add i32 %1 %k\n%4 = load f32 p1[%3]\n%5 = mul i32 %k i32:{1}\n%6 = add i32 "
      "%5 %j\n"
      "%7 = load f32 p2[%6]\n%8 = mul f32 %4 %7\n%9 = load f32 r0[i32:0]\n%10 = add f32 %9 %8\nstore f32 r0[i32:0] "
      "%10\n"
      "end %k\n%11 = add i32 %2 %j\n%12 = load f32 r0[i32:0]\nstore f32 p0[%11] %12\nend %j\nend %i\n",
      m, n, k, m * n, m * k, k * n);
}

void LaunchLoops(benchmark::State& state, const std::string& text, int threads) {
  host::EmulatedOptions options;
  options.chip.shards = threads;
  host::EmulatedDevice device(options);
  host::Chip chip(device);
  const loops::Program program = loops::parse(text);
  const loops::scalar::Code code = loops::scalar::compile(program, chip.harvesting());
  std::vector<host::Buffer> buffers;
  std::vector<loops::View> views;
  for (const loops::Parameter& p : program.parameters) {
    buffers.push_back(chip.allocate(host::Memory::Dram, p.bytes(), loops::kPageBytes));
    chip.write(buffers.back(), std::vector<std::byte>(p.bytes(), std::byte{0x3F}));
    views.push_back({buffers.back(), 0, p.bytes()});
  }
  const double before = bench::cpu_seconds();
  const uint64_t cycles_before = device.cycles();
  for (auto _ : state) loops::scalar::launch(chip, program, code, views, {});
  const auto launches = static_cast<double>(state.iterations());
  state.counters["cpu_s"] = (bench::cpu_seconds() - before) / launches;
  state.counters["device_cycles"] = static_cast<double>(device.cycles() - cycles_before) / launches;
}

void launch_row(const char* name, std::string text, int threads) {
  benchmark::RegisterBenchmark(
      fmt::format("LaunchLoops/{}/threads:{}", name, threads).c_str(),
      [text = std::move(text), threads](benchmark::State& state) { LaunchLoops(state, text, threads); })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

const bool kRegistered = [] {
  launch_row("one_core", fmt::format(kAdd, 64), 1);
  launch_row("mixed", kMixed, 2);
  launch_row("matmul_64_96_128", matmul(64, 96, 128), 2);
  launch_row("matmul_256", matmul(256, 256, 256), 2);
  launch_row("add", fmt::format(kAdd, 1 << 20), 2);
  launch_row("scatter", kScatter, 2);
  return true;
}();

// Chains of additions and multiplications, of a length that no kernel of tinygrad's tests has.
void CompileLoops(benchmark::State& state) {
  std::string text = "kernel long\nparam p0 f32 64\nparam p1 f32 64\n%i = loop i32 i32:64 weak\n%0 = load f32 p1[%i]\n";
  for (int64_t k = 1; k < state.range(0); ++k)
    text += fmt::format("%{} = {} f32 %{} %{}\n", k, k % 3 == 0 ? "mul" : "add", k - 1, k > 20 ? k - 20 : 0);
  text += fmt::format("store f32 p0[%i] %{}\nend %i\n", state.range(0) - 1);
  for (auto _ : state) {
    const loops::Program program = loops::parse(text);
    benchmark::DoNotOptimize(loops::scalar::compile(program, {}));
  }
}
BENCHMARK(CompileLoops)->Arg(12'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kerr
