// The dot product of MVMUL on every instruction set of this CPU: one MVMUL an iteration, 2,048 multiply-accumulates.
// docs/hardware/tensix-math.md 4, 14
#include <benchmark/benchmark.h>

#include <cstring>
#include <memory>
#include <random>

#include "emu/math/dot_product.hpp"
#include "emu/math/dot_product_kernels.hpp"

namespace kerr::emu::math {
namespace {

constexpr double kMacs = 8 * 16 * 16;

// Normally distributed BF16 numbers in both sources.
struct Operands {
  Operands() {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    for (unsigned r = 0; r < kSrcRows; ++r) {
      for (unsigned c = 0; c < kColumns; ++c) {
        for (SrcBank* bank : {a.get(), b.get()}) {
          const float value = normal(random);
          uint32_t bits;
          std::memcpy(&bits, &value, sizeof bits);
          bank->cells[r][c] = cell_from_bf16(static_cast<uint16_t>(bits >> 16));
        }
      }
    }
  }
  DstRows dst(const FpuMode& mode) { return {high, mode.wide() ? low : nullptr}; }
  void clear() {
    std::fill(std::begin(high), std::end(high), 0);
    std::fill(std::begin(low), std::end(low), 0);
  }

  std::unique_ptr<SrcBank> a = std::make_unique<SrcBank>(), b = std::make_unique<SrcBank>();
  alignas(64) uint16_t high[128] = {};
  alignas(64) uint16_t low[128] = {};
};

void Fast(benchmark::State& bench, const DotKernel& kernel, bool wide, unsigned phase) {
  FpuMode mode;
  mode.fp32_dst = wide;
  mode.phase = static_cast<uint8_t>(phase);
  Operands o;
  auto planes = std::make_unique<SrcPlanes>();
  kernel.split(o.a->cells, Side::A, mode.src_a, true, phase & 1, true, planes->block[0]);
  kernel.split(o.b->cells, Side::B, mode.src_b, true, phase >> 1, true, planes->block[1]);
  unsigned n = 0;
  for (auto _ : bench) {
    if (n++ % 64 == 0) o.clear();
    if (!kernel.fast(mode, planes->block[0], planes->block[1], n % 2 * 8, o.dst(mode), 8)) {
      return bench.SkipWithError("the fast form refuses this");
    }
    benchmark::ClobberMemory();
  }
  bench.counters["MAC"] = benchmark::Counter(kMacs, benchmark::Counter::kIsIterationInvariantRate);
}

void Any(benchmark::State& bench, const DotKernel& kernel, bool wide) {
  FpuMode mode;
  mode.fp32_dst = wide;
  Operands o;
  unsigned n = 0;
  for (auto _ : bench) {
    if (n++ % 64 == 0) o.clear();
    kernel.any(mode, *o.a, 16, *o.b, n % 2 * 8, o.dst(mode), 8);
    benchmark::ClobberMemory();
  }
  bench.counters["MAC"] = benchmark::Counter(kMacs, benchmark::Counter::kIsIterationInvariantRate);
}

// One slice of 16 rows.
void Split(benchmark::State& bench, const DotKernel& kernel, Side side) {
  Operands o;
  auto planes = std::make_unique<SrcPlanes>();
  for (auto _ : bench) {
    kernel.split(o.a->cells, side, Format::Bf16, true, 0, true, planes->block[0]);
    benchmark::ClobberMemory();
  }
}

const bool kRegistered = [] {
  for (const DotKernel& kernel : dot_kernels()) {
    const std::string name = kernel.name;
    for (const bool wide : {false, true}) {
      const std::string dst = wide ? "/fp32_dst" : "/bf16_dst";
      for (unsigned phase = 0; phase < 4; ++phase) {
        if (kernel.name == std::string("baseline")) continue;  // has none
        benchmark::RegisterBenchmark(("DotProduct/" + name + dst + "/phase:" + std::to_string(phase)).c_str(), Fast,
                                     kernel, wide, phase);
      }
      benchmark::RegisterBenchmark(("DotProductAnyExponents/" + name + dst).c_str(), Any, kernel, wide);
    }
    benchmark::RegisterBenchmark(("SplitSrcA/" + name).c_str(), Split, kernel, Side::A);
    benchmark::RegisterBenchmark(("SplitSrcB/" + name).c_str(), Split, kernel, Side::B);
  }
  return true;
}();

}  // namespace
}  // namespace kerr::emu::math
