#include "cli/replay.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/remarks.hpp"
#include "cli/version.hpp"
#include "emu/machine/input_log.hpp"
#include "emu/machine/snapshot.hpp"
#include "jobs/device.hpp"
#include "jobs/stopwatch.hpp"
#include "report/json.hpp"

namespace kerr::cli {

namespace {

const char* state_of(emu::Machine& machine) {
  return machine.faulted() ? "faulted" : machine.quiescent() ? "quiescent" : "running";
}

}  // namespace

int replay_command(const ReplayRequest& request) {
  const NamedFile inputs[] = {{"LOG", request.log}, {"--snapshot", request.snapshot}};
  const NamedFile output{"--save", request.save};
  check_files(inputs, {&output, 1});
  // What a run that was killed leaves behind.
  const bool unfinished = request.log.ends_with(emu::FileSink::part_of(""));
  const emu::LogInfo log = reading(request.log, [&] { return emu::read_log_info(request.log, unfinished); });
  emu::MachineOptions options = log.machine.options();
  options.shards = request.threads;
  emu::Machine machine(options);
  if (!request.snapshot.empty())
    reading(request.snapshot, [&] { emu::load_snapshot(machine, request.snapshot, jobs::cpus()); });
  const emu::Cycle begin = machine.now();
  if (request.until < begin) {
    throw std::invalid_argument(fmt::format("--until {} lies before cycle {}, at which the snapshot '{}' was taken",
                                            request.until, begin, request.snapshot));
  }
  emu::Replay replay(machine, request.log, unfinished);
  const jobs::Stopwatch watch;
  const bool more = replay.run(request.until);
  const double seconds = watch.seconds();
  const jobs::Remarks remarks = jobs::remarks_of(machine);
  say_remarks(remarks);
  if (replay.cut_off())
    say(fmt::format("'{}' has no end: its run was killed.  It is replayed as far as it goes.", request.log));
  if (!request.save.empty()) emu::save_snapshot(machine, request.save, jobs::cpus());

  const std::string hash = fmt::format("{:016x}", machine.state_hash());
  if (request.json) {
    const report::Json json = {{"board", log.machine.board_names()},
                                         {"begin_cycle", begin},
                                         {"end_cycle", machine.now()},
                                         {"inputs", replay.inputs()},
                                         {"complete", !more && !replay.cut_off()},
                                         {"cut_off", replay.cut_off()},
                                         {"device", state_of(machine)},
                                         {"remarks", remarks.kinds.size()},
                                         {"state_hash", hash},
                                         {"seconds", seconds}};
    write_json(json);
    return 0;
  }
  fmt::print("replayed {} inputs of {} from cycle {} to {}{} in {:.2f} s: all as recorded\n", replay.inputs(),
             log.machine.board_names(), begin, machine.now(), more ? "" : replay.cut_off() ? ", where the log was cut off," : ", the end of the log,", seconds);
  fmt::print("  state hash {}\n  device     {}\n", hash, state_of(machine));
  if (machine.faulted()) {
    fmt::print("{}", machine.faults().front().text());
  } else {
    fmt::print("{}", emu::text(machine.waits()));
  }
  return 0;
}

int snapshot_command(const SnapshotRequest& request) {
  const emu::SnapshotInfo info = reading(request.file, [&] { return emu::read_snapshot_info(request.file); });
  reading(request.file, [&] { emu::check_snapshot(request.file, jobs::cpus()); });
  const uint64_t bytes = std::filesystem::file_size(request.file);
  if (request.json) {
    const report::Json json = {{"board", info.machine.board_names()},
                                         {"cycle", info.cycle},
                                         {"timing", info.machine.exact ? "exact" : "relaxed"},
                                         {"window_cycles", info.machine.window_cycles},
                                         {"tiles", info.tiles},
                                         {"dram_bytes", info.dram_bytes},
                                         {"inputs", info.inputs},
                                         {"recorded", info.run != 0},
                                         {"faults", info.faults},
                                         {"layout", fmt::format("{:016x}", info.layout)},
                                         {"file_bytes", bytes}};
    write_json(json);
    return 0;
  }
  fmt::print("snapshot of {} at cycle {} ({} timing, windows of {} cycles)\n", info.machine.board_names(), info.cycle,
             info.machine.exact ? "exact" : "relaxed", info.machine.window_cycles);
  fmt::print("  {} tiles touched, {:.1f} MiB of DRAM, {}\n", info.tiles,
             static_cast<double>(info.dram_bytes) / (1 << 20), info.faults ? "stopped by a fault" : "no fault");
  fmt::print("  after {} inputs, {}\n", info.inputs,
             info.run ? "of a recorded run: 'kerr replay LOG --snapshot FILE' goes on from here" : "not recorded");
  fmt::print("  layout {:016x}, {} bytes, all checksums right\n", info.layout, bytes);
  return 0;
}

}  // namespace kerr::cli
