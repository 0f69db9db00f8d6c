// Loop programs: reading one, and lines that the interpreter executes.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "loops/interpret.hpp"
#include "loops/program.hpp"

namespace kerr {
namespace {

// 64 x 64 of 64 x 128 and 128 x 64.
constexpr char kMatmul[] =
    "kernel matmul\nparam p0 f32 4096\nparam p1 f32 8192\nparam p2 f32 8192\nreg r0 f32 1\n"
    "%i = loop i32 i32:64 weak\n%1 = shl i32 %i i32:7\n%2 = shl i32 %i i32:6\n%j = loop i32 i32:64 weak\n"
    "store f32 r0[i32:0] f32:0.0\n%k = loop i32 i32:128 reduce\n%3 = add i32 %1 %k\n%4 = load f32 p1[%3]\n"
    "%5 = shl i32 %k i32:6\n%6 = add i32 %5 %j\n%7 = load f32 p2[%6]\n%8 = mul f32 %4 %7\n%9 = load f32 r0[i32:0]\n"
    "%10 = add f32 %9 %8\nstore f32 r0[i32:0] %10\nend %k\n%11 = add i32 %2 %j\n%12 = load f32 r0[i32:0]\n"
    "store f32 p0[%11] %12\nend %j\nend %i\n";
constexpr char kSigmoid[] =
    "kernel sigmoid\nparam p0 f32 65536\nparam p1 f32 65536\n%1 = loop i32 i32:65536 weak\n%2 = load f32 p1[%1]\n"
    "%3 = mul f32 %2 f32:-1.442695\n%4 = exp2 f32 %3\n%5 = add f32 %4 f32:1.0\n%6 = fdiv f32 f32:1.0 %5\n"
    "store f32 p0[%1] %6\nend %1\n";

void InterpretLoops(benchmark::State& state, const char* text) {
  const loops::Program program = loops::parse(text);
  std::vector<std::vector<std::byte>> memories;
  std::vector<std::span<std::byte>> buffers;
  for (const loops::Parameter& p : program.parameters) memories.emplace_back(p.bytes(), std::byte{0x3F});
  for (auto& memory : memories) buffers.push_back(memory);
  uint64_t lines = 0;
  for (auto _ : state) lines += loops::interpret(program, buffers, {});
  state.counters["lines/s"] = benchmark::Counter(static_cast<double>(lines), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(InterpretLoops, matmul, kMatmul)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(InterpretLoops, sigmoid, kSigmoid)->Unit(benchmark::kMillisecond);

void ParseLoops(benchmark::State& state) {
  std::string text = "kernel long\nparam p0 i32 1\n%0 = load i32 p0[i32:0]\n";
  for (int64_t k = 1; k < state.range(0); ++k)
    text.append("%" + std::to_string(k) + " = add i32 %" + std::to_string(k - 1) + " i32:" + std::to_string(k) + "\n");
  for (auto _ : state) benchmark::DoNotOptimize(loops::parse(text));
}
BENCHMARK(ParseLoops)->Arg(12'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kerr
