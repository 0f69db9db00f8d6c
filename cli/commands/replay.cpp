// kerr replay: a recorded run again, without the host.

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "cli/commands/commands.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/version.hpp"
#include "emu/machine/input_log.hpp"
#include "emu/machine/snapshot.hpp"
#include "hang/report.hpp"
#include "jobs/device.hpp"
#include "jobs/stopwatch.hpp"
#include "prints/environment.hpp"

namespace kerr::cli {

namespace {

const char* state_of(emu::Machine& machine) {
  return machine.faulted() ? "faulted" : machine.quiescent() ? "quiescent" : "running";
}

class ReplayLog final : public Command {
  void declare(Syntax& syntax) override {
    syntax
        .text("LOG", log_,
              "written by 'kerr matmul --record' or KERR_RECORD of libttsim_bh.so; LOG.part, what a killed run leaves, "
              "is replayed as far as it goes")
        .required();
    syntax.text("--snapshot", snapshot_, "begin here: a snapshot of the same run (default: at power-on)")
        .called("FILE");
    syntax.number("--until", until_, "stop at this device cycle (default: the end of the log)");
    syntax.output_file("--save", save_, "write a snapshot of where it stopped");
    syntax.optional_text(
        "--prints", prints_, "-", "[=FILE]",
        "show what kernels print (default: on standard error); a log has no formats, so only tt-metal's "
        "buffers are text");
    add_threads(syntax, threads_);
    syntax.flag("--json", json_, "print the report as JSON");
    syntax.footer(
        "Every byte that the device gave back is compared with the recording.\n"
        "Examples:\n"
        "  kerr matmul 256 256 256 --record run.log\n"
        "  kerr replay run.log\n"
        "  kerr replay run.log --until 20000 --save half.snap\n"
        "  kerr replay run.log --snapshot half.snap\n"
        "Exit status: 0 all as recorded, 2 it differs, or a file is damaged or does not fit.");
  }

  int run() override {
    const NamedFile inputs[] = {{"LOG", log_}, {"--snapshot", snapshot_}};
    const NamedFile outputs[] = {{"--save", save_}, {"--prints", prints_ == "-" ? "" : prints_}};
    check_files(inputs, outputs);
    // What a run that was killed leaves behind.
    const bool unfinished = log_.ends_with(emu::FileSink::part_of(""));
    const emu::LogInfo log = reading(log_, [&] { return emu::read_log_info(log_, unfinished); });
    emu::Options options = log.machine.options();
    options.shards = threads_;
    const auto printer =
        prints_.empty() ? nullptr : prints::printer_to(prints_ == "-" ? "" : prints_, log.machine.options().boards);
    options.prints = printer.get();
    emu::Machine machine(options);
    if (!snapshot_.empty()) reading(snapshot_, [&] { emu::load_snapshot(machine, snapshot_, jobs::cpus()); });
    const emu::Cycle begin = machine.now();
    if (until_ < begin) {
      throw std::invalid_argument(fmt::format("--until {} lies before cycle {}, at which the snapshot '{}' was taken",
                                              until_, begin, snapshot_));
    }
    emu::Replay replay(machine, log_, unfinished);
    const jobs::Stopwatch watch;
    const bool more = replay.run(until_);
    const double seconds = watch.seconds();
    if (printer) printer->finish();
    const jobs::Remarks remarks = jobs::remarks_of(machine);
    say_remarks(remarks);
    if (replay.cut_off())
      say(fmt::format("'{}' has no end: its run was killed.  It is replayed as far as it goes.", log_));
    if (!save_.empty()) emu::save_snapshot(machine, save_, jobs::cpus());

    const std::string hash = fmt::format("{:016x}", machine.state_hash());
    if (json_) {
      write_json({{"board", log.machine.board_names()},
                  {"begin_cycle", begin},
                  {"end_cycle", machine.now()},
                  {"inputs", replay.inputs()},
                  {"complete", !more && !replay.cut_off()},
                  {"cut_off", replay.cut_off()},
                  {"device", state_of(machine)},
                  {"remarks", remarks.kinds.size()},
                  {"state_hash", hash},
                  {"seconds", seconds}});
      return 0;
    }
    fmt::print("replayed {} inputs of {} from cycle {} to {}{} in {:.2f} s: all as recorded\n", replay.inputs(),
               log.machine.board_names(), begin, machine.now(),
               more               ? ""
               : replay.cut_off() ? ", where the log was cut off,"
                                  : ", the end of the log,",
               seconds);
    fmt::print("  state hash {}\n  device     {}\n", hash, state_of(machine));
    if (machine.faulted()) {
      fmt::print("{}", machine.faults().front().text());
    } else {
      fmt::print("{}{}", hang::report(machine, {}), emu::text(machine.waits()));
    }
    return 0;
  }

  std::string log_;
  std::string snapshot_;  // where to begin; empty: power-on
  std::string save_;      // a snapshot of where it ended; empty: none
  std::string prints_;    // "-": standard error; empty: nobody listens
  uint64_t until_ = std::numeric_limits<uint64_t>::max();
  int threads_ = jobs::cpus();
};

}  // namespace

std::unique_ptr<Command> make_replay() { return std::make_unique<ReplayLog>(); }

}  // namespace kerr::cli
