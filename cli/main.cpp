// The `kerr` command.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <map>
#include <string>

#include "cli/code.hpp"
#include "cli/info.hpp"
#include "cli/matmul.hpp"
#include "host/error.hpp"

namespace {

using namespace kerr;

void add_board_option(CLI::App* command, std::string& board) {
  command->add_option("--board", board, "emulated board: p100a (default; 120 tiles, 7 DRAM banks) or p150 (140, 8)")
      ->check(CLI::IsMember({"p100a", "p150"}));
}

void add_device_options(CLI::App* command, cli::DeviceChoice& device) {
  add_board_option(command, device.board);
  command->add_option("--threads", device.threads, "emulator threads; changes the speed, never the result (default: one a CPU)")
      ->check(CLI::Range(1, 256));
  command->add_option("--library", device.library, "run on a library with the libttsim C ABI instead of the built-in emulator")
      ->check(CLI::ExistingFile);
}

void add_matmul(CLI::App& app, cli::MatmulRequest& request) {
  CLI::App* command = app.add_subcommand("matmul", "multiply two random bf16 matrices on the device and verify the product");
  command->add_option("M", request.m, "rows of A and C")->required();
  command->add_option("N", request.n, "columns of B and C")->required();
  command->add_option("K", request.k, "columns of A, rows of B")->required();
  add_device_options(command, request.device);
  command->add_option("--seed", request.seed, "of the matrices (default 1)");
  command->add_option("--cores", request.cores, "use at most so many cores (default: all workers)");
  static const std::map<std::string, kernels::Fidelity> kFidelities{{"lofi", kernels::Fidelity::LoFi},
                                                                    {"hifi2", kernels::Fidelity::HiFi2},
                                                                    {"hifi3", kernels::Fidelity::HiFi3},
                                                                    {"hifi4", kernels::Fidelity::HiFi4}};
  command->add_option("--fidelity", request.options.fidelity, "lofi, hifi2 (default), hifi3 or hifi4: 1 to 4 multiplier phases")
      ->transform(CLI::CheckedTransformer(kFidelities, CLI::ignore_case));
  command->add_flag("--fp32", request.options.fp32_accumulate, "accumulate in fp32 (default: bf16)");
  command->add_flag("--slow-dispatch", request.slow_dispatch, "the host writes every core itself, without the command queue");
  command->add_flag("--json", request.json, "print the report as JSON");
  command->footer(
      "Examples:\n"
      "  kerr matmul 512 512 512\n"
      "  kerr matmul 32 3776 64 --json          one tile column on each of 118 cores\n"
      "  kerr matmul 256 96 160 --board p150 --fidelity hifi4 --fp32\n"
      "Exit status: 0 verified, 1 not verified, 2 could not be run.");
}

struct InfoRequest {
  std::string board = "p100a";
  bool json = false;
};

void add_info(CLI::App& app, InfoRequest& request) {
  CLI::App* command = app.add_subcommand("info", "draw a board: tiles, harvested columns, dispatch cores, DRAM banks");
  add_board_option(command, request.board);
  command->add_flag("--json", request.json, "print it as JSON");
  command->footer("Example:\n  kerr info --board p150");
}

void add_asm(CLI::App& app, cli::AsmRequest& request) {
  CLI::App* command = app.add_subcommand("asm", "assemble a text file of RV32 and Tensix instructions");
  command->add_option("FILE", request.file, "source: RV32 in lower case, Tensix in upper case")->required()->check(CLI::ExistingFile);
  command->add_option("-o,--output", request.output, "write the raw bytes to this file (default: print a listing)");
  command->add_option("--base", request.base, "address of the first byte (default 0)");
  command->add_flag("--json", request.json, "print the words as JSON");
  command->footer("Example of a source:\n  loop: lw a0, 0(a1)\n        MVMUL dst=8, addr_mode=1\n        bnez a0, loop\n        ret");
}

void add_disasm(CLI::App& app, cli::DisasmRequest& request) {
  CLI::App* command = app.add_subcommand("disasm", "disassemble words, an ELF file or a file of raw code");
  command->add_option("WHAT", request.what, "files, or 32-bit words in hexadecimal")->required();
  command->add_flag("--tensix", request.tensix, "words are raw Tensix instructions (default: a hart's code)");
  command->add_option("--base", request.base, "address of the first word (default 0)");
  command->add_flag("--json", request.json, "print as JSON");
  command->footer("Examples:\n  kerr disasm 0x00a58593 0x9800000c\n  kerr disasm --tensix 26004000\n  kerr disasm firmware.elf");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Kerr: a Tenstorrent Blackhole that you can see inside.", "kerr"};
  app.require_subcommand(1);
  app.footer("Try 'kerr matmul 512 512 512', or 'kerr COMMAND --help'.");
  cli::MatmulRequest matmul;
  InfoRequest info;
  cli::AsmRequest assembly;
  cli::DisasmRequest disassembly;
  add_matmul(app, matmul);
  add_info(app, info);
  add_asm(app, assembly);
  add_disasm(app, disassembly);
  CLI11_PARSE(app, argc, argv);
  try {
    if (app.got_subcommand("matmul")) return cli::matmul_command(matmul);
    if (app.got_subcommand("info")) return cli::info_command(info.board, info.json);
    if (app.got_subcommand("asm")) return cli::asm_command(assembly);
    if (app.got_subcommand("disasm")) return cli::disasm_command(disassembly);
  } catch (const host::DeviceError& error) {
    fmt::print(stderr, "kerr: {}\n", error.what());
    if (!error.report().empty()) fmt::print(stderr, "{}\n", error.report());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "kerr: {}\n", error.what());
    return 2;
  }
  return 0;
}
