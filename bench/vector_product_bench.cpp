// An FP32 product on the vector unit, the launch alone.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "bench/cpu_time.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "kernels/vector_product/vector_product.hpp"

namespace kerr {
namespace {

// Numbers of both signs: sums that cancel are the emulator's slow case.
host::Buffer random_pages(host::Chip& chip, uint32_t pages, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> number(-2, 2);
  std::vector<float> numbers(size_t{pages} * 1024);
  for (float& x : numbers) x = number(random);
  const host::Buffer buffer = chip.allocate(host::Memory::Dram, numbers.size() * 4, 4096);
  chip.write(buffer, std::as_bytes(std::span(numbers)));
  return buffer;
}

void VectorProduct(benchmark::State& state) {
  const auto size = static_cast<uint32_t>(state.range(0)), tiles = size / 32;
  host::EmulatedDevice device({.chip = {.shards = static_cast<int>(state.range(1))}});
  host::Chip chip(device);
  const host::Buffer a = random_pages(chip, tiles * tiles, 1), b = random_pages(chip, tiles * tiles, 2),
                     c = random_pages(chip, tiles * tiles, 3);
  const host::Program program = kernels::vector_product_program(
      {.m_tiles = tiles, .n_tiles = tiles, .k_tiles = tiles}, chip.layout(), chip.workers().first(std::min<size_t>(getenv("VP_CORES") ? atoi(getenv("VP_CORES")) : 1000, chip.workers().size())),
      {.a = a.address(), .b = b.address(), .c = c.address()});
  const double before = bench::cpu_seconds();
  for (auto _ : state) chip.run(program);
  const auto launches = static_cast<double>(state.iterations());
  const double products = static_cast<double>(size) * size * size;
  state.counters["cpu_s"] = (bench::cpu_seconds() - before) / launches;
  state.counters["MAC/s"] = benchmark::Counter(products * launches, benchmark::Counter::kIsRate);
  state.counters["MAC/cpu_s"] = products * launches / (bench::cpu_seconds() - before);
}
BENCHMARK(VectorProduct)
    ->ArgNames({"size", "threads"})
    ->Args({256, 1})
    ->Args({512, 1})
    ->Args({512, 2})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace kerr
