#include "cli/options.hpp"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "cli/timing_parameters.hpp"

namespace kerr::cli {

namespace {

// A P150 calls itself so.
std::string board_spelling(std::string name) { return name == "p150a" ? "p150" : name; }

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

void add_board(Syntax& syntax, arch::Board& board) {
  syntax
      .choice("--board", board, {{"p100a", arch::kP100a}, {"p150", arch::kP150}},
              "emulated board: p100a (default; 120 tiles, 7 DRAM banks) or p150 (140, 8), which calls itself p150a")
      .respelled(board_spelling);
}

void add_chip(Syntax& syntax, jobs::DeviceSpec& device) {
  add_board(syntax, device.emulator.boards.front());
  syntax.input_file("--library", device.library, "a library with the libttsim C ABI instead of the built-in emulator")
      .excludes({"--board"});
  syntax
      .text("--device", device.card, "a card instead of the emulator: its PCI address, or its number in 'kerr devices'")
      .called("CARD")
      .excludes({"--board", "--library"});
}

Option add_threads(Syntax& syntax, int& threads) {
  return syntax.number("--threads", threads,
                       "emulator threads; changes the speed, never the result (default: one a CPU)", 1, 256);
}

Option add_timing_parameters(Syntax& syntax, emu::timing::Parameters& parameters, std::string& file) {
  return syntax.input_file(
      "--timing-parameters", file,
      "the numbers of exact timing, from a JSON file as 'kerr timing show --json' prints it; what it leaves out keeps "
      "its value",
      [&parameters, &file] { parameters = read_timing_parameters(file); });
}

void DeviceOptions::declare(Syntax& syntax) {
  emu::Options& emulator = spec.emulator;
  syntax.group("Device");
  add_chip(syntax, spec);
  add_threads(syntax, emulator.shards).excludes({"--library", "--device"});
  syntax.group("Emulator", {"--library", "--device"});
  syntax.choice("--timing", emulator.timing, {{"relaxed", emu::Timing::Relaxed}, {"exact", emu::Timing::Exact}},
                "relaxed (default): fast, a fair order of events; exact: device time by the cost model of 'kerr timing "
                "show'");
  add_timing_parameters(syntax, emulator.parameters, timing_parameters_file).needs("--timing");
  syntax.flag("--no-parking", emulator.parking, false,
              "execute polling loops for real instead of skipping their turns; same result, same cycles, slower");
  syntax.choice("--fp16-accumulation-fault", emulator.fp16_accumulation_fault, {{"on", true}, {"off", false}},
                "on (default): packing FP16 with accumulation in L1 makes the largest number of a sum that is too "
                "small, as on silicon; off: zero");
  syntax.number("--noc-reorder", emulator.noc_reorder,
                "let NoC packets whose order hardware does not guarantee pass each other, by this seed: brings out "
                "missing barriers; a correct program's result stays");
  syntax.number("--window", emulator.window_cycles,
                "cycles between which tiles hear of each other: relaxed a multiple of 64 up to 2^20 (default 256), "
                "exact 1 to 22; a program that synchronises properly computes the same with each",
                1);
  syntax.choice("--icache", emulator.icache,
                {{"coherent", emu::InstructionCaching::Coherent},
                 {"exact", emu::InstructionCaching::Exact},
                 {"check", emu::InstructionCaching::Checked}},
                "coherent (default): harts execute what L1 holds; exact: code that was overwritten runs on until the "
                "hart's cache is invalidated; check: running such code is a fault that names hart and address");
  syntax.flag("--strict", emulator.strict,
              "make a fault of each remark: of what a program holds and silicon takes no notice of; also "
              "KERR_STRICT=1");
  syntax.flag("--observe", observe,
              "count what happens: instructions by hart and thread, accesses by region, packets by kind; same result "
              "and cycles, slower");
}

void add_seed(Syntax& syntax, uint64_t& seed) { syntax.number("--seed", seed, "of the random matrices (default 1)"); }

void add_cores(Syntax& syntax, uint32_t& cores) {
  syntax.number("--cores", cores, "use at most so many cores (default: all workers)", 1);
}

void add_plan(Syntax& syntax, jobs::Planner& planner) {
  syntax.choice(
      "--plan", planner,
      {{"default", jobs::Planner::Default},
       {"direct", jobs::Planner::Direct},
       {"multicast", jobs::Planner::Multicast},
       {"compat", jobs::Planner::Compat}},
      "direct: every core reads its operands from DRAM; multicast: one core of each row and column reads for all; "
      "default: of these two the one that is estimated to take less time; compat: grid, blocks and multicasts of the "
      "program whose times on silicon are known; its cores start one after another, as they did there");
}

void add_slow_dispatch(Syntax& syntax, bool& slow_dispatch) {
  syntax.flag("--slow-dispatch", slow_dispatch, "the host writes every core itself, without the command queue");
}

void add_fp32(Syntax& syntax, bool& fp32_accumulate) {
  syntax.flag("--fp32", fp32_accumulate, "accumulate in fp32 (default: bf16)");
}

void add_fidelity(Syntax& syntax, kernels::MatmulOptions& options, bool* given) {
  std::vector<std::string> names;
  for (const NamedFidelity& each : kFidelities) names.emplace_back(each.name);
  syntax
      .word(
          "--fidelity", std::move(names),
          [&options, given](size_t index) {
            options.fidelity = kFidelities[index].fidelity;
            if (given) *given = true;
          },
          "multiplier phases, 1 to 4 (default: hifi2; of int8 hifi4, which it needs)")
      .respelled(lower_case);
  add_fp32(syntax, options.fp32_accumulate);
}

void add_format(Syntax& syntax, const char* name, kernels::Format& format,
                std::initializer_list<kernels::Format> formats, const char* help) {
  const std::vector<kernels::Format> all(formats);
  std::vector<std::string> names;
  for (const kernels::Format each : all) names.emplace_back(info(each).name);
  syntax.word(
      name, std::move(names), [&format, all](size_t index) { format = all[index]; }, help);
}

void add_element_format(Syntax& syntax, kernels::Format& format) {
  using enum kernels::Format;
  add_format(syntax, "--format", format, {Fp32, Fp16, Bf16, Bfp8, Bfp4, Int8, Int32, Int16, Uint16, Uint8},
             "of matrices of which none is said, and of floats between programs: fp32, fp16, bf16 (default), bfp8, "
             "bfp4; of integers: int32, int16, uint16, int8, uint8");
}

}  // namespace kerr::cli
