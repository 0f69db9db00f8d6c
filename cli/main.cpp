// The `kerr` command: the list of its commands.
#include <fmt/format.h>

#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/messages.hpp"
#include "cli/process.hpp"
#include "host/error.hpp"

namespace {

using namespace kerr;

constexpr cli::CommandEntry kCommands[] = {
    {"kerr", "Kerr: a Tenstorrent Blackhole that you can see inside."},
    {"kerr matmul", "multiply two random matrices on the device and verify the product", cli::make_matmul},
    {"kerr eval", "compute an expression over random matrices on the device and verify the result", cli::make_eval},
    {"kerr sweep",
     "the same job in many sizes, formats and fidelities: one verified run each, as a table, CSV and a picture"},
    {"kerr sweep matmul", "multiply matrices of many sizes", cli::make_sweep_matmul},
    {"kerr sweep eval", "compute an expression over matrices of many sizes", cli::make_sweep_eval},
    {"kerr compare", "two runs side by side: what differs in the job, in cycles, counts and utilisation",
     cli::make_compare},
    {"kerr run", "run code of your own: ELF files, assembler text, raw bytes, or a program file", cli::make_run},
    {"kerr debug", "run code of your own under gdb: each hart is a process", cli::make_debug},
    {"kerr check", "what a run with --check says: its rules, and what orders two accesses"},
    {"kerr check explain", "say what a rule means, what usually is behind it and how it is mended",
     cli::make_check_explain},
    {"kerr check rules", "list the rules", cli::make_check_rules},
    {"kerr check edges", "list what orders two accesses, and who says so", cli::make_check_edges},
    {"kerr kernel", "the instruction streams that programs are made of"},
    {"kerr kernel show", "print them as assembly with remarks; nothing is run", cli::make_kernel_show},
    {"kerr loops", "loop programs: what a compiler of tensors gives to Kerr, as text"},
    {"kerr loops check", "say whether a file is a program, or where it is not", cli::make_loops_check},
    {"kerr loops show", "print a program as Kerr reads it", cli::make_loops_show},
    {"kerr loops run", "run a program in the interpreter", cli::make_loops_run},
    {"kerr diff", "where two recorded runs part", cli::make_diff},
    {"kerr replay", "run a recorded device again, bit for bit and without the host", cli::make_replay},
    {"kerr report", "a run as a page for a browser: tiles, links, timeline, critical path, source lines, findings",
     cli::make_report},
    {"kerr snapshot", "say what a snapshot holds, and check that it is whole", cli::make_snapshot},
    {"kerr info", "draw a board: tiles, harvested columns, dispatch cores, DRAM banks", cli::make_info},
    {"kerr devices", "list the cards of this machine, and why one cannot be used", cli::make_devices},
    {"kerr smi", "show a chip's clocks, temperatures, harvesting and firmware", cli::make_smi},
    {"kerr reset", "bring a chip back to its power-on state, also one that hangs", cli::make_reset},
    {"kerr asm", "assemble a text file of RV32 and Tensix instructions", cli::make_asm},
    {"kerr disasm", "disassemble words, an ELF file or a file of raw code", cli::make_disasm},
    {"kerr isa", "list the Tensix instructions: modes implemented, how checked, what is unknown, footprint",
     cli::make_isa},
    {"kerr map", "list the addresses of a Tensix tile: who reaches them, what a register answers", cli::make_map},
    {"kerr cq", "the command queue's bytes"},
    {"kerr cq dump", "decode records, a trace or a captured host region", cli::make_cq_dump},
    {"kerr timing", "the cost model of a Blackhole"},
    {"kerr timing show", "list its numbers: value, unit, evidence, section of docs/hardware/timing.md",
     cli::make_timing_show},
};

constexpr int kCannotRun = 2;  // exit status

int run(const std::vector<std::string>& words) {
  try {
    const int status = cli::run_command(kCommands, words);
    return cli::flush_output() ? status : kCannotRun;
  } catch (const host::DeviceError& error) {
    const bool is_refusal = error.category() == host::Category::HostError && error.report().empty();
    cli::say(is_refusal               ? error.sentence()
             : error.report().empty() ? error.summary()
                                      : fmt::format("{}\n{}", error.summary(), error.report()));
  } catch (const std::bad_alloc&) {
    cli::say(cli::out_of_memory());
  } catch (const std::exception& error) {
    cli::say(cli::text_of(error));
  }
  return kCannotRun;
}

}  // namespace

int main(int argc, char** argv) {
  if (const std::string problem = cli::prepare_process(); !problem.empty()) {
    cli::say(problem);
    return kCannotRun;
  }
  return run({argv + 1, argv + argc});
}
