#include "jobs/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "emu/machine/machine.hpp"
#include "jobs/run/debugging.hpp"
#include "jobs/run/ways.hpp"
#include "jobs/stopwatch.hpp"
#include "report/execution_log.hpp"

namespace kerr::jobs {

bool RunCode::is_code(const image::Segment& segment) const {
  return segment.executable || segment.contains(image->entry);
}

bool RunCode::contains(uint32_t pc) const {
  return std::ranges::any_of(image->segments, [&](const image::Segment& s) { return is_code(s) && s.contains(pc); });
}

bool loops_in_place(const emu::HartState& state) {
  return state.parked() && (state.waits_for & ~emu::wait::kTime) == 0;
}

emu::Tile& tile_of(const OpenDevice& device, const arch::Harvesting& harvesting, arch::NocCoord core) {
  const arch::NocCoord raw = arch::raw_of(arch::translation_tables(harvesting, 0), 0, core);
  return device.emulated->machine().chip(0).tiles.at_present(emu::TileId::at(0, raw.x, raw.y).node);
}

std::vector<arch::NocCoord> cores_of(const RunJob& job, const RunKernel& kernel,
                                     std::span<const arch::NocCoord> workers) {
  return (kernel.cores.empty() ? job.cores : kernel.cores).among(workers);
}

std::vector<arch::NocCoord> cores_of(const RunJob& job, std::span<const arch::NocCoord> workers) {
  std::set<arch::NocCoord> all;
  for (const RunKernel& kernel : job.kernels)
    for (const arch::NocCoord core : cores_of(job, kernel, workers)) all.insert(core);
  return {all.begin(), all.end()};
}

namespace {

void refuse(const std::string& sentence) { throw std::invalid_argument(sentence); }

bool wants_registers(const RunJob& job) {
  return std::ranges::any_of(job.dumps, [](const PlacedData& d) { return d.place.area == Place::Area::Registers; });
}

void follow(report::ExecutionLog& log, const OpenDevice& device, Way& way) {
  for (const RunCode& code : way.code()) {
    report::HartCode hart{.core = code.core, .hart = code.hart, .begin = ~0u, .end = 0};
    for (const image::Segment& s : code.image->segments) {
      if (!code.is_code(s)) continue;
      hart.begin = std::min(hart.begin, s.address);
      hart.end = std::max(hart.end, s.address + s.memory_bytes);
    }
    for (const image::Symbol& symbol : code.image->symbols)
      if (symbol.kind == image::Symbol::Kind::Function) hart.labels.emplace(symbol.address, symbol.name);
    log.follow(tile_of(device, way.harvesting(), code.core), std::move(hart));
  }
}

RunHart::End end_of(const emu::HartState& state) {
  switch (state.status) {
    case emu::HartStatus::Paused: return RunHart::End::Paused;
    case emu::HartStatus::Halted: return RunHart::End::Faulted;
    case emu::HartStatus::Parked: return loops_in_place(state) ? RunHart::End::Loops : RunHart::End::Waits;
    case emu::HartStatus::Blocked: return RunHart::End::Waits;
    default: return RunHart::End::Runs;
  }
}

// `log` may be missing.
RunHart hart_at_end(const RunCode& code, const OpenDevice& device, Way& way, const report::ExecutionLog* log,
                    const RunOutcome& out) {
  RunHart hart{.core = code.core, .hart = code.hart};
  const bool finished = out.end == RunOutcome::End::Finished;
  const report::HartRun* const run = log ? log->run(code.core, code.hart) : nullptr;
  if (run) {
    hart.instructions = run->instructions;
    hart.first_cycle = run->first;
    hart.last_cycle = run->last;
    hart.pc = run->pc;
    hart.x = run->x;
    hart.f = run->f;
    hart.has_registers = true;
  }
  if (device.emulated) {
    const emu::HartState& state = tile_of(device, way.harvesting(), code.core).hart(code.hart).state();
    if (state.status != emu::HartStatus::InReset && code.contains(state.pc)) {
      hart.end = end_of(state);
      hart.pc = state.pc;
      hart.x = state.x;
      hart.f = state.f;
      hart.has_registers = true;
    } else if (state.status == emu::HartStatus::Halted) {
      hart.end = RunHart::End::Faulted;
      hart.pc = state.pc;
    }
  } else if (!finished && !way.has_left(code)) {
    hart.end = RunHart::End::Runs;
  }
  if (hart.pc != 0 || hart.has_registers) hart.where = code.image->describe(hart.pc);
  return hart;
}

}  // namespace

void check(const RunJob& job) {
  if (job.kernels.empty()) refuse("there is nothing to run");
  check(job.observing, job.device);
  if (!job.device.is_emulated() && (job.bare || job.log || job.debugger || wants_registers(job)))
    refuse("a log, a debugger, registers and runs without firmware need the emulator");
  if (job.bare) {
    for (const RunKernel& kernel : job.kernels) {
      if (!kernel.args.empty() || !kernel.common_args.empty() || !kernel.core_args.empty() || kernel.noc != 0)
        refuse("without firmware nobody passes arguments or chooses a NoC: load them into L1");
    }
    if (!job.circular_buffers.empty() || !job.semaphores.empty() || !job.buffers.empty())
      refuse("without firmware there are no buffers and semaphores: name memory by its address");
  }
  std::set<std::string> names;
  for (const host::CircularBuffer& buffer : job.circular_buffers) names.insert(fmt::format("cb{}", buffer.id));
  for (const RunBuffer& buffer : job.buffers) {
    check_name(buffer.name);
    if (!names.insert(buffer.name).second) refuse(fmt::format("there are two buffers of the name '{}'", buffer.name));
    if (buffer.bytes == 0) refuse(fmt::format("buffer '{}' has no bytes", buffer.name));
    if (buffer.data.size() > buffer.bytes)
      refuse(fmt::format("buffer '{}' has {} bytes, and its data {}", buffer.name, buffer.bytes, buffer.data.size()));
  }
}

void check_places(const RunJob& job, const RunMemory& memory) {
  for (const RunLoad& load : job.loads) memory.check(load.to, load.data.size());
  for (const PlacedData& dump : job.dumps) memory.check(dump, std::nullopt);
}

int status_of(RunOutcome::End end) {
  switch (end) {
    case RunOutcome::End::Finished: return 0;
    case RunOutcome::End::Faulted: return 1;
    case RunOutcome::End::Deadlocked: return 3;
    case RunOutcome::End::OutOfCycles: return 4;
  }
  return 1;
}

RunOutcome run(const RunJob& job, Listener& listener) {
  check(job);
  DeviceSpec spec = job.device;
  std::unique_ptr<report::ExecutionLog> log;
  if (job.log || wants_registers(job)) {
    log = std::make_unique<report::ExecutionLog>(job.log);
    spec.emulator.observer = log.get();
    if (job.log) spec.emulator.shards = 1;  // lines in one order
  }
  RunOutcome out;
  listener.begins((job.bare ? "loading " : "booting ") + spec.label());
  const Stopwatch boot;
  ObservedDevice observed(spec, job.observing, listener);
  const OpenDevice& device = *observed;
  const std::unique_ptr<Way> way = job.bare ? without_firmware(job, device) : with_firmware(job, device);
  out.boot_s = boot.seconds();
  out.boot_cycles = device.cycles();
  out.device = device.kind;
  out.board = way->board();
  out.clock_mhz = spec.emulator.parameters.clock_mhz;
  if (device.emulated) out.timing = spec.emulator.exact() ? "exact" : "relaxed";
  check_places(job, way->memory());
  for (const RunLoad& load : job.loads) way->memory().write(load.to, load.data);
  if (log) follow(*log, device, *way);

  listener.begins(fmt::format("running '{}'", job.name));
  const Stopwatch stopwatch;
  out.begin_cycle = device.cycles();
  DebuggedRun debugged(job.debugger, job, device, *way);
  way->go(out);
  debugged.look_at_end(out);
  out.device_cycles = device.cycles() - out.begin_cycle;
  out.run_s = stopwatch.seconds();
  if (log) log->flush();
  static_cast<Observation&>(out) = observed.look(out.begin_cycle, out.begin_cycle + out.device_cycles);
  for (const RunCode& code : way->code()) out.harts.push_back(hart_at_end(code, device, *way, log.get(), out));
  for (size_t i = 0; i < job.dumps.size(); ++i) {
    std::vector<RunDump> dumps = way->memory().read(job.dumps[i], i);
    std::ranges::move(dumps, std::back_inserter(out.dumps));
  }
  observed.finish(out);
  return out;
}

}  // namespace kerr::jobs
