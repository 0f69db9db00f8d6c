// A product of FP32 numbers on the vector unit, and what the matrix unit does in that time: launches alone. Operands of
// both signs, whose sums cancel, are the emulator's slow case.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "bench/cpu_time.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "kernels/matmul/matmul.hpp"
#include "kernels/vector_product/vector_product.hpp"

namespace kerr {
namespace {

using kernels::Fidelity;
using kernels::Format;

host::Buffer random_pages(host::Chip& chip, uint32_t pages, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> number(-2, 2);
  std::vector<float> numbers(size_t{pages} * 1024);
  for (float& x : numbers) x = number(random);
  const host::Buffer buffer = chip.allocate(host::Memory::Dram, numbers.size() * 4, 4096);
  chip.write(buffer, std::as_bytes(std::span(numbers)));
  return buffer;
}

// Matrices are square; the first launch, which is not timed, takes the memory that later ones find.
template <class MakeProgram>
void product(benchmark::State& state, MakeProgram&& make_program) {
  const auto size = static_cast<uint32_t>(state.range(0)), tiles = size / 32;
  host::EmulatedDevice device({.chip = {.shards = static_cast<int>(state.range(2))}});
  host::Chip chip(device);
  const host::Buffer a = random_pages(chip, tiles * tiles, 1), b = random_pages(chip, tiles * tiles, 2),
                     c = random_pages(chip, tiles * tiles, 3);
  const auto cores = chip.workers().first(std::min<size_t>(static_cast<size_t>(state.range(1)), chip.workers().size()));
  const host::Program program = make_program(chip, cores, a, b, c);
  chip.run(program);
  const double before = bench::cpu_seconds();
  const uint64_t cycles = device.cycles();
  for (auto _ : state) chip.run(program);
  const auto launches = static_cast<double>(state.iterations());
  const double products = static_cast<double>(size) * size * size * launches;
  const double cpu = bench::cpu_seconds() - before;
  state.counters["cpu_s"] = cpu / launches;
  state.counters["MAC/s"] = benchmark::Counter(products, benchmark::Counter::kIsRate);
  state.counters["MAC/cpu_s"] = products / cpu;
  state.counters["device_cycles"] = static_cast<double>(device.cycles() - cycles) / launches;
}

void VectorProduct(benchmark::State& state) {
  const auto tiles = static_cast<uint32_t>(state.range(0)) / 32;
  product(state, [&](host::Chip& chip, auto cores, const auto& a, const auto& b, const auto& c) {
    return kernels::vector_product_program({.m_tiles = tiles, .n_tiles = tiles, .k_tiles = tiles}, chip.layout(), cores,
                                           {.a = a.address(), .b = b.address(), .c = c.address()});
  });
}

// `in`: FP32 as it lies in memory becomes TF32. Of BF16 the buffers are half used.
void MatrixProduct(benchmark::State& state, Fidelity fidelity, Format in) {
  const auto size = static_cast<uint64_t>(state.range(0));
  product(state, [&](host::Chip& chip, auto cores, const auto& a, const auto& b, const auto& c) {
    const kernels::MatmulPlan plan =
        kernels::plan_matmul_direct({size, size, size}, static_cast<uint32_t>(cores.size()),
                                    {.fidelity = fidelity, .fp32_accumulate = true, .in = in, .out = Format::Fp32});
    return kernels::matmul_program(plan, chip.layout(), cores, {.a = a.address(), .b = b.address(), .c = c.address()});
  });
}

void on_cores(benchmark::internal::Benchmark* b) {
  b->ArgNames({"size", "cores", "threads"})->Unit(benchmark::kMillisecond)->UseRealTime();
  for (const int threads : {1, 2}) {
    for (const int cores : {8, 1000}) b->Args({512, cores, threads});
  }
}
BENCHMARK(VectorProduct)->Apply(on_cores);
BENCHMARK_CAPTURE(MatrixProduct, LoFi_bf16, Fidelity::LoFi, Format::Bf16)->Apply(on_cores);
BENCHMARK_CAPTURE(MatrixProduct, HiFi4_fp32, Fidelity::HiFi4, Format::Fp32)->Apply(on_cores);

}  // namespace
}  // namespace kerr
