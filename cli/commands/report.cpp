// kerr report: a run as a page for a browser.

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "check/report/report.hpp"
#include "check/report/watch.hpp"
#include "cli/commands/commands.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/report_file.hpp"
#include "emu/machine/input_log.hpp"
#include "hang/livelock.hpp"
#include "hang/noted_launches.hpp"
#include "hang/report.hpp"
#include "notes/note_bytes.hpp"
#include "report/observers.hpp"
#include "report/page/page.hpp"

namespace kerr::cli {

namespace {

constexpr uintmax_t kLargestRun = 1u << 30;

class Report final : public Command {
  void declare(Syntax& syntax) override {
    syntax
        .text("RUN", run_,
              "what --report FILE.json of a run has written, or a log that --record or KERR_RECORD has written, which "
              "is run again and watched")
        .required();
    syntax.output_file("--output,-o", output_, "write it to this file, .html or .json").required();
    syntax.number("--from", from_, "of a log: show it from this device cycle on (default: power-on)");
    syntax.number("--until", until_, "of a log: stop at this device cycle (default: the end)");
    syntax.flag("--check", check_, "of a log: look for accesses that nothing orders, and for misuse");
    add_threads(syntax, threads_);
    syntax.footer(
        "The page needs no server and no network.\n"
        "Examples:\n"
        "  kerr matmul 512 512 512 --timing exact --report run.json\n"
        "  kerr report run.json -o run.html\n"
        "  kerr report run.log -o run.html --check");
  }

  int run() override {
    const NamedFile input{"RUN", run_}, output{"--output", output_};
    check_files({&input, 1}, {&output, 1});
    ReportFile file(output_);
    if (is_log())
      show_log(file);
    else
      show_file(file);
    return 0;
  }

  // A log is no text.
  bool is_log() const {
    if (run_ == "-") return false;
    refuse_pipe(run_);
    std::string text = read_file(run_, kLargestRun);
    return text.empty() || text.find_first_not_of(" \t\r\n") == std::string::npos ||
           text[text.find_first_not_of(" \t\r\n")] != '{';
  }

  void show_file(ReportFile& file) const {
    if (from_ != 0 || until_ != kEnd || check_)
      throw UsageError("--from, --until and --check are of logs: what a .json file holds has been watched already");
    try {
      file.write(report::checked_run(read_file(run_, kLargestRun)));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("'{}': {}", run_, error.what()));
    }
  }

  void show_log(ReportFile& file) const {
    const bool unfinished = emu::is_unfinished_log(run_);
    const emu::LogInfo log = reading(run_, [&] { return emu::read_log_info(run_, unfinished); });
    jobs::DeviceSpec spec;
    spec.emulator = log.machine.options();
    spec.emulator.shards = threads_;
    const auto timeline = std::make_shared<report::Timeline>();
    const auto profile = std::make_shared<report::Profile>(spec.emulator.boards);
    std::optional<check::Watch> checker;
    std::vector<emu::Observer*> all{timeline.get(), profile.get()};
    if (check_)
      all.push_back(
          &checker.emplace(check::Watching{.mode = check::Watching::Mode::All}, spec.emulator.boards).observer());
    hang::History history(spec.emulator.boards);
    hang::NotedLaunches launches;
    report::Observers observers(all, &history);
    spec.emulator.observer = &observers;

    emu::Machine machine(spec.emulator);
    notes::ReplayedNotes notes([&](const arch::note::Note& note, emu::Cycle cycle) {
      launches.noted(note);
      observers.noted(note, cycle);
    });
    emu::Replay replay(machine, run_, unfinished, &notes);
    const bool more = replay.run(until_);
    const jobs::Remarks remarks = jobs::remarks_of(machine);
    if (replay.cut_off())
      say(fmt::format("'{}' has no end: its run was killed.  It is shown as far as it goes.", run_));
    const uint64_t end = machine.now();
    if (from_ >= end) throw std::invalid_argument(fmt::format("--from {}: what is shown ends at cycle {}", from_, end));

    const jobs::RunShown shown{timeline, profile, from_, end};
    ReportTexts texts{.title = "kerr report " + run_, .remarks = &remarks};
    if (machine.faulted()) {
      texts.failure = "The device has faulted";
      texts.account = machine.faults().front().text();
    } else if (machine.quiescent()) {
      texts.failure = "Nothing can happen any more";
      texts.account = hang::report(machine, launches.question(machine), &history);
    } else if (!more) {
      if (const hang::Livelock livelock(machine); livelock.proved())
        texts.account = hang::report(machine, launches.question(machine), livelock, &history);
      if (!texts.account.empty()) texts.failure = "The harts that run go round for ever";
    }
    std::optional<check::Report> found;
    if (checker) texts.check = &found.emplace(check::report_of(checker->findings()));
    spec.emulator.observer = nullptr;
    file.write(shown, texts, spec);
  }

  static constexpr uint64_t kEnd = std::numeric_limits<uint64_t>::max();

  std::string run_, output_;
  uint64_t from_ = 0, until_ = kEnd;
  bool check_ = false;
  int threads_ = jobs::cpus();
};

}  // namespace

std::unique_ptr<Command> make_report() { return std::make_unique<Report>(); }

}  // namespace kerr::cli
