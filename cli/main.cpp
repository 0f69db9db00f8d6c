// The `kerr` command.
#include <fcntl.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "arch/boards.hpp"
#include "cli/code.hpp"
#include "cli/cq.hpp"
#include "cli/devices.hpp"
#include "cli/eval.hpp"
#include "cli/help.hpp"
#include "cli/info.hpp"
#include "cli/isa.hpp"
#include "cli/kernel.hpp"
#include "cli/limits.hpp"
#include "cli/map.hpp"
#include "cli/matmul.hpp"
#include "cli/messages.hpp"
#include "cli/operations.hpp"
#include "cli/options.hpp"
#include "cli/replay.hpp"
#include "cli/smi.hpp"
#include "cli/timing.hpp"
#include "cli/version.hpp"
#include "host/error.hpp"

namespace {

using namespace kerr;

constexpr int kCannotRun = 2;  // exit status
constexpr uint64_t kLargestSeed = std::numeric_limits<uint64_t>::max();

CLI::Option* add_board_option(CLI::App* command, arch::Board& board) {
  return command
      ->add_option_function<std::string>(
          "--board", [&board](const std::string& name) { board = name == "p150" ? arch::kP150 : arch::kP100a; },
          "emulated board: p100a (default; 120 tiles, 7 DRAM banks) or p150 (140, 8), which calls itself p150a")
      ->transform(CLI::IsMember(std::vector<std::string>{"p100a", "p150"},
                                [](std::string name) { return name == "p150a" ? std::string("p150") : name; }));
}

// The three kinds of device, and the board of the emulated one.
struct ChipOptions {
  CLI::Option *board, *library, *card;
};

ChipOptions add_chip_options(CLI::App* command, jobs::DeviceSpec& device) {
  CLI::Option* board = add_board_option(command, device.emulator.board);
  CLI::Option* library = command
                             ->add_option("--library", device.library,
                                          "a library with the libttsim C ABI instead of the built-in emulator")
                             ->check(CLI::ExistingFile)
                             ->excludes(board);
  CLI::Option* card =
      command
          ->add_option("--device", device.card,
                       "a card instead of the emulator: its PCI address, or its number in 'kerr devices'")
          ->type_name("CARD")
          ->excludes(board)
          ->excludes(library);
  return {board, library, card};
}

CLI::Option* add_timing_parameters_option(CLI::App* command, std::optional<emu::timing::Parameters>& parameters,
                                          std::string& name) {
  return command
      ->add_option_function<std::string>(
          "--timing-parameters",
          [&parameters, &name](const std::string& file) {
            parameters = cli::read_timing_parameters(file);
            name = file;
          },
          "the numbers of exact timing, from a JSON file as 'kerr timing show --json' prints it; what it leaves out "
          "keeps its value")
      ->check(cli::readable_file());
}

CLI::Option* add_threads_option(CLI::App* command, int& threads) {
  return cli::add_number(command, "--threads", threads,
                         "emulator threads; changes the speed, never the result (default: one a CPU)", 1, 256);
}

void add_device_options(CLI::App* command, cli::DeviceFlags& device) {
  host::EmulatedOptions& emulator = device.spec.emulator;
  const ChipOptions chip = add_chip_options(command, device.spec);
  CLI::Option* threads = add_threads_option(command, emulator.shards);
  CLI::Option* timing =
      command
          ->add_option_function<std::string>(
              "--timing", [&emulator](const std::string& name) { emulator.exact_timing = name == "exact"; },
              "relaxed (default): fast, a fair order of events; exact: device time by the cost model of 'kerr timing "
              "show'")
          ->check(CLI::IsMember({"relaxed", "exact"}));
  CLI::Option* parameters = add_timing_parameters_option(command, device.spec.timing_parameters, device.timing_parameters_file)->needs(timing);
  CLI::Option* no_parking = command->add_flag_callback(
      "--no-parking", [&emulator] { emulator.parking = false; },
      "execute polling loops for real instead of skipping their turns; same result, same cycles, slower");
  CLI::Option* fp16_fault = command
                                ->add_option_function<std::string>(
                                    "--fp16-accumulation-fault",
                                    [&emulator](const std::string& on) { emulator.fp16_accumulation_fault = on == "on"; },
                                    "on (default): packing FP16 with accumulation in L1 makes the largest number of a "
                                    "sum that is too small, as on silicon; off: zero")
                                ->check(CLI::IsMember({"on", "off"}));
  CLI::Option* reorder = cli::add_number(
      command, "--noc-reorder", emulator.noc_reorder,
      "let NoC packets whose order hardware does not guarantee pass each other, by this seed: brings out missing "
      "barriers; a correct program's result stays",
      0, kLargestSeed);
  static const std::map<std::string, host::InstructionCache> kCaches{{"coherent", host::InstructionCache::Coherent},
                                                                     {"exact", host::InstructionCache::Exact},
                                                                     {"check", host::InstructionCache::Checked}};
  CLI::Option* icache = command
                            ->add_option_function<std::string>(
                                "--icache", [&emulator](const std::string& name) { emulator.icache = kCaches.at(name); },
                                "coherent (default): harts execute what L1 holds; exact: code that was overwritten "
                                "runs on until the hart's cache is "
                                "invalidated; check: running such code is a fault that names hart and address")
                            ->check(CLI::IsMember({"coherent", "exact", "check"}));
  CLI::Option* strict = command->add_flag("--strict", emulator.strict,
                                          "make a fault of each remark: of what a program holds and silicon takes no "
                                          "notice of; also KERR_STRICT=1");
  CLI::Option* observe = command->add_flag("--observe", device.observe,
                                           "count what happens: instructions by hart and thread, accesses by region, "
                                           "packets by kind; same result and cycles, slower");
  cli::group(command, "Device", {"--board", "--library", "--device", "--threads"});
  cli::group(command, "Emulator", {"--timing", "--timing-parameters", "--no-parking", "--fp16-accumulation-fault",
                                   "--noc-reorder", "--icache", "--observe", "--strict"});
  for (CLI::Option* other : {chip.library, chip.card}) {
    for (CLI::Option* of_emulator : {threads, timing, parameters, no_parking, fp16_fault, reorder, icache, strict, observe})
      other->excludes(of_emulator);
  }
}

// `given`: whether the fidelity was.
void add_fidelity_options(CLI::App* command, kernels::MatmulOptions& options, bool* given = nullptr) {
  static const std::map<std::string, kernels::Fidelity> kFidelities{{"lofi", kernels::Fidelity::LoFi},
                                                                    {"hifi2", kernels::Fidelity::HiFi2},
                                                                    {"hifi3", kernels::Fidelity::HiFi3},
                                                                    {"hifi4", kernels::Fidelity::HiFi4}};
  command
      ->add_option_function<std::string>(
          "--fidelity",
          [&options, given](const std::string& name) {
            options.fidelity = kFidelities.at(name);
            if (given) *given = true;
          },
          "multiplier phases, 1 to 4 (default: hifi2; of int8 hifi4, which it needs)")
      ->transform(CLI::IsMember({"lofi", "hifi2", "hifi3", "hifi4"}, CLI::ignore_case));
  command->add_flag("--fp32", options.fp32_accumulate, "accumulate in fp32 (default: bf16)");
}

void add_format_option(CLI::App* command, const char* name, kernels::Format& format, std::vector<std::string> names,
                       const char* what) {
  command
      ->add_option_function<std::string>(
          name, [&format](const std::string& text) { format = *kernels::format_named(text); }, what)
      ->check(CLI::IsMember(std::move(names)));
}

void add_plan_option(CLI::App* command, jobs::Planner& planner) {
  static const std::map<std::string, jobs::Planner> kPlanners{{"default", jobs::Planner::Default},
                                                             {"direct", jobs::Planner::Direct},
                                                             {"multicast", jobs::Planner::Multicast},
                                                             {"compat", jobs::Planner::Compat}};
  command
      ->add_option_function<std::string>(
          "--plan", [&planner](const std::string& name) { planner = kPlanners.at(name); },
          "direct: every core reads its operands from DRAM; multicast: one core of each row and column reads for all; "
          "default: of these two the one that is estimated to take less time; compat: grid, blocks and multicasts of "
          "the program whose times on silicon are known; its cores start one after another, as they did there")
      ->check(CLI::IsMember({"default", "direct", "multicast", "compat"}));
}

void add_seed_option(CLI::App* command, uint64_t& seed) {
  cli::add_number(command, "--seed", seed, "of the random matrices (default 1)");
}

void add_cores_option(CLI::App* command, uint32_t& cores) {
  cli::add_number(command, "--cores", cores, "use at most so many cores (default: all workers)", 1);
}

const std::vector<std::string> kElementFormats{"fp32", "fp16",  "bf16",   "bfp8", "bfp4",
                                               "int8", "int32", "int16", "uint16", "uint8"};
constexpr const char* kElementFormatsHelp =
    "of matrices of which none is said, and of floats between programs: fp32, fp16, bf16 (default), bfp8, bfp4; of integers: "
    "int32, int16, uint16, int8, uint8";

void add_eval(CLI::App& app, cli::EvalRequest& request, bool& list) {
  CLI::App* command =
      app.add_subcommand("eval", "compute an expression over random matrices on the device and verify the result");
  command->add_option("EXPRESSION", request.expression,
                      "names, numbers, + - * / % ** @ (matrix product), & | ^ ~ << >>, comparisons, calls of operations");
  add_device_options(command, request.device);
  add_format_option(command, "--format", request.job.format, kElementFormats, kElementFormatsHelp);
  add_seed_option(command, request.job.seed);
  cli::add_real(command, "--low", request.job.low,
                "least random number (default: -1, or what the expression's logarithms and roots are made for)");
  cli::add_real(command, "--high", request.job.high, "their end (default 1)");
  add_cores_option(command, request.job.cores);
  add_fidelity_options(command, request.job.matmul);
  command->add_flag("--slow-dispatch", request.job.slow_dispatch,
                    "the host writes every core itself, without the command queue");
  command->add_flag("--show", request.show, "only print what the vector unit would execute");
  command->add_flag("--operations", list, "only list the operations and how accurate they are");
  command->add_flag("--json", request.json, "print the report as JSON");
  command->footer(
      "Each name gets its shape by an option of that name: --a 512x1024, or --c 768 for one row; perhaps its format: "
      "--n 64x64:int32, and the\nrange of its random numbers: --x 64x64:-4..4.\n"
      "An expression may begin with a sign: kerr eval -x --x 64x64, or kerr eval --x 64x64 -- -x.\n"
      "One row, one column or one element fits a larger matrix. bf16(x), int32(x), bfp8(x) ... convert.\n"
      "Examples:\n"
      "  kerr eval \"gelu(a @ b + c)\" --a 512x1024 --b 1024x768 --c 768\n"
      "  kerr eval \"exp(x) / (1 + exp(x))\" --x 333x77 --format fp32 --low -20 --high 20\n"
      "  kerr eval \"softmax(q @ transpose(k) * 0.125) @ v\" --q 128x64 --k 96x64 --v 96x64\n"
      "  kerr eval \"where(x > y, sqrt(x), tanh(y))\" --x 64x64 --y 64x64 --show\n"
      "  kerr eval \"fp32(n % 7 << 2) * random(64, 64, 1) + x\" --n 64x64:int32 --x 64x64 --format fp32\n"
      "Exit status: 0 verified, or right as far as it can be told; 1 wrong; 2 could not be run.");
  cli::group(command, "Matrices and arithmetic", {"--format", "--seed", "--low", "--high", "--fidelity", "--fp32"});
  cli::group(command, "Plan and launch", {"--cores", "--slow-dispatch"});
  cli::group(command, "Output", {"--show", "--operations", "--json"});
  command->callback([&request, &list] {
    if (list) return;
    if (request.expression.empty()) throw CLI::RequiredError("EXPRESSION");
    const float low = request.job.low.value_or(jobs::kUsualRange.low),
                high = request.job.high.value_or(jobs::kUsualRange.high);
    if (low > high)
      throw CLI::ValidationError(fmt::format("--low {} is above --high {}{}", low, high,
                                             request.job.low && request.job.high ? "" : ", of which one is the default"));
  });
}

void add_matmul(CLI::App& app, cli::MatmulRequest& request) {
  CLI::App* command = app.add_subcommand("matmul", "multiply two random matrices on the device and verify the product");
  cli::add_number(command, "M", request.job.shape.m, "rows of A and C", 1, kernels::kLargestSize)->required();
  cli::add_number(command, "N", request.job.shape.n, "columns of B and C", 1, kernels::kLargestSize)->required();
  cli::add_number(command, "K", request.job.shape.k, "columns of A, rows of B", 1, kernels::kLargestSize)->required();
  add_device_options(command, request.device);
  add_seed_option(command, request.job.seed);
  add_cores_option(command, request.job.cores);
  add_fidelity_options(command, request.job.options, &request.job.fidelity_given);
  add_format_option(command, "--in", request.job.options.in, {"fp32", "fp16", "bf16", "bfp8", "bfp4", "int8"},
                    "format of A and B (default: bf16); fp32 becomes tf32 in the matrix unit");
  add_format_option(command, "--out", request.job.options.out, {"fp32", "fp16", "bf16", "bfp8", "bfp4", "int32"},
                    "format of C (default: bf16)");
  cli::add_number(command, "--batch", request.job.options.batch,
                  "so many products of different matrices in one launch (default 1)", 1, 4096);
  command->add_flag("--bias", request.job.bias, "add a random row to each row of the product");
  command
      ->add_option("--epilogue", request.job.epilogue,
                   "an expression of x that is computed of each element before it leaves Dst, after the bias: "
                   "\"gelu(x)\"; 'kerr eval --operations' lists what it may contain")
      ->type_name("EXPRESSION");
  add_plan_option(command, request.job.planner);
  CLI::Option* slow = command->add_flag("--slow-dispatch", request.job.slow_dispatch,
                                        "the host writes every core itself, without the command queue");
  command
      ->add_option_function<std::string>(
          "--launch",
          [&request](const std::string& name) {
            request.job.launch = name == "small-writes"   ? jobs::Launch::SmallWrites
                             : name == "whole-writes" ? jobs::Launch::WholeWrites
                                                      : jobs::Launch::Overlapped;
          },
          "overlapped (default): a program is written while the one before it runs; small-writes: one command after "
          "another, data in pieces of 1 KiB with a barrier after each, as blackhole-py's host wrote the programs whose "
          "times on silicon are known; whole-writes: uncut and with one barrier, as another revision of that host")
      ->check(CLI::IsMember({"overlapped", "small-writes", "whole-writes"}))
      ->excludes(slow);
  CLI::Option* repeat =
      cli::add_number(command, "--repeat", request.job.repeat,
                      "with --launch small-writes or whole-writes: queue so many launches at once and report the "
                      "quickest (default: 3, as the benchmark of that host did)",
                      1, 1000)
          ->excludes(slow);
  command
      ->add_option("--save-queue", request.save_queue,
                   "write the command queue's host memory to this file, for 'kerr cq dump --region'")
      ->type_name("FILE")
      ->excludes("--slow-dispatch");
  command
      ->add_option("--record", request.job.recording.log,
                   "write all that the device is told to this file, for 'kerr replay'; Ctrl-C ends it properly, and a "
                   "killed run leaves FILE.part")
      ->type_name("FILE")
      ->excludes("--library")
      ->excludes("--device");
  CLI::Option* snapshot =
      command->add_option("--snapshot", request.job.recording.snapshot, "write a snapshot of the device to this file")
          ->type_name("FILE")
          ->excludes("--library")
          ->excludes("--device");
  CLI::Option* at = cli::add_number(command, "--snapshot-at", request.job.recording.snapshot_at,
                                    "at the first chance from this device cycle on (default: at the end)");
  at->needs(snapshot);
  command
      ->add_flag("--profile", request.job.profile,
                 "print when each core ran and where its harts' time went; the marks cost a little of it")
      ->excludes("--slow-dispatch")
      ->excludes(repeat);
  for (CLI::Option* option :
       {command->add_flag("--utilisation", request.timeline.utilisation,
                          "print how busy units, links and DRAM banks were, what for harts and threads waited, and the "
                          "critical path; needs --timing exact"),
        command->add_option("--trace", request.timeline.trace,
                            "write a trace of all harts, threads, units and links to this file, for ui.perfetto.dev; "
                            "needs --timing exact")
            ->type_name("FILE"),
        command->add_option("--heat-map", request.timeline.heat_map,
                            "draw how busy the links of both NoCs were to this SVG file; needs --timing exact")
            ->type_name("FILE")}) {
    option->excludes("--library")->excludes("--device")->excludes("--observe");
  }
  command->add_flag("--state-hash", request.job.hash_state,
                    "print a hash of the whole chip's state after the run: equal for equal runs");
  CLI::Option* explain = command->add_flag("--explain", request.explain, "only say what would be run, and why");
  // Nothing is run that they could show, or on another device.
  for (const char* other :
       {"--save-queue", "--record", "--snapshot", "--trace", "--heat-map", "--state-hash", "--library", "--device"})
    explain->excludes(other);
  command->add_flag("--json", request.json, "print the report as JSON");
  cli::group(command, "Product", {"--in", "--out", "--fidelity", "--fp32", "--bias", "--epilogue", "--batch", "--seed"});
  cli::group(command, "Plan and launch",
             {"--explain", "--plan", "--cores", "--slow-dispatch", "--launch", "--repeat"});
  cli::group(command, "Output", {"--json", "--profile", "--utilisation", "--trace", "--heat-map", "--state-hash",
                                 "--save-queue", "--record", "--snapshot", "--snapshot-at"});
  command->footer(
      "Examples:\n"
      "  kerr matmul 512 512 512\n"
      "  kerr matmul 2048 2048 2048 --plan compat --explain\n"
      "  kerr matmul 32 3776 64 --plan direct  # one tile column on each of 118 cores\n"
      "  kerr matmul 512 768 512 --bias --epilogue \"gelu(x)\"\n"
      "  kerr matmul 256 96 160 --board p150 --fidelity hifi4 --fp32\n"
      "  kerr matmul 256 256 256 --in int8 --out int32\n"
      "  kerr matmul 512 512 512 --noc-reorder=7\n"
      "  kerr matmul 512 512 512 --timing exact --utilisation --trace run.json --heat-map links.svg\n"
      "  kerr matmul 256 256 256 --record run.log --snapshot half.snap --snapshot-at 20000\n"
      "Exit status: 0 verified, or right as far as it can be told; 1 wrong; 2 could not be run.");
}

void add_kernel(CLI::App& app, cli::KernelRequest& request) {
  CLI::App* command = app.add_subcommand("kernel", "the instruction streams that programs are made of");
  CLI::App* show = command->add_subcommand("show", "print them as assembly with remarks; nothing is run");
  show->add_option("WHAT", request.what, "matmul M N K, or an expression and its shapes as for 'kerr eval'")
      ->required();
  show->add_option("SIZES", request.sizes, "of matmul: M N K");
  add_board_option(show, request.board);
  show->add_option("--stream", request.stream,
                   "only streams whose name contains this: reader, writer, unpack, math, pack");
  add_format_option(show, "--format", request.format, kElementFormats, kElementFormatsHelp);
  add_plan_option(show, request.planner);
  show->add_flag("--json", request.json, "print them as JSON");
  command->require_subcommand(1);
  for (CLI::App* c : {command, show}) c->footer(
      "Examples:\n"
      "  kerr kernel show matmul 512 512 512 --stream math\n"
      "  kerr kernel show \"gelu(x)\" --x 64x64 --stream unpack");
}

void add_replay(CLI::App& app, cli::ReplayRequest& request) {
  CLI::App* command = app.add_subcommand("replay", "run a recorded device again, bit for bit and without the host");
  command->add_option("LOG", request.log, "written by 'kerr matmul --record' or KERR_RECORD of libttsim_bh.so; LOG.part, what a killed run leaves, "
                      "is replayed as far as it goes")
      ->required();
  command->add_option("--snapshot", request.snapshot, "begin here: a snapshot of the same run (default: at power-on)")
      ->type_name("FILE");
  cli::add_number(command, "--until", request.until, "stop at this device cycle (default: the end of the log)");
  command->add_option("--save", request.save, "write a snapshot of where it stopped")->type_name("FILE");
  add_threads_option(command, request.threads);
  command->add_flag("--json", request.json, "print the report as JSON");
  command->footer(
      "Every byte that the device gave back is compared with the recording.\n"
      "Examples:\n"
      "  kerr matmul 256 256 256 --record run.log\n"
      "  kerr replay run.log\n"
      "  kerr replay run.log --until 20000 --save half.snap\n"
      "  kerr replay run.log --snapshot half.snap\n"
      "Exit status: 0 all as recorded, 2 it differs, or a file is damaged or does not fit.");
}

void add_snapshot(CLI::App& app, cli::SnapshotRequest& request) {
  CLI::App* command = app.add_subcommand("snapshot", "say what a snapshot holds, and check that it is whole");
  command->add_option("FILE", request.file, "the snapshot")->required();
  command->add_flag("--json", request.json, "print it as JSON");
  command->footer("Example:\n  kerr matmul 256 256 256 --snapshot end.snap && kerr snapshot end.snap");
}

struct InfoRequest {
  arch::Board board = arch::kP100a;
  bool json = false;
};

void add_info(CLI::App& app, InfoRequest& request) {
  CLI::App* command = app.add_subcommand("info", "draw a board: tiles, harvested columns, dispatch cores, DRAM banks");
  add_board_option(command, request.board);
  command->add_flag("--json", request.json, "print it as JSON");
  command->footer("Example:\n  kerr info --board p150");
}

void add_devices(CLI::App& app, bool& json) {
  CLI::App* command = app.add_subcommand("devices", "list the cards of this machine, and why one cannot be used");
  command->add_flag("--json", json, "print the list as JSON");
  command->footer("Nothing is changed or disturbed.\nExamples:\n  kerr devices\n  kerr smi --device 0");
}

struct ChipRequest {
  jobs::DeviceSpec device;
  bool json = false;
};

void add_smi(CLI::App& app, ChipRequest& request) {
  CLI::App* command = app.add_subcommand("smi", "show a chip's clocks, temperatures, harvesting and firmware");
  add_chip_options(command, request.device);
  command->add_flag("--json", request.json, "print them as JSON");
  command->footer("An emulated chip that runs nothing is idle, at 800 MHz; 'kerr matmul' counts at the 1350 MHz of a busy one.\n"
                  "Examples:\n  kerr smi --board p150\n  kerr smi --device 0000:01:00.0 --json");
}

void add_reset(CLI::App& app, ChipRequest& request) {
  CLI::App* command = app.add_subcommand("reset", "bring a chip back to its power-on state, also one that hangs");
  add_chip_options(command, request.device);
  command->add_flag("--json", request.json, "print the steps as JSON");
  command->footer(
      "Example:\n  kerr reset --device 0\n"
      "Exit status: 0 the chip was reset, 1 only its PCI function, 2 it does not come back or may not be reset.");
}

void add_asm(CLI::App& app, cli::AsmRequest& request) {
  CLI::App* command = app.add_subcommand("asm", "assemble a text file of RV32 and Tensix instructions");
  command->add_option("FILE", request.file, "source: RV32 in lower case, Tensix in upper case; -: standard input")
      ->required()
      ->check(cli::readable_file());
  CLI::Option* output =
      command->add_option("-o,--output", request.output, "write the raw bytes to this file (default: print a listing)")
          ->type_name("FILE");
  cli::add_number(command, "--base", request.base, "address of the first byte (default 0)");
  command->add_flag("--json", request.json, "print the words as JSON")->excludes(output);
  command->footer(
      "Example of a source:\n  loop: lw a0, 0(a1)\n        MVMUL dst=8, addr_mode=1\n        bnez a0, loop\n        "
      "ret\n"
      "Examples:\n  kerr asm program.s\n  kerr asm program.s -o program.bin --base 0x4000\n"
      "  echo 'addi a0, a0, 1' | kerr asm -");
}

void add_disasm(CLI::App& app, cli::DisasmRequest& request) {
  CLI::App* command = app.add_subcommand("disasm", "disassemble words, an ELF file or a file of raw code");
  command->add_option("WHAT", request.what, "files, - for standard input, or 32-bit words in hexadecimal")->required();
  command->add_flag("--tensix", request.tensix, "words are raw Tensix instructions (default: a hart's code)");
  cli::add_number(command, "--base", request.base, "address of the first word (default 0)", 0, 0xFFFF'FFFF);
  command->add_flag("--json", request.json, "print as JSON");
  command->footer(
      "Examples:\n  kerr disasm 0x00a58593 0x9800000c\n  kerr disasm --tensix 26004000\n  kerr disasm firmware.elf\n"
      "  kerr asm program.s -o program.bin && kerr disasm program.bin\n  kerr disasm - < program.bin");
}

void add_isa(CLI::App& app, bool& formats, bool& refusals, bool& json) {
  CLI::App* command = app.add_subcommand(
      "isa", "list the Tensix instructions: modes implemented, how checked, what is unknown, footprint");
  CLI::Option* of_formats =
      command->add_flag("--formats", formats, "list instead which number formats the unpackers and the packer convert");
  command
      ->add_flag("--refusals", refusals,
                 "list instead what is refused or passes with a remark, and what is known of silicon")
      ->excludes(of_formats);
  command->add_flag("--json", json, "print the tables as JSON");
  command->footer(
      "Prints Markdown, the tables of docs/reference/instructions.md (--formats: formats.md).\n"
      "Examples:\n  kerr isa\n  kerr isa --formats\n  kerr isa --refusals\n  kerr isa --json");
}

void add_map(CLI::App& app, bool& json) {
  CLI::App* command =
      app.add_subcommand("map", "list the addresses of a Tensix tile: who reaches them, what a register answers");
  command->add_flag("--json", json, "print the tables as JSON");
  command->footer("Prints Markdown, the tables of docs/reference/memory-map.md.\nExamples:\n  kerr map\n  kerr map --json");
}

void add_cq(CLI::App& app, cli::CqDumpRequest& request) {
  CLI::App* command = app.add_subcommand("cq", "the command queue's bytes");
  CLI::App* dump = command->add_subcommand("dump", "decode records, a trace or a captured host region");
  dump->add_option("FILE", request.file, "raw bytes: commands one behind the other; -: standard input")
      ->required()
      ->check(cli::readable_file());
  CLI::Option* region =
      dump->add_flag("--region", request.region,
                     "FILE is a host region: the commands up to its write pointer, then what is left of older ones");
  cli::add_number(dump, "--issue-bytes", request.issue_bytes, "of the region's issue ring (default 64 MiB)", 64, 1u << 31)
      ->needs(region);
  cli::add_number(dump, "--offset", request.offset, "of the first command (default 0)")->excludes(region);
  dump->add_flag("--json", request.json, "print as JSON");
  command->require_subcommand(1);
  for (CLI::App* c : {command, dump})
    c->footer("Example:\n  kerr matmul 64 64 64 --save-queue region.bin && kerr cq dump --region region.bin");
}

void add_timing(CLI::App& app, cli::TimingRequest& request) {
  CLI::App* command = app.add_subcommand("timing", "the cost model of a Blackhole");
  CLI::App* show =
      command->add_subcommand("show", "list its numbers: value, unit, evidence, section of docs/hardware/timing.md");
  CLI::Option* parameters = add_timing_parameters_option(show, request.parameters, request.parameters_file);
  cli::add_number(show, "--clock", request.clock_mhz,
                  "MHz of the chip's own clock: converts what DRAM and PCIe, which have theirs, take", 1, 10'000)
      ->excludes(parameters);
  show->add_flag("--json", request.json, "print them as JSON, which --timing-parameters reads back");
  command->require_subcommand(1);
  for (CLI::App* c : {command, show}) c->footer(
      "Examples:\n  kerr timing show\n"
      "  kerr timing show --clock 800 --json > slow.json && kerr matmul 256 256 256 --timing exact "
      "--timing-parameters slow.json");
}


// What was printed may still be in a buffer, and its file full or closed.
int finish(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  cli::say("standard output cannot be written: the output above is not complete.");
  return kCannotRun;
}

// The libraries' own words name nothing that a user has given.
std::string text_of(const std::exception& error) {
  if (dynamic_cast<const std::system_error*>(&error) == nullptr) return error.what();
  if (std::ferror(stdout) != 0) return "standard output cannot be written: the output above is not complete.";
  return fmt::format("the system refuses this run a thread ({}).  Try a higher 'ulimit -u', or 'unlimited'.",
                     error.what());
}

// A file that is opened later must not get the number of a closed standard stream: what is said there would end up in it.
// Opened the wrong way round, so that using it still fails.
void hold_standard_streams() {
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) < 0) (void)::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_streams();
  (void)std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error of writing it
  if (const std::string problem = cli::ensure_stack(); !problem.empty()) {
    cli::say(problem);
    return kCannotRun;
  }
  CLI::App app{"Kerr: a Tenstorrent Blackhole that you can see inside.", "kerr"};
  app.formatter(std::make_shared<cli::HelpFormatter>());
  app.set_version_flag("--version", cli::version_text(), "print version and commit");
  app.require_subcommand(0, 1);  // with more required, the parser hides which word it does not know
  app.footer("Examples:\n  kerr matmul 512 512 512\n  kerr eval \"gelu(a @ b + c)\" --a 512x1024 --b 1024x768 --c 768\n  kerr matmul --help");
  cli::MatmulRequest matmul;
  InfoRequest info;
  cli::AsmRequest assembly;
  cli::DisasmRequest disassembly;
  cli::ReplayRequest replay;
  cli::SnapshotRequest snapshot;
  add_matmul(app, matmul);
  cli::EvalRequest eval;
  bool list_operations = false;
  add_eval(app, eval, list_operations);
  cli::KernelRequest kernel;
  add_kernel(app, kernel);
  add_replay(app, replay);
  add_snapshot(app, snapshot);
  add_info(app, info);
  bool devices_as_json = false;
  add_devices(app, devices_as_json);
  ChipRequest smi, reset;
  add_smi(app, smi);
  add_reset(app, reset);
  add_asm(app, assembly);
  add_disasm(app, disassembly);
  bool isa_formats = false, isa_refusals = false, isa_as_json = false, map_as_json = false;
  add_isa(app, isa_formats, isa_refusals, isa_as_json);
  add_map(app, map_as_json);
  cli::CqDumpRequest cq_dump;
  add_cq(app, cq_dump);
  cli::TimingRequest timing;
  add_timing(app, timing);
  cli::refuse_empty_values(app);
  try {
    std::vector<std::string> shapes;
    std::vector<std::string> words = cli::take_expression(app, {argv + 1, argv + argc}, shapes);
    eval.shapes = kernel.shapes = std::move(shapes);
    std::ranges::reverse(words);  // as the parser takes them
    app.parse(std::move(words));
    if (app.got_subcommand("matmul")) return finish(cli::matmul_command(matmul));
    if (app.got_subcommand("eval"))
      return finish(list_operations ? cli::operations_command(eval.json) : cli::eval_command(eval));
    if (app.got_subcommand("kernel")) return finish(cli::kernel_command(kernel));
    if (app.got_subcommand("replay")) return finish(cli::replay_command(replay));
    if (app.got_subcommand("snapshot")) return finish(cli::snapshot_command(snapshot));
    if (app.got_subcommand("info")) return finish(cli::info_command(info.board, info.json));
    if (app.got_subcommand("devices")) return finish(cli::devices_command(devices_as_json));
    if (app.got_subcommand("smi")) return finish(cli::smi_command(smi.device, smi.json));
    if (app.got_subcommand("reset")) return finish(cli::reset_command(reset.device, reset.json));
    if (app.got_subcommand("asm")) return finish(cli::asm_command(assembly));
    if (app.got_subcommand("disasm")) return finish(cli::disasm_command(disassembly));
    if (app.got_subcommand("isa")) return finish(cli::isa_command(isa_formats, isa_refusals, isa_as_json));
    if (app.got_subcommand("map")) return finish(cli::map_command(map_as_json));
    if (app.got_subcommand("cq")) return finish(cli::cq_dump_command(cq_dump));
    if (app.got_subcommand("timing")) return finish(cli::timing_command(timing));
    cli::say(
        "a command is required: matmul, eval, kernel, replay, snapshot, info, devices, smi, reset, asm, disasm, isa, "
        "map, cq or timing.  Try 'kerr --help'.");
  } catch (const CLI::Success& help) {
    return finish(app.exit(help));
  } catch (const CLI::ParseError& error) {
    cli::say(cli::refusal(app, error));
  } catch (const host::DeviceError& error) {
    cli::say(error.report().empty() ? error.summary() : fmt::format("{}\n{}", error.summary(), error.report()));
  } catch (const std::bad_alloc&) {
    cli::say(cli::out_of_memory());
  } catch (const std::exception& error) {
    cli::say(text_of(error));
  }
  return kCannotRun;
}
