// What a check costs: the same job plain and before the eyes of the checker, by turns.   docs/reference/checker.md
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "arch/banks.hpp"
#include "arch/bytes.hpp"
#include "arch/tile_registers.hpp"
#include "bench/cpu_time.hpp"
#include "bench/hart/programs.hpp"
#include "check/checker.hpp"
#include "emu/machine/machine.hpp"
#include "graph/parse.hpp"
#include "jobs/eval.hpp"
#include "jobs/matmul.hpp"

namespace kerr {
namespace {

using Mode = check::Watching::Mode;
using Job = std::function<void(Mode)>;  // from the command line's words to the verified result, on one thread

// `times`: CPU seconds of the job with the check in units of those without.
void Check(benchmark::State& state, Mode mode, const Job& job) {
  job(Mode::Off);
  double plain = 0, checked = 0;
  for (auto _ : state) {
    const double begin = bench::cpu_seconds();
    job(Mode::Off);
    const double middle = bench::cpu_seconds();
    job(mode);
    plain += middle - begin;
    checked += bench::cpu_seconds() - middle;
  }
  state.counters["plain_s"] = plain / static_cast<double>(state.iterations());
  state.counters["times"] = checked / plain;
}

void add(const std::string& name, const Job& job) {
  for (const auto& [mode, suffix] : {std::pair{Mode::All, "All"}, std::pair{Mode::Memory, "Memory"}}) {
    benchmark::RegisterBenchmark(fmt::format("Check{}/{}", suffix, name).c_str(), [mode, job](benchmark::State& state) {
      Check(state, mode, job);
    })->Unit(benchmark::kMillisecond);
  }
}

void add_matmul(uint64_t size) {
  add(fmt::format("matmul_{}", size), [size](Mode mode) {
    jobs::MatmulJob job{.shape = {size, size, size}};
    job.device.emulator.shards = 1;
    job.observing.check.watching.mode = mode;
    jobs::run(job);
  });
}

void add_expression(const char* name, std::string_view expression, uint32_t size) {
  add(fmt::format("{}_{}", name, size), [expression, size](Mode mode) {
    jobs::EvalJob job{.graph = graph::parse(expression, [&](std::string_view) { return graph::Shape{size, size}; })};
    for (const char* operand : {"a", "b"})
      if (expression.find(operand) != std::string_view::npos)
        job.operands.emplace(operand, jobs::Operand{.matrix = graph::Matrix({size, size})});
    job.device.emulator.shards = 1;
    job.observing.check.watching.mode = mode;
    jobs::Listener nobody;
    jobs::run(job, nobody);
  });
}

// A hart that runs `program`, which has no end.
void CheckHart(benchmark::State& state, const bench::Bytes& program) {
  double spent[2] = {};
  check::Checker checker({arch::kP150});
  std::unique_ptr<emu::Machine> machines[2];
  for (const int checked : {0, 1}) {
    machines[checked] =
        std::make_unique<emu::Machine>(emu::Options{.boards = {arch::kP150}, .observer = checked ? &checker : nullptr});
    emu::Chip& chip = machines[checked]->chip(0);
    const arch::NocCoord at = *arch::tensix_tiles(arch::kP150.harvesting).begin();
    const auto set = [&](uint64_t address, uint32_t value) {
      chip.write_coordinate(at.x, at.y, address, arch::as_uint8(value));
    };
    chip.write_coordinate(at.x, at.y, bench::kCode, program);
    set(0, arch::jal_word(bench::kCode));
    set(arch::kSoftReset0, arch::kSoftResetBriscRuns);
    machines[checked]->advance(22 * 256);
  }
  for (auto _ : state) {
    for (const int checked : {0, 1}) {
      const double begin = bench::cpu_seconds();
      machines[checked]->advance(checked ? 1 << 18 : 1 << 21);
      spent[checked] += (bench::cpu_seconds() - begin) * (checked ? 8 : 1);
    }
  }
  state.counters["times"] = spent[1] / spent[0];
}
BENCHMARK_CAPTURE(CheckHart, update_word, bench::update_word())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(CheckHart, move_words, bench::move_words())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(CheckHart, integer_dot, bench::integer_dot())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(CheckHart, integer_mix, bench::integer_mix())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(CheckHart, mixed_400, bench::mixed_400())->Unit(benchmark::kMillisecond);

const bool kRegistered = [] {
  add_matmul(256);
  add_matmul(512);
  add_matmul(1024);
  add_expression("add", "a + b", 1024);
  add_expression("exp", "exp(a) * b", 1024);
  add_expression("sum_rows", "sum(a, axis=1)", 1024);
  add_expression("sum", "sum(a)", 1024);
  add_expression("transpose", "a.T", 1024);
  return true;
}();

}  // namespace
}  // namespace kerr
