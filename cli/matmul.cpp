#include "cli/matmul.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "arch/banks.hpp"
#include "arch/harvesting.hpp"
#include "arch/memory_map.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/messages.hpp"
#include "cli/progress.hpp"
#include "cli/remarks.hpp"
#include "cli/verdict.hpp"
#include "cli/version.hpp"
#include "emu/machine/input_log.hpp"
#include "emu/machine/snapshot.hpp"
#include "graph/bounds.hpp"
#include "graph/evaluate.hpp"
#include "graph/parse.hpp"
#include "graph/random.hpp"
#include "graph/stages.hpp"
#include "graph/tensor.hpp"
#include "host/runtime/chip.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "kernels/matmul/matmul.hpp"
#include "report/json.hpp"

namespace kerr::cli {

namespace {

// Before a chip is booted for it.
void check_sizes(const MatmulRequest& r) {
  for (const auto& [name, size] : {std::pair{"M", r.m}, {"N", r.n}, {"K", r.k}}) {
    if (size >= 1 && size <= kernels::kLargestSize) continue;
    throw std::invalid_argument(
        fmt::format("'matmul {} {} {}': {} must be from 1 to {}.  Try 'kerr matmul 512 512 512'.", r.m, r.n, r.k, name,
                    kernels::kLargestSize));
  }
}

void check_outputs(const MatmulRequest& r);

// What cannot be asked for together.
void check(const MatmulRequest& r) {
  check_sizes(r);
  if (r.timeline.any() && !r.device.exact_timing) {
    throw std::invalid_argument(
        "'--utilisation', '--trace' and '--heat-map' need '--timing exact': relaxed cycles are no time");
  }
  if (r.repeat > 1 && r.launch == Launch::Overlapped)
    throw std::invalid_argument(
        "'--repeat' needs '--launch small-writes' or 'whole-writes': other launches have no time of their own");
  check_outputs(r);
}

// A matrix of a product: tiles in DRAM, one a page.
struct Matrix {
  const char* name;
  uint64_t tiles;
  kernels::Format format;
};

std::vector<Matrix> matrices_of(const kernels::MatmulPlan& p, bool bias) {
  const uint64_t batch = p.batch();
  std::vector<Matrix> all{{"A", batch * p.m_tiles * p.k_tiles, p.options.in},
                          {"B", batch * p.k_tiles * p.n_tiles, p.options.in},
                          {"C", batch * p.m_tiles * p.n_tiles, p.options.out}};
  if (bias) all.push_back({"the bias", p.n_tiles, *operand_format(p.options)});
  return all;
}

// What Chip::allocate() would say, before a device is there.
void check_memory(const kernels::MatmulPlan& p, const arch::Harvesting& harvesting, bool bias) {
  const auto banks = static_cast<uint64_t>(arch::good_dram_banks(harvesting));
  uint64_t bytes = 0;
  for (const Matrix& matrix : matrices_of(p, bias)) {
    const uint64_t page = (kernels::tile_bytes(matrix.format) + 63) / 64 * 64;
    bytes += (matrix.tiles + banks - 1) / banks * page;
  }
  constexpr uint64_t kUsable = arch::kDramRegisterBase - 64;
  if (bytes <= kUsable) return;
  constexpr double kGib = 1 << 30;
  throw std::invalid_argument(fmt::format(
      "the matrices take {:.1f} GiB of each DRAM bank, which has {:.1f}: the product exceeds the device's memory",
      static_cast<double>(bytes) / kGib, static_cast<double>(kUsable) / kGib));
}

void check_outputs(const MatmulRequest& r) {
  const NamedFile inputs[] = {{"--library", r.device.library}, {"--timing-parameters", r.device.timing_parameters_file}};
  const NamedFile outputs[] = {{"--save-queue", r.save_queue},
                               {"--record", r.record},
                               {"--snapshot", r.snapshot},
                               {"--trace", r.timeline.trace},
                               {"--heat-map", r.timeline.heat_map}};
  check_files(inputs, outputs);
}

// The epilogue's expression, of x alone.
kernels::Expression of_sum(const std::string& text) {
  const graph::Graph graph = graph::parse(text, [](std::string_view name) {
    if (name != "x")
      throw std::invalid_argument(
          fmt::format("an epilogue is made of x, an element of the product, not of '{}'", name));
    return graph::Shape{32, 32};
  });
  const std::vector<graph::Stage> stages = graph::stages(graph, kernels::Format::Bf16);
  const auto* elementwise = std::get_if<graph::ElementwiseStage>(&stages.front());
  if (stages.size() != 1 || !elementwise)
    throw std::invalid_argument(fmt::format("'{}' is not computed element by element: it cannot be an epilogue", text));
  return elementwise->expression;
}

std::shared_ptr<const kernels::MatmulEpilogue> epilogue_of(const MatmulRequest& r) {
  if (!r.bias && r.epilogue.empty()) return nullptr;
  kernels::MatmulEpilogue made;
  kernels::Expression::Node x = made.expression.input(0);
  if (r.bias) {
    const kernels::Expression::Node both[] = {x, made.expression.input(1)};
    x = made.expression.apply(kernels::Operation::Add, both);
    made.operands_have_rows = {false};
  }
  if (!r.epilogue.empty()) x = made.expression.insert(of_sum(r.epilogue), {{x}});
  made.expression.set_result(x);
  return std::make_shared<const kernels::MatmulEpilogue>(std::move(made));
}

struct DeviceTime {
  uint64_t total = 0;
  uint64_t begin = 0, end = 0;  // the go signal, the last core done; slow dispatch: of the whole
};

// examples/matmul_peak.py of boopdotpng/blackhole-py queues the program three times before the first one runs, and the
// table gives the quickest: while one runs, the prefetcher fetches the next one's commands as far as it comes.
constexpr uint32_t kBenchmarkLaunches = 3;

uint32_t launches_of(const MatmulRequest& r) {
  if (r.repeat != 0) return r.repeat;
  return r.launch != Launch::Overlapped && !r.profile ? kBenchmarkLaunches : 1;
}

// The time of each launch, in order.
std::vector<DeviceTime> launch(host::Chip& chip, const OpenDevice& device, const host::Program& program,
                               const MatmulRequest& request, OutputFile& queue_file, std::optional<Profile>& profile) {
  const uint64_t before = device.cycles();
  std::vector<DeviceTime> launches;
  if (request.slow_dispatch) {
    chip.run(program);
  } else {
    // The firmware that timed the compat plan's shapes on silicon starts one core after another. It matters: cores that
    // start at once feed each other in step, and their reads collide for longer (docs/performance/timing.md).
    host::QueueOptions options{.multicast_go = request.planner != Planner::Compat, .core_times = request.profile};
    const bool in_order = request.launch != Launch::Overlapped;
    if (in_order) {
      options.overlap = false;
      options.pieces = request.launch == Launch::SmallWrites ? host::cq::Pieces::Small : host::cq::Pieces::Whole;
    }
    host::CommandQueue queue(chip, options);
    if (request.profile) host::clear_zones(chip.io(), chip.workers());
    for (uint32_t i = 0; i < launches_of(request); ++i) queue.enqueue(program);
    const std::vector<host::CommandQueue::ProgramTime> times = queue.finish();
    for (const auto& time : times) {
      launches.push_back(
          {in_order ? time.end_cycles - time.first_command_cycles : 0, time.start_cycles, time.end_cycles});
    }
    if (request.profile) {
      profile.emplace(Profile{times.at(0), {}});
      std::vector<arch::NocCoord> cores;
      for (const auto& core : profile->time.cores) cores.push_back(core.core);
      profile->zones = host::read_zones(chip.io(), cores);
    }
    if (queue_file.wanted()) {
      queue_file.write(std::as_bytes(queue.region()));
      queue_file.finish();
    }
  }
  const uint64_t after = device.cycles();
  if (launches.empty()) launches.push_back({0, before, after});
  for (DeviceTime& l : launches)
    if (l.total == 0) l.total = after - before;
  return launches;
}

std::string formats(const kernels::MatmulOptions& o) {
  return o.in == o.out ? std::string(info(o.in).name) : fmt::format("{} to {}", info(o.in).name, info(o.out).name);
}
std::string_view accumulation(const kernels::MatmulOptions& o) {
  return o.int8() ? "int32" : o.dst32() ? "fp32" : o.in == kernels::Format::Fp16 ? "fp16" : "bf16";
}

void print_text(const MatmulOutcome& o) {
  const kernels::MatmulPlan& p = o.plan;
  const graph::Agreement& a = o.agreement;
  fmt::print("matmul {}{} x {} x {} (M N K), {}, {} fidelity phases, {} accumulation\n",
             p.batch() == 1 ? "" : fmt::format("{} times ", p.batch()), p.m, p.n, p.k, formats(p.options),
             static_cast<int>(p.options.fidelity), accumulation(p.options));
  if (p.options.epilogue)
    fmt::print("  epilogue      {}{}\n", p.options.epilogue->expression.text(), p.operands() != 0 ? ", $1 a row" : "");
  fmt::print("  board         {} ({})\n", o.board, o.device);
  fmt::print("  plan          {}\n", p.text());
  fmt::print("  cores         {} of {} workers\n", p.cores(), o.workers);
  fmt::print("  dispatch      {}\n",
             o.slow_dispatch ? "slow: the host writes every core" : "fast: command queue, prefetcher, dispatcher");
  fmt::print("  boot          {:.0f} ms, {} device cycles\n", o.boot_s * 1e3, o.boot_cycles);
  fmt::print("  device        {} cycles = {:.1f} us at {} MHz {}\n", o.device_cycles, o.microseconds(o.device_cycles),
             o.clock_mhz,
             o.timing == "relaxed" ? "(relaxed timing: one cycle an instruction, not a time)" : "from go to done");
  fmt::print("  with dispatch {} cycles = {:.1f} us{}\n", o.total_cycles, o.microseconds(o.total_cycles),
             o.launches.size() > 1 ? fmt::format(", the quickest of {} launches", o.launches.size()) : "");
  fmt::print("  host          {:.2f} s for the launch, {:.2f} s in all\n", o.run_s, o.wall_s);
  fmt::print("{}", agreement_text(a));
  fmt::print("  hash          {:016x}\n", o.hash);
  if (o.state_hash != 0) fmt::print("  state hash    {:016x}\n", o.state_hash);
  if (o.observed) {
    fmt::print(
        "  observed from power-on to the result, without what polling harts skip (--no-parking executes it):\n{}",
        report::text(*o.observed, "    "));
  }
  if (o.profile) fmt::print("  profile, in device cycles:\n{}", text(*o.profile, "    "));
  if (o.timeline) fmt::print("  utilisation:\n{}", text(*o.timeline, "    "));
  fmt::print("{}\n", verdict_text(a, {.product = true, .fp32 = p.options.dst32(), .fidelity = p.options.fidelity}));
}

report::Json launches_json(const MatmulOutcome& o) {
  report::Json json = report::Json::array();
  for (const LaunchTime& l : o.launches)
    json.push_back({{"device_us", o.microseconds(l.device_cycles)}, {"total_us", o.microseconds(l.total_cycles)}});
  return json;
}

void print_json(const MatmulOutcome& o) {
  const kernels::MatmulPlan& p = o.plan;
  report::Json json;
  add_verdict(json, o.agreement);
  json.update({
      {"hash", fmt::format("{:016x}", o.hash)},
      {"rounding_pcc",
       o.agreement.rounding ? report::Json(o.agreement.rounding->pcc) : report::Json()},
      {"requested", sizes_json(p.m, p.n, p.k)},
      {"executed", sizes_json(p.executed_m(), p.executed_n(), p.executed_k())},
      {"batch", p.batch()},
      {"cores", p.cores()},
      {"workers", o.workers},
      {"grid", {p.grid_rows, p.grid_columns}},
      {"mvmuls", p.mvmuls()},
      {"executed_mvmuls", o.executed.mvmuls},
      {"executed_tensix_instructions", o.executed.tensix_instructions},
      {"executed_hart_instructions", o.executed.hart_instructions},
      {"remarks", o.remarks},
      {"fidelity", static_cast<int>(p.options.fidelity)},
      {"fp32_accumulate", p.options.fp32_accumulate},
      {"in", info(p.options.in).name},
      {"out", info(p.options.out).name},
      {"epilogue",
       p.options.epilogue ? report::Json(p.options.epilogue->expression.text()) : report::Json()},
      {"slow_dispatch", o.slow_dispatch},
      {"timing", o.timing.empty() ? report::Json() : report::Json(o.timing)},
      {"device", o.device},
      {"board", o.board},
      {"boot_s", o.boot_s},
      {"boot_cycles", o.boot_cycles},
      {"device_cycles", o.device_cycles},
      {"device_us", o.microseconds(o.device_cycles)},
      {"total_cycles", o.total_cycles},
      {"total_us", o.microseconds(o.total_cycles)},
      {"launches", launches_json(o)},
      {"calibrated", o.timing == "exact"},
      {"run_s", o.run_s},
      {"wall_s", o.wall_s},
  });
  if (o.state_hash != 0) json["state_hash"] = fmt::format("{:016x}", o.state_hash);
  if (o.profile) json["profile"] = kerr::cli::json(*o.profile);
  if (o.observed) json["observed"] = report::json(*o.observed);
  if (o.timeline) json["utilisation"] = kerr::cli::json(*o.timeline);
  write_json(json);
}

// What the request wants to keep of the run. Destroyed early, it leaves no half file.
class Recording {
 public:
  Recording(host::EmulatedDevice* device, const MatmulRequest& request) : device_(device), request_(request) {
    if (!request.record.empty()) {
      recorder_.emplace(device->machine(), request.record);
      interrupts_.emplace();
    }
    if (request.snapshot.empty() && request.record.empty()) return;
    device->after_window([this](emu::Machine& machine) {
      if (!request_.snapshot.empty() && machine.now() >= request_.snapshot_at) save();
      if (interrupts_ && interrupts_->signal() != 0) finish_interrupted(machine);
    });
  }
  // The log of a run that failed is what one wants to replay.
  ~Recording() {
    if (device_) device_->after_window({});
    if (!recorder_ || finished_) return;
    try {
      recorder_->finish();
      say(fmt::format("'{}' holds the run up to where it failed, for 'kerr replay'", request_.record));
    } catch (const std::bad_alloc&) {
      say(fmt::format("no memory is left to finish '{}'", request_.record));
    } catch (const std::exception& error) {
      say(error.what());
    }
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  void finish() {
    if (!request_.snapshot.empty() && !saved_ && request_.snapshot_at != std::numeric_limits<uint64_t>::max()) {
      say(fmt::format("the run ended at device cycle {}, before --snapshot-at {}: '{}' is of its end",
                      device_->machine().now(), request_.snapshot_at, request_.snapshot));
    }
    if (!request_.snapshot.empty()) save();
    finished_ = true;
    if (recorder_) recorder_->finish();
    if (interrupts_ && interrupts_->signal() != 0) end_by(interrupts_->signal());
  }

 private:
  // The log of a run that had to be interrupted is what one wants to replay. Destructors would wait for the device.
  [[noreturn]] void finish_interrupted(emu::Machine& machine) {
    try {
      recorder_->finish();
      say(fmt::format("interrupted at device cycle {}: '{}' holds the run up to there, for 'kerr replay'\n{}",
                      machine.now(), request_.record, emu::text(machine.waits())));
    } catch (const std::exception& error) {
      say(error.what());
    }
    end_by(interrupts_->signal());
  }

  void save() {
    if (saved_) return;
    emu::save_snapshot(device_->machine(), request_.snapshot, static_cast<int>(std::thread::hardware_concurrency()));
    saved_ = true;
  }

  host::EmulatedDevice* const device_;
  const MatmulRequest& request_;
  std::optional<emu::InputRecorder> recorder_;
  std::optional<DeferInterrupts> interrupts_;
  bool saved_ = false, finished_ = false;
};

}  // namespace

kernels::MatmulPlan plan_for(const MatmulRequest& r, std::span<const arch::NocCoord> workers,
                             const arch::FirmwareLayout& layout) {
  check_sizes(r);
  const auto m = static_cast<uint64_t>(r.m), n = static_cast<uint64_t>(r.n),
             k = static_cast<uint64_t>(r.k);
  if (r.cores != 0 && r.cores < workers.size()) workers = workers.first(r.cores);
  kernels::MatmulOptions options = r.options;
  if (options.int8() && !r.fidelity_given) options.fidelity = kernels::Fidelity::HiFi4;  // fewer phases lose bits
  options.zones = r.profile;
  options.epilogue = epilogue_of(r);
  const kernels::MatmulCores cores{workers, arch::kL1Bytes - layout.unreserved};
  switch (r.planner) {
    case Planner::Direct:
      return kernels::plan_matmul_direct(m, n, k, static_cast<uint32_t>(workers.size()), options);
    case Planner::Multicast: return kernels::plan_matmul_multicast(m, n, k, cores, options);
    case Planner::Compat: return kernels::plan_matmul_compat(m, n, k, cores, options);
    default: return kernels::plan_matmul(m, n, k, cores, options);
  }
}

kernels::MatmulPlan plan_without_device(const MatmulRequest& request) {
  check(request);
  const arch::Harvesting& harvesting = board_named(request.device.board).harvesting;
  const auto workers = arch::worker_tiles(harvesting);
  arch::FirmwareLayout layout = arch::kFwB;
  layout.dram_banks = static_cast<uint32_t>(arch::good_dram_banks(harvesting));
  kernels::MatmulPlan plan = plan_for(request, {workers.begin(), workers.size()}, layout);
  check_memory(plan, harvesting, request.bias);
  return plan;
}

report::Json sizes_json(uint64_t m, uint64_t n, uint64_t k) {
  return {{"m", m}, {"n", n}, {"k", k}};
}

MatmulOutcome run_matmul(const MatmulRequest& request, bool quiet) {
  check(request);
  if (request.device.is_emulated()) (void)plan_without_device(request);
  OutputFile queue_file(request.save_queue);
  TimelineFiles timeline_files(request.timeline);
  const Stopwatch wall;
  Progress progress(quiet);
  MatmulOutcome out;
  out.slow_dispatch = request.slow_dispatch;

  progress.step("booting " + request.device.label());
  const Stopwatch boot;
  DeviceChoice choice = request.device;
  choice.timeline = request.timeline.any();
  const OpenDevice device = open_device(choice);
  Recording recording(device.emulated, request);
  host::Chip chip(*device.device, device.chip_options);
  out.boot_s = boot.seconds();
  out.boot_cycles = device.cycles();
  out.device = device.kind;
  if (request.device.timing_parameters) out.clock_mhz = request.device.timing_parameters->clock_mhz;
  if (device.emulated) out.timing = request.device.exact_timing ? "exact" : "relaxed";
  out.board = chip.board_name();
  out.workers = static_cast<uint32_t>(chip.workers().size());

  out.plan = plan_for(request, chip.workers(), chip.layout());
  const kernels::MatmulPlan& plan = out.plan;

  const uint32_t batch = plan.batch();
  const auto tensor = [&](uint64_t tile_rows, uint64_t tile_columns, kernels::Format format) {
    return chip.allocate(host::Memory::Dram, tile_rows * tile_columns * kernels::tile_bytes(format),
                         kernels::tile_bytes(format));
  };
  const host::Buffer device_a = tensor(uint64_t{batch} * plan.m_tiles, plan.k_tiles, plan.options.in);
  const host::Buffer device_b = tensor(uint64_t{batch} * plan.k_tiles, plan.n_tiles, plan.options.in);
  const host::Buffer device_c = tensor(uint64_t{batch} * plan.m_tiles, plan.n_tiles, plan.options.out);

  progress.step("making and uploading the operands");
  const graph::Tensor a = graph::random_tensor(batch * plan.m, plan.k, plan.options.in, request.seed);
  const graph::Tensor b =
      graph::random_tensor(batch * plan.k, plan.n, plan.options.in, request.seed + graph::kRandomStep);
  chip.write(device_a, graph::batch_to_tiles(a, batch, plan.m_tiles, plan.k_tiles));
  chip.write(device_b, graph::batch_to_tiles(b, batch, plan.k_tiles, plan.n_tiles));

  kernels::MatmulBuffers addresses{device_a.address(), device_b.address(), device_c.address()};
  std::optional<host::Buffer> device_bias;
  graph::Tensor bias;
  if (request.bias) {
    bias = graph::random_tensor(1, plan.n, *operand_format(plan.options), request.seed + 2 * graph::kRandomStep);
    device_bias = tensor(1, plan.n_tiles, bias.format);
    graph::Tensor rows{32, plan.n, bias.format, {}};
    for (int i = 0; i < 32; ++i) rows.values.insert(rows.values.end(), bias.values.begin(), bias.values.end());
    chip.write(*device_bias, graph::to_tiles(rows, 1, plan.n_tiles));
    addresses.operands.push_back(device_bias->address());
  }

  progress.step(fmt::format("running on {} cores", plan.cores()));
  const host::Program program = kernels::matmul_program(plan, chip.layout(), chip.workers(), addresses);
  const Stopwatch run;
  const std::vector<DeviceTime> launches = launch(chip, device, program, request, queue_file, out.profile);
  const DeviceTime time = std::ranges::min(launches, {}, &DeviceTime::total);
  for (const DeviceTime& l : launches) out.launches.push_back({l.end - l.begin, l.total});
  out.device_cycles = time.end - time.begin;
  out.total_cycles = time.total;
  out.run_s = run.seconds();
  if (device.executed) out.executed = device.executed();
  if (request.hash_state && device.emulated) out.state_hash = device.emulated->state_hash();
  out.remarks = count_of_remarks(device);
  say_remarks(device);
  if (device.events) out.observed = device.events->total();
  if (device.timeline) {
    const uint64_t first = request.launch == Launch::Overlapped ? time.begin : time.end - time.total;
    out.timeline =
        outcome_of(*device.timeline, timeline_files, first, time.end,
                   request.device.timing_parameters.value_or(emu::timing::kBlackhole),
                   fmt::format("kerr matmul {} {} {}: {} cycles", request.m, request.n, request.k, time.end - first),
                   &board_named(request.device.board).harvesting);
  }

  progress.step("reading back and checking against float64");
  std::vector<std::byte> tiles(device_c.bytes());
  chip.read(device_c, tiles);
  graph::Tensor c{batch * plan.m, plan.n, plan.options.out, {}};
  graph::batch_from_tiles(tiles, batch, plan.n_tiles, c);
  out.hash = graph::hash(c);
  graph::Finish finish;
  if (plan.options.epilogue) {
    finish.precision = *operand_format(plan.options);
    finish.padding = graph::evaluate(plan.options.epilogue->expression, std::array{0.0, 0.0});
    finish.element = [&](double sum, uint32_t, uint32_t column) {
      const double inputs[] = {sum, request.bias ? bias.values[column] : 0.0};
      return graph::evaluate(plan.options.epilogue->expression, inputs);
    };
    finish.bounds = [&](const graph::Bounded& sum, uint32_t, uint32_t column) {
      const graph::Bounded inputs[] = {sum, graph::Bounded::exactly(request.bias ? bias.values[column] : 0.0)};
      return graph::apply(plan.options.epilogue->expression, inputs);
    };
  }
  out.agreement = graph::check_matmul(a, b, c, request.device.threads, finish, batch, plan.options);
  recording.finish();
  out.wall_s = wall.seconds();
  return out;
}

int matmul_command(const MatmulRequest& request) {
  const MatmulOutcome outcome = run_matmul(request);
  request.json ? print_json(outcome) : print_text(outcome);
  return outcome.agreement.good() ? 0 : 1;
}

}  // namespace kerr::cli
