// kerr snapshot: what a file of a machine's state holds.
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "cli/commands/commands.hpp"
#include "cli/files.hpp"
#include "cli/version.hpp"
#include "emu/machine/snapshot.hpp"
#include "jobs/device.hpp"

namespace kerr::cli {

namespace {

class Snapshot final : public Command {
  void declare(Syntax& syntax) override {
    syntax.text("FILE", file_, "the snapshot").required();
    syntax.flag("--json", json_, "print it as JSON");
    syntax.footer("Example:\n  kerr matmul 256 256 256 --snapshot end.snap && kerr snapshot end.snap");
  }

  int run() override {
    const emu::SnapshotInfo info = reading(file_, [&] { return emu::read_snapshot_info(file_); });
    reading(file_, [&] { emu::check_snapshot(file_, jobs::cpus()); });
    const uint64_t bytes = std::filesystem::file_size(file_);
    if (json_) {
      write_json({{"board", info.machine.board_names()},
                  {"cycle", info.cycle},
                  {"timing", info.machine.exact ? "exact" : "relaxed"},
                  {"window_cycles", info.machine.window_cycles},
                  {"tiles", info.tiles},
                  {"dram_bytes", info.dram_bytes},
                  {"inputs", info.inputs},
                  {"recorded", info.run != 0},
                  {"faults", info.faults},
                  {"layout", fmt::format("{:016x}", info.layout)},
                  {"file_bytes", bytes}});
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

  std::string file_;
};

}  // namespace

std::unique_ptr<Command> make_snapshot() { return std::make_unique<Snapshot>(); }

}  // namespace kerr::cli
