// kerr run: code of one's own on harts of a chip.

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/code_lines.hpp"
#include "cli/commands/commands.hpp"
#include "cli/dumps.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/version.hpp"
#include "jobs/run/buffers.hpp"
#include "jobs/run/code.hpp"
#include "jobs/run/data.hpp"
#include "jobs/run/program_file.hpp"
#include "jobs/run/run.hpp"
#include "report/json.hpp"

namespace kerr::cli {

namespace {

using jobs::RunHart;
using jobs::RunOutcome;

constexpr uintmax_t kLargestDataFile = uintmax_t{1} << 30;

// Which statuses the command ends with; 2 is of what could not be run.
int status_of(RunOutcome::End end) {
  switch (end) {
    case RunOutcome::End::Finished: return 0;
    case RunOutcome::End::Faulted: return 1;
    case RunOutcome::End::Deadlocked: return 3;
    case RunOutcome::End::OutOfCycles: return 4;
  }
  return 1;
}

// Lines as they come: what is there when a run is interrupted stays.
class LogFile {
 public:
  explicit LogFile(std::string path) : path_(std::move(path)) {
    if (path_.empty()) return;
    file_ = path_ == "-" ? stdout : std::fopen(path_.c_str(), "w");
    if (file_ == nullptr) throw std::invalid_argument(fmt::format("cannot write '{}': {}", path_, std::strerror(errno)));
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

struct HartFile {
  arch::Hart hart;
  std::string file;
};

// "brisc,ncrisc" or "trisc0=unpack.elf".
struct HartOption {
  std::vector<arch::Hart> harts;
  std::string file;  // empty: FILE
};
HartOption hart_option(const std::string& text) {
  HartOption out;
  const size_t equals = text.find('=');
  if (equals != std::string::npos) {
    out.file = text.substr(equals + 1);
    if (out.file.empty()) throw UsageError(fmt::format("--hart {}: a file is missing behind '='", text));
  }
  const std::string names = text.substr(0, equals);
  for (size_t at = 0; at <= names.size();) {
    const size_t comma = std::min(names.find(',', at), names.size());
    out.harts.push_back(jobs::parse_hart(std::string_view(names).substr(at, comma - at)));
    at = comma + 1;
  }
  return out;
}

// Words for all harts, or for one: "ncrisc=1,2".
struct Arguments {
  std::map<arch::Hart, std::vector<jobs::Word>> of_hart;
  std::optional<std::vector<jobs::Word>> of_all;

  void add(const char* option, const std::string& text) {
    const size_t equals = text.find('=');
    bool is_new = !of_all;
    if (equals == std::string::npos) {
      of_all = jobs::parse_words(text);
    } else {
      is_new = of_hart.try_emplace(jobs::parse_hart(text.substr(0, equals)), jobs::parse_words(text.substr(equals + 1))).second;
    }
    if (!is_new) throw UsageError(fmt::format("{} {}: arguments of the same hart are given twice", option, text));
  }
  std::vector<jobs::Word> of(arch::Hart hart) const {
    const auto own = of_hart.find(hart);
    return own != of_hart.end() ? own->second : of_all.value_or(std::vector<jobs::Word>());
  }
};

std::string core_text(arch::NocCoord core) { return fmt::format("({},{})", core.x, core.y); }

class Run final : public Command {
  void declare(Syntax& syntax) override {
    syntax.texts("FILE", files_,
                 "code: an ELF file, assembler text as of 'kerr asm', or raw bytes; or one program file (.toml) that "
                 "describes the whole run; -: standard input");
    device_.declare(syntax);
    syntax.group("What runs where");
    syntax.list("--core", cores_, "COLUMN,ROW, a rectangle as 1-4,2-3, or all (default 1,2); several times").called("CORES");
    syntax
        .list("--hart", harts_,
              "brisc (default), ncrisc, trisc0, trisc1 or trisc2: the hart of FILE; of several files, one after the "
              "other, each its own; or trisc0=FILE; several times")
        .called("HART[=FILE]");
    syntax
        .list("--args", args_,
              "words for the kernel, to which a0 points: 16,0x10,-1,1.5 (bits of fp32), or the name of a buffer for its "
              "address, perhaps +64; of one hart: ncrisc=1,2; several times")
        .called("[HART=]WORDS");
    syntax.list("--common-args", common_args_, "words to which a1 points").called("[HART=]WORDS");
    syntax.number("--noc", noc_, "the NoC for which BRISC's kernel is prepared (default 0)", 0, 1);
    syntax.flag("--bare", bare_,
                "no firmware: segments lie at their own addresses, and the harts leave reset at the entry; they end at "
                "ebreak, ecall or in a jump to themselves");
    syntax.number("--base", base_, "with --bare: address of assembler text and raw bytes (default: where the hart starts)", 0,
                  arch::kL1Bytes - 4)
        .needs("--bare");
    syntax.group("Memory", {"--bare"});
    syntax.list("--cb", circular_buffers_, "a circular buffer; its name is cb0").called("ID:PAGESxBYTES");
    syntax.text("--semaphores", semaphores_, "first values of semaphores 0, 1, ...: 0,0,1").called("WORDS");
    syntax.list("--l1", l1_, "L1 at the same address of each core; with a file, its data").called("NAME:BYTES[:FORMAT][=FILE]");
    syntax.list("--dram", dram_, "pages round the DRAM banks").called("NAME:PAGESxBYTES[:FORMAT][=FILE]");
    syntax.group("Memory");
    syntax.list("--load", loads_, "bytes, or numbers of a .npy file, before the run: l1:0x20000=data.bin, NAME:bf16=x.npy")
        .called("PLACE[:FORMAT]=FILE");
    syntax.group("End and output");
    syntax.number("--cycles", cycles_, "end after so many device cycles (default 200000000)", 1);
    syntax
        .list("--dump", dumps_,
              "what to show at the end, however it came: reg, sem, NAME, l1:0x20000+64, l1@1,2:0x20000+64, "
              "dram@3:0x40+64; as u32, i32, u16, i16, u8, i8, fp32, fp16, bf16 (default: hexadecimal words); into a file "
              "with =FILE (.npy: NumPy's format, else the bytes)")
        .called("PLACE[:FORMAT][=FILE]");
    syntax.output_file("--log", log_, "write each instruction of the code as a line, as Spike does; -: standard output")
        .excludes({"--library", "--device"});
    syntax.flag("--state-hash", hash_state_,
                "print a hash of the whole chip's state after the run: equal for equal runs");
    syntax.flag("--json", json_, "print the report as JSON");
    syntax.footer(
        "Examples:\n"
        "  kerr run add.s --l1 numbers:64 --args numbers,16 --dump numbers --dump reg\n"
        "  kerr run reader.elf writer.elf --hart ncrisc --hart brisc --cb 0:2x2048 --core 1-4,2-3\n"
        "  kerr run --hart trisc0=unpack.s --hart trisc1=math.s --hart trisc2=pack.s --dump l1:0x20000+64:bf16\n"
        "  kerr run program.toml --log -\n"
        "  kerr run firmware.elf --bare --cycles 100000 --log run.log --dump l1:0x1000+64\n"
        "Exit status: 0 the code has ended; 1 a fault; 2 could not be run; 3 a deadlock; 4 out of cycles.");
  }

  int run() override {
    files_.size() == 1 && files_[0].ends_with(".toml") ? read_program() : read_options();
    for (const std::string& text : loads_) add_load(text);
    for (const std::string& text : dumps_) job_.dumps.push_back(of_option("--dump", [&] { return jobs::parse_placed_data(text); }));
    if (cycles_) job_.cycles = cycles_;
    job_.hash_state = hash_state_;
    job_.device = device_.spec;
    if (device_.observe) job_.watch = jobs::Watch::Events;
    check_outputs();
    LogFile log(log_);
    job_.log = log.writer();
    std::vector<std::unique_ptr<OutputFile>> dump_files;
    for (const jobs::PlacedData& dump : job_.dumps) dump_files.push_back(std::make_unique<OutputFile>(dump.file));
    const RunOutcome outcome = [&] {
      Progress progress;
      return jobs::run(job_, progress);
    }();
    const bool log_is_whole = log.finish();
    write_dumps(outcome, dump_files);
    say_remarks(outcome.remarks);
    if (outcome.end != RunOutcome::End::Finished) {
      say(outcome.summary);
      if (outcome.end == RunOutcome::End::OutOfCycles)
        say(fmt::format("the run was ended after {} cycles{}", outcome.device_cycles, job_.cycles ? "" : "; --cycles lets it run longer"));
      if (!outcome.report.empty()) std::fprintf(stderr, "%s", printable(outcome.report).c_str());
    }
    json_ ? print_json(outcome) : print_text(outcome);
    return log_is_whole ? status_of(outcome.end) : 2;
  }

  // --- from options to the job ---

  template <class Parse>
  static auto of_option(const char* option, Parse&& parse) {
    try {
      return parse();
    } catch (const UsageError&) {
      throw;
    } catch (const std::invalid_argument& error) {
      throw UsageError(fmt::format("{}: {}", option, error.what()));
    }
  }

  void read_program() {
    const std::pair<const char*, bool> given[] = {{"--core", !cores_.empty()},      {"--hart", !harts_.empty()},
                                                  {"--args", !args_.empty()},       {"--common-args", !common_args_.empty()},
                                                  {"--noc", noc_.has_value()},      {"--bare", bare_},
                                                  {"--cb", !circular_buffers_.empty()}, {"--semaphores", !semaphores_.empty()},
                                                  {"--l1", !l1_.empty()},           {"--dram", !dram_.empty()}};
    for (const auto& [option, is_given] : given) {
      if (is_given) throw UsageError(fmt::format("'{}' says itself what runs where: {} cannot be given beside it", files_[0], option));
    }
    inputs_.push_back({"FILE", files_[0]});
    job_ = jobs::read_program_file(read_file(files_[0], kLargestCodeFile), files_[0], [this](const std::string& path) {
      inputs_.push_back({"the program file", path});
      return read_file(path, kLargestDataFile);
    });
  }

  // Which file runs on which hart.
  std::vector<HartFile> assignments() const {
    std::vector<HartFile> out;
    std::vector<arch::Hart> harts;
    for (const std::string& text : harts_) {
      const HartOption option = of_option("--hart", [&] { return hart_option(text); });
      if (option.file.empty()) {
        harts.insert(harts.end(), option.harts.begin(), option.harts.end());
      } else {
        for (const arch::Hart hart : option.harts) out.push_back({hart, option.file});
      }
    }
    if (files_.empty() && !harts.empty()) throw UsageError("--hart names a hart without a file: give FILE, or --hart trisc0=FILE");
    if (files_.empty() && out.empty()) throw UsageError("FILE is required: code to run, or a program file");
    if (harts.empty() && files_.size() == 1) harts.push_back(arch::Hart::Brisc);
    if (files_.size() == 1) {
      for (const arch::Hart hart : harts) out.push_back({hart, files_[0]});
    } else if (files_.size() == harts.size()) {
      for (size_t i = 0; i < harts.size(); ++i) out.push_back({harts[i], files_[i]});
    } else {
      throw UsageError(fmt::format("{} files and {} harts: say --hart for each file, in their order", files_.size(), harts.size()));
    }
    return out;
  }

  void read_options() {
    for (const std::string& file : files_) {
      if (file.ends_with(".toml")) throw UsageError(fmt::format("'{}' is a program file, which is given alone", file));
    }
    job_.bare = bare_;
    if (!cores_.empty()) job_.cores = jobs::Cores();
    for (const std::string& text : cores_) of_option("--core", [&] { job_.cores.add(text); });
    Arguments args, common_args;
    for (const std::string& text : args_) of_option("--args", [&] { args.add("--args", text); });
    for (const std::string& text : common_args_) of_option("--common-args", [&] { common_args.add("--common-args", text); });
    for (const std::string& text : circular_buffers_)
      job_.circular_buffers.push_back(of_option("--cb", [&] { return jobs::parse_circular_buffer(text); }));
    if (!semaphores_.empty()) {
      for (const jobs::Word& word : of_option("--semaphores", [&] { return jobs::parse_words(semaphores_); })) {
        if (!word.name.empty()) throw UsageError(fmt::format("--semaphores: '{}' is no number", word.name));
        job_.semaphores.push_back(word.value);
      }
    }
    for (const std::string& text : l1_) add_buffer("--l1", text, host::Memory::L1);
    for (const std::string& text : dram_) add_buffer("--dram", text, host::Memory::Dram);
    std::map<std::string, std::string> contents;  // standard input is read once
    for (const auto& [hart, file] : assignments()) {
      if (!contents.contains(file)) contents[file] = read_input("FILE", file, kLargestCodeFile);
      const uint32_t base = base_.value_or(job_.bare ? arch::kDefaultResetPc[static_cast<size_t>(hart)] : 0);
      jobs::RunKernel kernel{.image = jobs::read_code(contents[file], file == "-" ? "standard input" : file, base), .hart = hart};
      kernel.args = args.of(hart);
      kernel.common_args = common_args.of(hart);
      args.of_hart.erase(hart);
      common_args.of_hart.erase(hart);
      if (hart == arch::Hart::Brisc) kernel.noc = static_cast<uint8_t>(noc_.value_or(0));
      job_.kernels.push_back(std::move(kernel));
    }
    for (const auto* left : {&args.of_hart, &common_args.of_hart}) {
      if (!left->empty()) throw UsageError(fmt::format("there are arguments for {}, which runs nothing", jobs::hart_name(left->begin()->first)));
    }
    job_.name = job_.kernels[0].image.name;
    job_.name = job_.name.substr(job_.name.find_last_of('/') + 1);
  }

  std::string read_input(const char* option, const std::string& path, uintmax_t most) {
    inputs_.push_back({option, path});
    if (!can_be_read(path)) throw UsageError(fmt::format("{}: there is no file '{}'", option, path));
    return read_file(path, most);
  }

  void add_buffer(const char* option, const std::string& text, host::Memory memory) {
    jobs::BufferText buffer = of_option(option, [&] { return jobs::parse_buffer(text, memory); });
    if (!buffer.file.empty()) {
      const std::string content = read_input(option, buffer.file, kLargestDataFile);
      buffer.buffer.data = of_option(option, [&] { return jobs::data_of(content, buffer.file, buffer.element); });
    }
    job_.buffers.push_back(std::move(buffer.buffer));
  }

  void add_load(const std::string& text) {
    jobs::RunLoad load{.to = of_option("--load", [&] { return jobs::parse_placed_data(text); }), .data = {}};
    if (load.to.file.empty()) throw UsageError(fmt::format("--load: '{}' has no file: write {}=FILE", text, text));
    const std::string content = read_input("--load", load.to.file, kLargestDataFile);
    load.data = of_option("--load", [&] { return jobs::data_of(content, load.to.file, load.to.element); });
    job_.loads.push_back(std::move(load));
  }

  void check_outputs() {
    if (log_ == "-" && json_) throw UsageError("--log - and --json would mix on standard output");
    std::vector<NamedFile> outputs;
    if (log_ != "-") outputs.push_back({"--log", log_});
    for (const jobs::PlacedData& dump : job_.dumps) {
      if (!dump.file.empty() && dump.place.area == jobs::Place::Area::Registers)
        throw UsageError(fmt::format("--dump: '{}': registers are in the report, and --json has them too", dump.text));
      outputs.push_back({"--dump", dump.file});
    }
    check_files(inputs_, outputs);
  }

  // --- from the outcome to its report ---

  void write_dumps(const RunOutcome& o, std::vector<std::unique_ptr<OutputFile>>& files) const {
    for (size_t i = 0; i < files.size(); ++i) {
      if (!files[i]->wanted()) continue;
      std::vector<std::byte> bytes;
      uint64_t rows = 0;
      bool words = true;
      for (const jobs::RunDump& dump : o.dumps) {
        if (dump.index != i) continue;
        bytes.insert(bytes.end(), dump.bytes.begin(), dump.bytes.end());
        words = words && dump.bytes.size() % 4 == 0;
        ++rows;
      }
      const jobs::PlacedData& asked = job_.dumps[i];
      if (asked.file.ends_with(".npy")) {
        files[i]->write(jobs::npy_of(bytes, asked.element.value_or(words ? jobs::Element::U32 : jobs::Element::U8), rows));
      } else {
        files[i]->write(bytes);
      }
      files[i]->finish();
    }
  }

  static std::string hart_text(const RunHart& hart) {
    std::string out = fmt::format("{} {} {}", jobs::hart_name(hart.hart), core_text(hart.core), name_of(hart.end));
    if (hart.end != RunHart::End::Returned) out += fmt::format(" at pc {:#x}", hart.pc);
    if (!hart.where.empty() && hart.end != RunHart::End::Returned) out += fmt::format(", {}", hart.where);
    if (hart.instructions != 0)
      out += fmt::format("; {} instructions in cycles {} to {}", hart.instructions, hart.first_cycle, hart.last_cycle);
    return out;
  }

  void print_text(const RunOutcome& o) const {
    fmt::print("run {}\n", job_.name);
    fmt::print("  board         {} ({})\n", o.board, o.device);
    if (!job_.bare) fmt::print("  boot          {:.0f} ms, {} device cycles\n", o.boot_s * 1e3, o.boot_cycles);
    fmt::print("  device        {} cycles = {:.1f} us at {} MHz{}\n", o.device_cycles, o.microseconds(o.device_cycles), o.clock_mhz,
               o.timing == "relaxed" ? " (relaxed timing: one cycle an instruction, not a time)" : "");
    if (!o.timing.empty())
      fmt::print("  executed      {} instructions of harts, {} of coprocessors, by all tiles and with the firmware\n",
                 o.executed.hart_instructions, o.executed.tensix_instructions);
    fmt::print("  host          {:.2f} s\n", o.run_s);
    if (o.state_hash != 0) fmt::print("  state hash    {:016x}\n", o.state_hash);
    if (o.observed) fmt::print("  observed from power-on, without what polling harts skip (--no-parking executes it):\n{}", report::text(*o.observed, "    "));
    print_harts(o);
    print_dumps(o);
    fmt::print("{}\n", name_of(o.end));
  }

  // Harts that do the same are told once.
  void print_harts(const RunOutcome& o) const {
    std::vector<std::pair<std::string, size_t>> lines;
    const bool detailed = std::ranges::any_of(o.harts, [](const RunHart& h) { return h.instructions != 0; });
    for (const RunHart& hart : o.harts) {
      const bool told = detailed || hart.end != RunHart::End::Returned;
      std::string line = told ? hart_text(hart) : fmt::format("{} returned", jobs::hart_name(hart.hart));
      if (const auto same = std::ranges::find(lines, line, &std::pair<std::string, size_t>::first); same != lines.end()) {
        ++same->second;
      } else {
        lines.emplace_back(std::move(line), 1);
      }
    }
    for (const auto& [line, cores] : lines)
      fmt::print("  hart          {}{}\n", line, cores == 1 ? "" : fmt::format(" on {} cores", cores));
  }

  void print_dumps(const RunOutcome& o) const {
    for (const jobs::RunDump& dump : o.dumps) {
      const jobs::PlacedData& asked = job_.dumps[dump.index];
      if (asked.place.area == jobs::Place::Area::Registers) {
        for (const RunHart& hart : o.harts) {
          if (hart.core != *dump.core) continue;
          fmt::print("  registers of {} {}", jobs::hart_name(hart.hart), core_text(hart.core));
          if (!hart.has_registers) {
            fmt::print(": it has executed nothing of its code\n");
            continue;
          }
          fmt::print(", {} pc {:#x}{}{}\n{}", hart.end == RunHart::End::Returned ? "behind its last instruction, at" : "at", hart.pc,
                     hart.where.empty() ? "" : "  ", hart.where, registers_text(hart, "    "));
        }
        continue;
      }
      if (!asked.file.empty()) continue;
      fmt::print("  {}{}\n{}", asked.text, dump.core && !asked.place.core ? " of " + core_text(*dump.core) : "", memory_text(asked, dump, "    "));
    }
    for (const jobs::PlacedData& asked : job_.dumps)
      if (!asked.file.empty()) fmt::print("  {}\n", asked.text);
  }

  void print_json(const RunOutcome& o) const {
    report::Json harts = report::Json::array(), dumps = report::Json::array();
    for (const RunHart& hart : o.harts) {
      report::Json json = {{"hart", jobs::hart_name(hart.hart)}, {"end", name_of(hart.end)}, {"pc", hart.pc}, {"where", hart.where}};
      json["core"].push_back(hart.core.x);
      json["core"].push_back(hart.core.y);
      if (hart.instructions != 0)
        json.update({{"instructions", hart.instructions}, {"first_cycle", hart.first_cycle}, {"last_cycle", hart.last_cycle}});
      if (hart.has_registers) json["registers"] = registers_json(hart);
      harts.push_back(std::move(json));
    }
    for (const jobs::RunDump& dump : o.dumps) {
      const jobs::PlacedData& asked = job_.dumps[dump.index];
      if (asked.file.empty() && asked.place.area != jobs::Place::Area::Registers) dumps.push_back(memory_json(asked, dump));
    }
    report::Json json = {{"name", job_.name},
                         {"end", name_of(o.end)},
                         {"summary", o.summary},
                         {"report", o.report},
                         {"device", o.device},
                         {"board", o.board},
                         {"timing", o.timing.empty() ? report::Json() : report::Json(o.timing)},
                         {"bare", job_.bare},
                         {"boot_s", o.boot_s},
                         {"boot_cycles", o.boot_cycles},
                         {"device_cycles", o.device_cycles},
                         {"device_us", o.microseconds(o.device_cycles)},
                         {"run_s", o.run_s},
                         {"executed_hart_instructions", o.executed.hart_instructions},
                         {"executed_tensix_instructions", o.executed.tensix_instructions},
                         {"remarks", o.remarks.kinds.size()}};
    json["harts"] = std::move(harts);
    json["dumps"] = std::move(dumps);
    if (o.state_hash != 0) json["state_hash"] = fmt::format("{:016x}", o.state_hash);
    if (o.observed) json["observed"] = report::json(*o.observed);
    write_json(json);
  }

  std::vector<std::string> files_, cores_, harts_, args_, common_args_, circular_buffers_, l1_, dram_, loads_, dumps_;
  std::string semaphores_, log_;
  std::optional<uint32_t> noc_, base_;
  std::optional<uint64_t> cycles_;
  bool bare_ = false, hash_state_ = false;
  jobs::RunJob job_;
  DeviceOptions device_;
  std::vector<NamedFile> inputs_;
};

}  // namespace

std::unique_ptr<Command> make_run() { return std::make_unique<Run>(); }

}  // namespace kerr::cli
