#include "jobs/eval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>

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

graph::Inputs inputs_of(const EvalJob& job) {
  const Ranges given = ranges(job);
  graph::Inputs inputs;
  uint64_t seed = job.seed;
  for (const auto& [name, operand] : job.operands) {
    const kernels::Format format = operand.matrix.format.value_or(job.format);
    const auto [rows, columns] = operand.matrix.shape;
    const auto range = given.find(name);
    if (operand.own) {
      inputs.emplace(name, operand.own->tensor);
      seed += graph::kRandomStep;
      continue;
    }
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
  check(job.observing, job.device);
  (void)graph::stages(job.graph, job.format, job.matmul);
  const graph::Inputs inputs = inputs_of(job);

  listener.begins("booting " + job.device.label());
  ObservedDevice device(job.device, job.observing, listener);
  host::Chip chip(*device->device, device->chip_options);
  std::optional<host::CommandQueue> queue;
  if (!job.slow_dispatch) queue.emplace(chip);

  EvalOutcome out;
  const auto launch = [&](const host::Program& program) {
    const uint64_t before = device->cycles();
    ProgramTime time{.name = program.name(), .begin = before};
    if (queue) {
      queue->enqueue(program);
      const auto times = queue->finish();
      time.begin = times.at(0).start_cycles;
      time.end = times.at(0).end_cycles;
    } else {
      chip.run(program);
      time.end = device->cycles();
    }
    out.device_cycles += device->cycles() - before;
    out.programs.push_back(std::move(time));
  };
  listener.begins("running");
  const Stopwatch watch;
  const graph::RunOptions options{.format = job.format, .matmul = job.matmul, .cores = job.cores, .launch = launch};
  out.result = graph::run(job.graph, inputs, chip, options, &out.stages);
  out.run_s = watch.seconds();
  out.clock_mhz = job.device.emulator.parameters.clock_mhz;
  const bool any = !out.programs.empty();
  static_cast<Observation&>(out) = device.look(any ? out.programs.front().begin : 0, any ? out.programs.back().end : 0);
  if (out.timeline) {
    for (const ProgramTime& p : out.programs)
      out.utilisations.push_back(
          report::utilisation(*out.timeline->timeline, p.begin, p.end, job.device.emulator.parameters));
  }
  out.hash = graph::hash(out.result);
  listener.begins("checking against float64");
  out.agreement = graph::check(job.graph, inputs, out.result, options);
  device.finish(out);

  if (!job.range_given()) out.derived = graph::domains(job.graph);
  for (const auto& [name, operand] : job.operands) {
    if (operand.range || operand.own) out.derived.erase(name);
  }
  return out;
}

EvalPlan explain(const EvalJob& job) {
  check(job.observing, job.device);
  (void)graph::stages(job.graph, job.format, job.matmul);
  graph::Inputs inputs;
  for (const auto& [name, operand] : job.operands) {
    const auto [rows, columns] = operand.matrix.shape;
    inputs.emplace(name, graph::Tensor{rows, columns, operand.matrix.format.value_or(job.floats()), {}});
  }
  const OpenDevice device = open(job.device);
  host::Chip chip(*device.device, device.chip_options);
  EvalPlan out;
  const auto note = [&](const host::Program& program) {
    PlannedProgram& planned = out.programs.emplace_back(PlannedProgram{.name = program.name()});
    planned.l1_bytes = program.l1_end() - program.layout().unreserved;
    for (const host::Program::Kernel& kernel : program.kernels()) {
      planned.cores = std::max(planned.cores, kernel.cores.size());
      planned.kernels.push_back({kernel.image->name, kernel.hart, 0});
      for (const image::Segment& segment : kernel.image->segments) planned.kernels.back().bytes += segment.bytes.size();
    }
    for (const auto& [id, buffer] : program.circular_buffers())
      planned.circular_buffers.push_back({id, buffer.config.pages, buffer.config.page_bytes});
  };
  const graph::RunOptions options{
      .format = job.format, .matmul = job.matmul, .cores = job.cores, .launch = note, .without_numbers = true};
  (void)graph::run(job.graph, inputs, chip, options, &out.stages);
  return out;
}

}  // namespace kerr::jobs
