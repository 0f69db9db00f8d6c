// One hart on a bare L1. Counts are instructions a second of CPU time, so that a busy machine does not blur them.
#include <benchmark/benchmark.h>

#include "bench/hart/programs.hpp"
#include "emu/riscv/hart.hpp"

namespace kerr::emu {
namespace {

using namespace bench;

struct NoBus final : HartBus {
  Access load(arch::Hart, uint32_t, unsigned, BusReply&) override { return Access::Fault; }
  Access store(arch::Hart, uint32_t, unsigned, uint32_t, BusReply&) override { return Access::Fault; }
  Access push(arch::Hart, uint32_t, uint32_t, bool, BusReply&) override { return Access::Fault; }
  WaitMask watch_of(arch::Hart, uint32_t) const override { return 0; }
  ClockPart clock_of(uint32_t) const override { return ClockPart::None; }
  uint32_t coprocessor_status(arch::Hart, bool) override { return 0; }
};

// `quantum`: cycles between two calls of run(), as the tile's agents make them.
void LoneHart(benchmark::State& state, Bytes (*program)()) {
  const auto quantum = static_cast<Cycle>(state.range(0));
  L1 l1;
  CodeCache code(l1);
  NoBus bus;
  FaultLog faults;
  Hart hart({}, arch::Hart::Brisc, l1, code, bus, faults);
  l1.write(kCode, program());
  hart.release_reset(kCode, 0, false);
  hart.run(0, 100'000 * 64);
  const HartState& now = hart.state();
  for (auto _ : state) {
    const Cycle end = now.cycle + 1'000'000 / 64 * 64;
    while (now.cycle < end && now.running()) hart.run(now.cycle, now.cycle + quantum);
  }
  if (!now.running()) return state.SkipWithError(hart.describe().c_str());
  state.counters["instructions/s"] =
      benchmark::Counter(static_cast<double>(now.instructions - 100'000 * 64), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(LoneHart, update_word, update_word)->Arg(1 << 20)->Arg(64);
BENCHMARK_CAPTURE(LoneHart, move_words, move_words)->Arg(1 << 20)->Arg(64);
BENCHMARK_CAPTURE(LoneHart, count_down, count_down)->Arg(1 << 20)->Arg(64);
BENCHMARK_CAPTURE(LoneHart, integer_mix, integer_mix)->Arg(1 << 20)->Arg(64);
BENCHMARK_CAPTURE(LoneHart, mixed_400, mixed_400)->Arg(1 << 20)->Arg(64);
BENCHMARK_CAPTURE(LoneHart, integer_dot, integer_dot)->Arg(1 << 20)->Arg(64);
BENCHMARK_CAPTURE(LoneHart, float_dot, float_dot)->Arg(1 << 20)->Arg(64);
BENCHMARK_CAPTURE(LoneHart, float_fused_dot, float_fused_dot)->Arg(1 << 20)->Arg(64);
BENCHMARK_CAPTURE(LoneHart, float_polynomial, float_polynomial)->Arg(1 << 20)->Arg(64);

}  // namespace
}  // namespace kerr::emu
