#include "jobs/eval.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <string_view>

#include "graph/random.hpp"
#include "graph/stages.hpp"
#include "graph/tensor.hpp"
#include "host/runtime/chip.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "jobs/stopwatch.hpp"

namespace kerr::jobs {

namespace {

// The range of each operand: its own, that of all, or the one that the expression is made for.
Ranges ranges(const EvalJob& job) {
  Ranges all;
  if (!job.range_given()) all = graph::domains(job.graph);
  for (const auto& [name, operand] : job.operands) {
    if (operand.range) {
      all.insert_or_assign(name, *operand.range);
    } else if (job.range_given()) {
      all.insert_or_assign(name, graph::Range{job.low.value_or(kUsualRange.low), job.high.value_or(kUsualRange.high)});
    }
  }
  return all;
}

// Whole numbers that a format holds, of which a range must have some and nothing else.
void check_range(std::string_view name, kernels::Format format, const graph::Range& range) {
  const double most = format == kernels::Format::Int8     ? 127
                      : format == kernels::Format::Uint8  ? 255
                      : format == kernels::Format::Int16  ? 32767
                      : format == kernels::Format::Uint16 ? 65535
                                                          : 2147483647;
  const bool is_signed = format != kernels::Format::Uint8 && format != kernels::Format::Uint16;
  const double least = is_signed ? -most : 0;
  if (range.low < least - 1 || range.high > most + 1)
    throw std::invalid_argument(fmt::format("'{}' is to have numbers from {} to {}, and {} holds {:.0f} to {:.0f}",
                                            name, range.low, range.high, kernels::info(format).name, least, most));
  if (std::ceil(range.low) > std::floor(range.high))
    throw std::invalid_argument(fmt::format("'{}' is to have numbers of {} from {} to {}, where there is none", name,
                                            kernels::info(format).name, range.low, range.high));
}

graph::Inputs random_inputs(const EvalJob& job) {
  const Ranges given = ranges(job);
  graph::Inputs inputs;
  uint64_t seed = job.seed;
  for (const auto& [name, operand] : job.operands) {
    const kernels::Format format = operand.matrix.format.value_or(job.format);
    const auto [rows, columns] = operand.matrix.shape;
    const auto range = given.find(name);
    if (operand.range && kernels::is_integer(format)) check_range(name, format, *operand.range);
    // Between -1 and 1, and in other ranges that are derived, there are too few integers.
    const bool wide = range == given.end() || (kernels::is_integer(format) && !operand.range && !job.range_given());
    inputs.emplace(name,
                   wide ? graph::random_tensor(rows, columns, format, seed)
                        : graph::random_tensor(rows, columns, format, range->second.low, range->second.high, seed));
    seed += graph::kRandomStep;
  }
  return inputs;
}

}  // namespace

EvalOutcome run(const EvalJob& job, Listener& listener) {
  (void)graph::stages(job.graph, job.format, job.matmul);
  const graph::Inputs inputs = random_inputs(job);

  listener.begins("booting " + job.device.label());
  const OpenDevice device = open(job.device, job.watch);
  host::Chip chip(*device.device, device.chip_options);
  std::optional<host::CommandQueue> queue;
  if (!job.slow_dispatch) queue.emplace(chip);

  EvalOutcome out;
  const auto launch = [&](const host::Program& program) {
    const uint64_t before = device.cycles();
    if (queue) {
      queue->enqueue(program);
      queue->finish();
    } else {
      chip.run(program);
    }
    out.device_cycles += device.cycles() - before;
  };
  listener.begins("running");
  const Stopwatch watch;
  const graph::RunOptions options{.format = job.format, .matmul = job.matmul, .cores = job.cores, .launch = launch};
  const graph::Tensor result = graph::run(job.graph, inputs, chip, options, &out.stages);
  out.run_s = watch.seconds();
  out.remarks = device.remarks();
  out.shape = {result.rows, result.columns};
  out.hash = graph::hash(result);
  listener.begins("checking against float64");
  out.agreement = graph::check(job.graph, inputs, result, options);

  if (!job.range_given()) out.derived = graph::domains(job.graph);
  for (const auto& [name, operand] : job.operands) {
    if (operand.range) out.derived.erase(name);
  }
  return out;
}

}  // namespace kerr::jobs
