#include "jobs/matmul.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "graph/bounds.hpp"
#include "graph/evaluate.hpp"
#include "graph/random.hpp"
#include "graph/tensor.hpp"
#include "graph/transfer.hpp"
#include "host/runtime/chip.hpp"
#include "jobs/launch_styles.hpp"
#include "jobs/stopwatch.hpp"
#include "kernels/matmul/matmul.hpp"

namespace kerr::jobs {

namespace {

// What cannot be asked for together.
void check(const MatmulJob& job) {
  check(job.observing, job.device);
  if (job.repeat > 1 && job.launch == Launch::Overlapped)
    throw std::invalid_argument("overlapped launches have no time of their own: they cannot be repeated");
}

// That given numbers are what the plan multiplies.
void check(const std::optional<OwnNumbers>& own, const char* name, uint32_t batch, uint32_t rows, uint32_t columns,
           kernels::Format format) {
  if (!own) return;
  const graph::Tensor& t = own->tensor;
  if (own->batch == batch && t.rows == batch * rows && t.columns == columns && t.format == format) return;
  throw std::invalid_argument(fmt::format(
      "{} is {} times {} x {} in {}, and the product wants {} times {} x {} in {}", name, own->batch,
      t.rows / own->batch, t.columns, kernels::info(t.format).name, batch, rows, columns, kernels::info(format).name));
}

struct DeviceTime {
  uint64_t total = 0;
  uint64_t begin = 0, end = 0;  // the go signal, the last core done; slow dispatch: of the whole
};

// examples/matmul_peak.py of boopdotpng/blackhole-py queues the program three times before the first one runs, and the
// table gives the quickest: while one runs, the prefetcher fetches the next one's commands as far as it comes.
constexpr uint32_t kBenchmarkLaunches = 3;

uint32_t launches_of(const MatmulJob& job) {
  if (job.repeat != 0) return job.repeat;
  return job.launch != Launch::Overlapped && !job.profile ? kBenchmarkLaunches : 1;
}

// The time of each launch, in order. `out`: gets the profile and the queue's memory.
std::vector<DeviceTime> launch_by_queue(host::Chip& chip, const host::Program& program, const MatmulJob& job,
                                        MatmulOutcome& out) {
  // The firmware that timed the compat plan's shapes on silicon starts one core after another. It matters: cores that
  // start at once feed each other in step, and their reads collide for longer (docs/performance/timing.md).
  host::QueueOptions options{.multicast_go = job.planner != Planner::Compat, .core_times = job.profile};
  const bool in_order = job.launch != Launch::Overlapped;
  if (in_order) {
    options.overlap = false;
    options.launch_policy = job.launch == Launch::SmallWrites ? &small_writes() : &whole_writes();
  }
  host::CommandQueue queue(chip, options);
  if (job.profile) host::clear_zones(chip.io(), chip.workers());
  for (uint32_t i = 0; i < launches_of(job); ++i) queue.enqueue(program);
  const std::vector<host::CommandQueue::ProgramTime> times = queue.finish();
  std::vector<DeviceTime> launches;
  for (const auto& time : times) {
    launches.push_back(
        {in_order ? time.end_cycles - time.first_command_cycles : 0, time.start_cycles, time.end_cycles});
  }
  if (job.profile) {
    out.profile.emplace(Profile{times.at(0), {}});
    std::vector<arch::NocCoord> cores;
    for (const auto& core : out.profile->time.cores) cores.push_back(core.core);
    out.profile->zones = host::read_zones(chip.io(), cores);
  }
  if (job.keep_queue) out.queue_memory.assign(queue.region().begin(), queue.region().end());
  return launches;
}

// Fills in the times. Returns that of the quickest launch.
DeviceTime launch(host::Chip& chip, const OpenDevice& device, const host::Program& program, const MatmulJob& job,
                  MatmulOutcome& out) {
  const Stopwatch run;
  const uint64_t before = device.cycles();
  std::vector<DeviceTime> launches;
  if (job.slow_dispatch)
    chip.run(program);
  else
    launches = launch_by_queue(chip, program, job, out);
  const uint64_t after = device.cycles();
  if (launches.empty()) launches.push_back({0, before, after});
  for (DeviceTime& l : launches) {
    if (l.total == 0) l.total = after - before;
    out.launches.push_back({l.end - l.begin, l.total});
  }
  const DeviceTime quickest = std::ranges::min(launches, {}, &DeviceTime::total);
  out.device_cycles = quickest.end - quickest.begin;
  out.total_cycles = quickest.total;
  out.run_s = run.seconds();
  return quickest;
}

// Operands on the host and on the device, and where the result will be.
struct Matrices {
  host::Buffer device_a, device_b, device_c;
  graph::Tensor a, b;
  graph::Tensor bias{};  // one row, or empty
  std::optional<host::Buffer> device_bias{};

  kernels::MatmulBuffers addresses() const {
    kernels::MatmulBuffers all{device_a.address(), device_b.address(), device_c.address()};
    if (device_bias) all.operands.push_back(device_bias->address());
    return all;
  }
};

Matrices upload(host::Chip& chip, const kernels::MatmulPlan& plan, const MatmulJob& job) {
  const uint32_t batch = plan.batch();
  graph::Tensor a = job.a ? job.a->tensor : graph::random_tensor(batch * plan.m, plan.k, plan.options.in, job.seed);
  graph::Tensor b = job.b
                        ? job.b->tensor
                        : graph::random_tensor(batch * plan.k, plan.n, plan.options.in, job.seed + graph::kRandomStep);
  const host::Buffer device_a = graph::upload(chip, a, plan.m_tiles, plan.k_tiles, 0, batch);
  const host::Buffer device_b = graph::upload(chip, b, plan.k_tiles, plan.n_tiles, 0, batch);
  Matrices all{
      .device_a = device_a,
      .device_b = device_b,
      .device_c = graph::allocate(chip, plan.options.out, uint64_t{batch} * plan.m_tiles * plan.n_tiles),
      .a = std::move(a),
      .b = std::move(b),
  };
  chip.name(all.device_a, "A");
  chip.name(all.device_b, "B");
  chip.name(all.device_c, "C");
  if (!job.bias) return all;
  all.bias = graph::random_tensor(1, plan.n, *operand_format(plan.options), job.seed + 2 * graph::kRandomStep);
  graph::Tensor rows{32, plan.n, all.bias.format, {}};
  for (int i = 0; i < 32; ++i) rows.values.insert(rows.values.end(), all.bias.values.begin(), all.bias.values.end());
  all.device_bias = graph::upload(chip, rows, 1, plan.n_tiles);
  chip.name(*all.device_bias, "bias");
  return all;
}

// What float64 does to each sum behind the product.
graph::Finish finish_of(const kernels::MatmulPlan& plan, const graph::Tensor& bias) {
  if (!plan.options.epilogue) return {};
  const kernels::Expression& expression = plan.options.epilogue->expression;
  const auto bias_at = [&bias](uint32_t column) { return bias.values.empty() ? 0.0 : double{bias.values[column]}; };
  return {.element =
              [&expression, bias_at](double sum, uint32_t, uint32_t column) {
                const double inputs[] = {sum, bias_at(column)};
                return graph::evaluate(expression, inputs);
              },
          .precision = *operand_format(plan.options),
          .padding = graph::evaluate(expression, std::array{0.0, 0.0}),
          .bounds =
              [&expression, bias_at](const graph::Bounded& sum, uint32_t, uint32_t column) {
                const graph::Bounded inputs[] = {sum, graph::Bounded::exactly(bias_at(column))};
                return graph::apply(expression, inputs);
              }};
}

void check_product(host::Chip& chip, const Matrices& matrices, unsigned threads, MatmulOutcome& out) {
  const kernels::MatmulPlan& plan = out.plan;
  const graph::Tensor& c = out.product = graph::download(
      chip, matrices.device_c, {plan.batch() * plan.m, plan.n, plan.options.out, {}}, plan.n_tiles, plan.batch());
  out.hash = graph::hash(c);
  out.agreement = graph::check_matmul(matrices.a, matrices.b, c, threads, finish_of(plan, matrices.bias), plan.batch(),
                                      plan.options);
}

}  // namespace

MatmulOutcome run(const MatmulJob& job, Listener& listener) {
  check(job);
  if (job.device.is_emulated()) (void)plan_without_device(job);
  const Stopwatch wall;
  MatmulOutcome out;

  listener.begins("booting " + job.device.label());
  const Stopwatch boot;
  ObservedDevice device(job.device, job.observing, listener);
  host::Chip chip(*device->device, device->chip_options);
  out.boot_s = boot.seconds();
  out.boot_cycles = device->cycles();
  out.device = device->kind;
  out.clock_mhz = job.device.emulator.parameters.clock_mhz;
  if (device->emulated) out.timing = job.device.emulator.exact() ? "exact" : "relaxed";
  out.board = chip.board_name();
  out.workers = static_cast<uint32_t>(chip.workers().size());
  out.plan = plan(job, chip.workers(), chip.layout());
  check(job.a, "A", out.plan.batch(), out.plan.m, out.plan.k, out.plan.options.in);
  check(job.b, "B", out.plan.batch(), out.plan.k, out.plan.n, out.plan.options.in);

  listener.begins("making and uploading the operands");
  const Matrices matrices = upload(chip, out.plan, job);

  listener.begins(fmt::format("running on {} cores", out.plan.cores()));
  const host::Program program = kernels::matmul_program(out.plan, chip.layout(), chip.workers(), matrices.addresses());
  const DeviceTime time = launch(chip, *device, program, job, out);
  const uint64_t first = job.launch == Launch::Overlapped ? time.begin : time.end - time.total;
  static_cast<Observation&>(out) = device.look(first, time.end);

  listener.begins("reading back and checking against float64");
  check_product(chip, matrices, static_cast<unsigned>(job.device.emulator.shards), out);
  device.finish(out);
  out.wall_s = wall.seconds();
  return out;
}

MatmulOutcome run(const MatmulJob& job) {
  Listener nobody;
  return run(job, nobody);
}

}  // namespace kerr::jobs
