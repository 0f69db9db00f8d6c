// kerr debug: what kerr run runs, or a recorded run, under a debugger.

#include <fmt/format.h>

#include <any>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "arch/bytes.hpp"
#include "cli/commands/commands.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/run_options.hpp"
#include "cli/run_report.hpp"
#include "debug/gdb_server.hpp"
#include "debug/recorded_code.hpp"
#include "debug/rewinder.hpp"
#include "emu/machine/input_log.hpp"
#include "image/elf/reader.hpp"
#include "image/error.hpp"
#include "jobs/run/run.hpp"
#include "notes/note_bytes.hpp"
#include "prints/elf_file.hpp"
#include "prints/environment.hpp"

namespace kerr::cli {

namespace {

class Debug final : public Command {
  void declare(Syntax& syntax) override {
    run_.declare_files(syntax);
    device_.declare(syntax);
    run_.declare(syntax);
    syntax.group("Debugger");
    syntax.number("--port", port_, "listen on this port of the loopback (default: any that is free)", 1, 65535);
    syntax.output_file("--record", record_, "run it first and record it there: the debugger then goes backwards too");
    syntax.number("--at", at_, "of a log: wait for the debugger at this device cycle (default: at the begin)");
    syntax
        .list("--elf", elf_,
              "of a log: an ELF file of a kernel, or a folder of them (NAME.elf), for hosts that say nothing of their "
              "kernels; whose code is in L1 is found by its bytes; several times")
        .called("FILE|FOLDER");
    syntax.flag(
        "--hang-history", history_,
        "of a run that is not recorded: keep what was done last, for 'monitor events', 'monitor timeline' and the "
        "report of a hang; slower");
    syntax.optional_text("--prints", prints_, "-", "[=FILE]",
                         "show what kernels print (default: on the debugger's console)");
    syntax.group("End and output");
    syntax.number("--cycles", cycles_, "end after so many device cycles (default 200000000)", 1);
    run_.declare_dumps(syntax);
    syntax.footer(
        "Boots the chip and waits for gdb-multiarch before the code is started. FILE may also be a log that --record "
        "has "
        "written. Each hart is a process:\n"
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
        "  kerr debug program.toml --record run.log\n"
        "  kerr matmul 256 256 256 --record run.log; kerr debug run.log --at 20000\n"
        "  kerr debug tt-metal.log --elf ~/.cache/tt-metal-cache\n"
        "Exit status: 0 the code has ended; 1 a fault; 2 could not be run; 3 a deadlock; 4 out of cycles.");
  }

  int run() override {
    const std::string log = run_.log();
    if (at_ && log.empty()) throw UsageError("--at needs a log: what 'kerr run ... --record FILE' writes");
    if (!log.empty()) return of_log(log);
    if (!elf_.empty()) throw UsageError("--elf needs a log: code that is run here has its names");
    jobs::RunJob job = run_.job();
    if (cycles_) job.cycles = cycles_;
    job.device = device_.spec;
    job.observing.hang_history = history_;
    if (!job.device.is_emulated()) throw UsageError("a debugger needs the emulator: leave --library and --device out");
    std::vector<NamedFile> inputs = run_.inputs();
    inputs.push_back({"--timing-parameters", device_.timing_parameters_file});
    std::vector<NamedFile> outputs = RunOptions::outputs(job);
    outputs.push_back({"--record", record_});
    outputs.push_back({"--prints", prints_ == "-" ? "" : prints_});
    check_files(inputs, outputs);
    if (!record_.empty()) return recorded_first(job);
    const auto printer = printer_for(job.device.emulator.boards);
    job.device.emulator.prints = printer.get();
    debug::GdbServer server(port_.value_or(0));
    job.debugger = &server;
    show_prints(printer.get(), server);
    say_port(server);
    const jobs::RunOutcome::End end = show(job);
    server_ = nullptr;
    if (printer) printer->finish();
    return jobs::status_of(end);
  }

  // Runs it, and shows what came of it.
  static jobs::RunOutcome::End show(const jobs::RunJob& job) {
    DumpFiles dumps(job.dumps);
    Progress progress;
    const jobs::RunOutcome outcome = jobs::run(job, progress);
    if (outcome.end != jobs::RunOutcome::End::Finished) {
      say(outcome.summary);
      if (!outcome.report.empty()) std::fprintf(stderr, "%s", printable(outcome.report).c_str());
    }
    print_text(job, outcome);
    dumps.write(job, outcome);
    return outcome.end;
  }

  int recorded_first(jobs::RunJob& job) {
    debug::Program program;
    job.program = &program;
    job.observing.recording.log = record_;
    const jobs::RunOutcome::End end = show(job);
    repeat(record_, std::move(program));
    return jobs::status_of(end);
  }

  int of_log(const std::string& path) {
    if (history_) throw UsageError("--hang-history is for runs that are not recorded: a log has all of it");
    if (cycles_ || !record_.empty())
      throw UsageError("a log is recorded already, and ends where its run ended: leave --record and --cycles out");
    const jobs::DeviceSpec usual;
    if (device_.spec.label() != usual.label() || device_.spec.emulator.timing != usual.emulator.timing)
      throw UsageError(fmt::format("'{}' is a log: the chip and its timing are those of its run", path));
    const uint64_t begin = at_.value_or(0);
    const bool unfinished = emu::is_unfinished_log(path);
    repeat(path, {.code = reading(path, [&] { return debug::code_in_log(path, unfinished, begin); }), .begin = begin});
    return 0;
  }

  // Until the debugger has gone.
  void repeat(const std::string& path, debug::Program program) {
    const bool unfinished = emu::is_unfinished_log(path);
    const emu::LogInfo log = reading(path, [&] { return emu::read_log_info(path, unfinished); });
    emu::Options options = log.machine.options();
    options.shards = 1;
    const auto printer = printer_for(options.boards);
    options.prints = printer.get();
    emu::Machine machine(options);
    debug::GdbServer server(port_.value_or(0));
    server.look_for(loose_code());
    notes::ReplayedNotes notes([&](const arch::note::Note& note, emu::Cycle cycle) {
      if (printer) printer->noted(note, cycle);
      server.noted(note, cycle);
    });
    show_prints(printer.get(), server);
    debug::Beside beside;
    if (printer) beside = {[&] { return printer->memory(); }, [&](const std::any& memory) { printer->recall(memory); }};
    reading(path, [&] {
      debug::Rewinder rewinder(machine, path, unfinished, server, &notes, beside);
      say_port(server);
      rewinder.run(std::move(program));
      server.end();
    });
    server_ = nullptr;
    if (printer) printer->finish();
  }

  // The files that --elf names, with their symbols and lines.
  std::vector<debug::LooseCode> loose_code() const {
    std::vector<debug::LooseCode> out;
    const auto leave_out = [](const std::string& why) { say(why + ": it is left out"); };
    for (const std::string& path : elf_) {
      for (const prints::ElfFile& file : prints::elf_files_at(path, leave_out)) {
        debug::LooseCode code{
            .image = file.image, .path = absolute(file.path), .file = file.contents, .hart = file.hart()};
        try {
          code.image = std::make_shared<const image::Image>(image::read_elf(arch::as_uint8(*file.contents), file.path));
        } catch (const image::Error&) {  // what gdb can read of it, it will
        }
        out.push_back(std::move(code));
      }
    }
    return out;
  }
  static std::string absolute(const std::string& path) {
    std::error_code error;
    const std::filesystem::path whole = std::filesystem::absolute(path, error);
    return error ? path : whole.lexically_normal().string();
  }

  // To the debugger's console; what nobody waits for there, to standard error.
  std::unique_ptr<prints::Printer> printer_for(const std::vector<arch::Board>& boards) {
    if (prints_.empty()) return nullptr;
    if (prints_ != "-") return prints::printer_to(prints_, boards);
    return prints::printer_to(
        [this](std::string_view text) {
          if (server_ == nullptr || !server_->print(text)) std::fwrite(text.data(), 1, text.size(), stderr);
        },
        boards);
  }
  void show_prints(prints::Printer* printer, debug::GdbServer& server) {
    if (printer == nullptr) return;
    server_ = &server;
    server.before_stops([printer] { printer->show_now(); });
  }

  static void say_port(const debug::GdbServer& server) {
    say(fmt::format("waits for a debugger:  gdb-multiarch -ex 'target extended-remote localhost:{}'", server.port()));
  }

  RunOptions run_;
  DeviceOptions device_;
  std::optional<uint16_t> port_;
  std::optional<uint64_t> at_;
  std::vector<std::string> elf_;
  bool history_ = false;
  std::string record_;  // a log; empty: none
  std::optional<uint64_t> cycles_;
  std::string prints_;                  // "-": the debugger's console; empty: nobody listens
  debug::GdbServer* server_ = nullptr;  // whose console that is, while it lives
};

}  // namespace

std::unique_ptr<Command> make_debug() { return std::make_unique<Debug>(); }

}  // namespace kerr::cli
