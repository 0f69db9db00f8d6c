// kerr debug: what kerr run runs, under a debugger.

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "cli/commands/commands.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/run_options.hpp"
#include "cli/run_report.hpp"
#include "debug/gdb_server.hpp"
#include "jobs/run/run.hpp"

namespace kerr::cli {

namespace {

class Debug final : public Command {
  void declare(Syntax& syntax) override {
    run_.declare_files(syntax);
    device_.declare(syntax);
    run_.declare(syntax);
    syntax.group("Debugger");
    syntax.number("--port", port_, "listen on this port of the loopback (default: any that is free)", 1, 65535);
    syntax.group("End and output");
    syntax.number("--cycles", cycles_, "end after so many device cycles (default 200000000)", 1);
    run_.declare_dumps(syntax);
    syntax.footer(
        "Boots the chip, loads the code, and waits for gdb-multiarch before the first instruction. Each hart is a "
        "process:\n"
        "  (gdb) target extended-remote localhost:PORT\n"
        "  (gdb) info os processes\n"
        "  (gdb) attach 1\n"
        "  (gdb) break loop\n"
        "  (gdb) continue\n"
        "Looking changes neither results nor cycles. 'monitor help' lists what gdb has no words for.\n"
        "Examples:\n"
        "  kerr debug add.s --l1 numbers:64 --args numbers,16 --port 1234\n"
        "  kerr debug reader.elf writer.elf --hart ncrisc --hart brisc --cb 0:2x2048 --core 1-4,2-3\n"
        "  kerr debug program.toml --timing exact\n"
        "  kerr debug firmware.elf --bare\n"
        "Exit status: 0 the code has ended; 1 a fault; 2 could not be run; 3 a deadlock; 4 out of cycles.");
  }

  int run() override {
    jobs::RunJob job = run_.job();
    if (cycles_) job.cycles = cycles_;
    job.device = device_.spec;
    if (!job.device.is_emulated()) throw UsageError("a debugger needs the emulator: leave --library and --device out");
    std::vector<NamedFile> inputs = run_.inputs();
    inputs.push_back({"--timing-parameters", device_.timing_parameters_file});
    check_files(inputs, RunOptions::outputs(job));
    debug::GdbServer server(port_.value_or(0));
    job.debugger = &server;
    say(fmt::format("waits for a debugger:  gdb-multiarch -ex 'target extended-remote localhost:{}'", server.port()));
    DumpFiles dumps(job.dumps);
    Progress progress;
    const jobs::RunOutcome outcome = jobs::run(job, progress);
    if (outcome.end != jobs::RunOutcome::End::Finished) {
      say(outcome.summary);
      if (!outcome.report.empty()) std::fprintf(stderr, "%s", printable(outcome.report).c_str());
    }
    print_text(job, outcome);
    dumps.write(job, outcome);
    return status_of(outcome.end);
  }

  RunOptions run_;
  DeviceOptions device_;
  std::optional<uint16_t> port_;
  std::optional<uint64_t> cycles_;
};

}  // namespace

std::unique_ptr<Command> make_debug() { return std::make_unique<Debug>(); }

}  // namespace kerr::cli
