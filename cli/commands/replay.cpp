// kerr replay: a recorded run again, without the host.

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "check/report/watch.hpp"
#include "cli/checking.hpp"
#include "cli/commands/commands.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/version.hpp"
#include "emu/machine/input_log.hpp"
#include "emu/machine/snapshot.hpp"
#include "hang/noted_launches.hpp"
#include "hang/report.hpp"
#include "jobs/device.hpp"
#include "jobs/stopwatch.hpp"
#include "notes/note_bytes.hpp"
#include "prints/environment.hpp"
#include "report/observers.hpp"

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
    syntax.optional_text("--prints", prints_, "-", "[=FILE]", "show what kernels print (default: on standard error)");
    add_threads(syntax, threads_);
    checking_.declare(syntax, {"--snapshot"});
    syntax.flag("--hang-history", history_,
                "if the run hangs, say what was written over or beside the word that is waited for, and the last "
                "events of who is to blame; slower, and a check does it too");
    syntax.flag("--json", json_, "print the report as JSON");
    syntax.footer(
        "Every byte that the device gave back is compared with the recording.\n"
        "Examples:\n"
        "  kerr matmul 256 256 256 --record run.log\n"
        "  kerr replay run.log\n"
        "  kerr replay run.log --until 20000 --save half.snap\n"
        "  kerr replay run.log --snapshot half.snap\n"
        "  kerr replay run.log --check\n"
        "  kerr replay run.log --hang-history\n"
        "Exit status: 0 all as recorded, 2 it differs, or a file is damaged or does not fit, 3 the checker has found "
        "an "
        "error.");
  }

  int run() override {
    std::vector<NamedFile> inputs{{"LOG", log_}, {"--snapshot", snapshot_}};
    std::vector<NamedFile> outputs{{"--save", save_}, {"--prints", prints_ == "-" ? "" : prints_}};
    checking_.add_inputs(inputs);
    checking_.add_outputs(outputs);
    check_files(inputs, outputs);
    // What a run that was killed leaves behind.
    const bool unfinished = emu::is_unfinished_log(log_);
    const emu::LogInfo log = reading(log_, [&] { return emu::read_log_info(log_, unfinished); });
    emu::Options options = log.machine.options();
    options.shards = threads_;
    const auto printer =
        prints_.empty() ? nullptr : prints::printer_to(prints_ == "-" ? "" : prints_, log.machine.options().boards);
    options.prints = printer.get();
    const jobs::CheckSpec checking = checking_.spec();
    CheckOutput check_output(checking_);
    std::optional<check::Watch> watch;
    std::vector<emu::Observer*> watching;
    if (checking.watching.on()) watching.push_back(&watch.emplace(checking.watching, options.boards).observer());
    std::optional<hang::History> history;
    if (watch || history_) history.emplace(options.boards);
    report::Observers observers(watching, history ? &*history : nullptr);
    if (history) options.observer = &observers;
    hang::NotedLaunches launches;
    notes::ReplayedNotes notes([&](const arch::note::Note& note, emu::Cycle cycle) {
      launches.noted(note);
      observers.noted(note, cycle);
      if (printer) printer->noted(note, cycle);
    });
    emu::Machine machine(options);
    if (!snapshot_.empty()) reading(snapshot_, [&] { emu::load_snapshot(machine, snapshot_, jobs::cpus()); });
    const emu::Cycle begin = machine.now();
    if (until_ < begin) {
      throw std::invalid_argument(fmt::format("--until {} lies before cycle {}, at which the snapshot '{}' was taken",
                                              until_, begin, snapshot_));
    }
    emu::Replay replay(machine, log_, unfinished, &notes);
    const jobs::Stopwatch stopwatch;
    const bool more = run(machine, replay, watch ? &*watch : nullptr);
    const double seconds = stopwatch.seconds();
    if (printer) printer->finish();
    std::optional<check::Report> report;
    if (watch) report = check::report_of(watch->findings(), checking.rules.get(), checking.baseline.get());
    const auto finish = [&] {
      if (!report) return 0;
      check_output.write(*report, options.boards);
      return report->has_errors() ? checking_.exit_status : 0;
    };
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
      return finish();
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
      const std::string hang =
          hang::report(machine, launches.question(machine), history ? &*history : nullptr, nullptr, more);
      if (watch && !hang.empty()) fmt::print("{}", printable(hang::earlier_errors(watch->findings())));
      fmt::print("{}{}", printable(hang), emu::text(machine.waits()));
    }
    return finish();
  }

  // Whether there is more of the log. With --check-stop it ends behind an error.
  bool run(const emu::Machine& machine, emu::Replay& replay, const check::Watch* watch) {
    constexpr emu::Cycle kStretch = 1 << 16;
    if (watch == nullptr) return replay.run(until_);
    bool more = true;
    while (more && machine.now() < until_ && watch->reason_to_stop().empty())
      more = replay.run(until_ - machine.now() > kStretch ? machine.now() + kStretch : until_);
    return more;
  }

  std::string log_;
  std::string snapshot_;  // where to begin; empty: power-on
  std::string save_;      // a snapshot of where it ended; empty: none
  std::string prints_;    // "-": standard error; empty: nobody listens
  uint64_t until_ = std::numeric_limits<uint64_t>::max();
  int threads_ = jobs::cpus();
  bool history_ = false;
  CheckingOptions checking_;
};

}  // namespace

std::unique_ptr<Command> make_replay() { return std::make_unique<ReplayLog>(); }

}  // namespace kerr::cli
