// kerr run: code of one's own on harts of a chip.

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/explain.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/observing.hpp"
#include "cli/options.hpp"
#include "cli/run_options.hpp"
#include "cli/run_report.hpp"
#include "jobs/run/run.hpp"

namespace kerr::cli {

namespace {

using jobs::RunOutcome;

// Lines as they come: what is there when a run is interrupted stays.
class LogFile {
 public:
  explicit LogFile(std::string path) : path_(std::move(path)) {
    if (path_.empty()) return;
    file_ = path_ == "-" ? stdout : std::fopen(path_.c_str(), "w");
    if (file_ == nullptr)
      throw std::invalid_argument(fmt::format("cannot write '{}': {}", path_, std::strerror(errno)));
  }
  ~LogFile() {
    if (file_ != nullptr && file_ != stdout) std::fclose(file_);
  }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  std::function<void(std::string_view)> writer() {
    if (file_ == nullptr) return {};
    return [this](std::string_view lines) {
      if (error_ == 0 && std::fwrite(lines.data(), 1, lines.size(), file_) != lines.size()) error_ = errno;
    };
  }
  /// Says what went wrong. Returns false then.
  bool finish() {
    if (file_ == nullptr) return true;
    if (std::fflush(file_) != 0 && error_ == 0) error_ = errno;
    if (error_ != 0) say(fmt::format("'{}' is not whole: {}", path_, std::strerror(error_)));
    return error_ == 0;
  }

 private:
  const std::string path_;
  std::FILE* file_ = nullptr;
  int error_ = 0;
};

class Run final : public Command {
  void declare(Syntax& syntax) override {
    run_.declare_files(syntax);
    device_.declare(syntax);
    run_.declare(syntax);
    syntax.group("End and output");
    syntax.number("--cycles", cycles_, "end after so many device cycles (default 200000000)", 1);
    run_.declare_dumps(syntax);
    syntax.output_file("--log", log_, "write each instruction of the code as a line, as Spike does; -: standard output")
        .excludes({"--library", "--device"});
    syntax.flag("--json", json_, "print the report as JSON");
    observing_.declare(syntax);
    observing_.declare_explain(syntax, {"--log"});
    syntax.footer(
        "Examples:\n"
        "  kerr run add.s --l1 numbers:64 --args numbers,16 --dump numbers --dump reg\n"
        "  kerr run reader.elf writer.elf --hart ncrisc --hart brisc --cb 0:2x2048 --core 1-4,2-3\n"
        "  kerr run --hart trisc0=unpack.s --hart trisc1=math.s --hart trisc2=pack.s --dump l1:0x20000+64:bf16\n"
        "  kerr run program.toml --explain\n"
        "  kerr run program.toml --log -\n"
        "  kerr run program.toml --timing exact --utilisation --trace run.json\n"
        "  kerr run program.toml --check --check-exit 5\n"
        "  kerr run firmware.elf --bare --cycles 100000 --log run.log --dump l1:0x1000+64\n"
        "Exit status: 0 the code has ended; 1 a fault; 2 could not be run; 3 a deadlock, or with --check "
        "an error of the checker; 4 out of cycles.");
  }

  int run() override {
    jobs::RunJob job = run_.job();
    if (cycles_) job.cycles = cycles_;
    job.device = device_.spec;
    job.observing = observing_.observing(device_);
    check_outputs(job);
    if (observing_.explain) return explain(job, json_);
    LogFile log(log_);
    job.log = log.writer();
    DumpFiles dumps(job.dumps);
    ObservedRun watched(observing_, job.device, "kerr run " + job.name);
    const RunOutcome outcome = watched([&job](jobs::Listener& listener) { return jobs::run(job, listener); });
    const bool log_is_whole = log.finish();
    if (outcome.end != RunOutcome::End::Finished) {
      say(outcome.summary);
      if (outcome.end == RunOutcome::End::OutOfCycles)
        say(fmt::format("the run was ended after {} cycles{}", outcome.device_cycles,
                        job.cycles ? "" : "; --cycles lets it run longer"));
      if (!outcome.report.empty()) std::fprintf(stderr, "%s", printable(outcome.report).c_str());
    }
    json_ ? print_json(job, outcome) : print_text(job, outcome);
    dumps.write(job, outcome);  // last: a full disk costs nothing of the above
    watched.write(outcome, outcome.summary, outcome.report);
    watched.check_recording(outcome);
    return log_is_whole ? watched.status(jobs::status_of(outcome.end), outcome) : 2;
  }

  void check_outputs(const jobs::RunJob& job) const {
    if (log_ == "-" && json_) throw UsageError("--log - and --json would mix on standard output");
    std::vector<NamedFile> outputs = RunOptions::outputs(job);
    if (log_ != "-") outputs.push_back({"--log", log_});
    observing_.add_outputs(outputs);
    std::vector<NamedFile> inputs = run_.inputs();
    observing_.add_inputs(inputs);
    inputs.push_back({"--library", job.device.library});
    inputs.push_back({"--timing-parameters", device_.timing_parameters_file});
    check_files(inputs, outputs);
  }

  RunOptions run_;
  DeviceOptions device_;
  ObservingOptions observing_;
  std::string log_;
  std::optional<uint64_t> cycles_;
};

}  // namespace

std::unique_ptr<Command> make_run() { return std::make_unique<Run>(); }

}  // namespace kerr::cli
