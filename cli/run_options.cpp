#include "cli/run_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "cli/code_lines.hpp"
#include "emu/machine/input_log.hpp"
#include "isa/text/parts.hpp"
#include "jobs/run/buffers.hpp"
#include "jobs/run/code.hpp"
#include "jobs/run/data.hpp"
#include "jobs/run/program_file.hpp"

namespace kerr::cli {

namespace {

constexpr uintmax_t kLargestDataFile = uintmax_t{1} << 30;

// Calls `parse`, and lets what is wrong begin with the option.
template <class Parse>
auto of_option(const char* option, Parse&& parse) {
  try {
    return parse();
  } catch (const UsageError&) {
    throw;
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("{}: {}", option, error.what()));
  }
}

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
  for (const std::string_view name : isa::text::parts(names, ',')) out.harts.push_back(jobs::parse_hart(name));
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
      is_new = of_hart.try_emplace(jobs::parse_hart(text.substr(0, equals)), jobs::parse_words(text.substr(equals + 1)))
                   .second;
    }
    if (!is_new) throw UsageError(fmt::format("{} {}: arguments of the same hart are given twice", option, text));
  }
  std::vector<jobs::Word> of(arch::Hart hart) const {
    const auto own = of_hart.find(hart);
    return own != of_hart.end() ? own->second : of_all.value_or(std::vector<jobs::Word>());
  }
};

}  // namespace

void RunOptions::declare_files(Syntax& syntax) {
  syntax.texts("FILE", files_,
               "code: an ELF file, assembler text as of 'kerr asm', or raw bytes; or one program file (.toml) that "
               "describes the whole run; -: standard input");
}

void RunOptions::declare(Syntax& syntax) {
  syntax.group("What runs where");
  syntax.list("--core", cores_, "COLUMN,ROW, a rectangle as 1-4,2-3, or all (default 1,2); several times")
      .called("CORES");
  syntax
      .list("--hart", harts_,
            "brisc, ncrisc, trisc0, trisc1 or trisc2: the hart of FILE (default: the one that an ELF file says it was "
            "compiled for, else brisc); of several files, one after the other, each its own; or trisc0=FILE; several "
            "times")
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
  syntax
      .number("--base", base_, "with --bare: address of assembler text and raw bytes (default: where the hart starts)",
              0, arch::kL1Bytes - 4)
      .needs("--bare");
  syntax.group("Memory", {"--bare"});
  syntax.list("--cb", circular_buffers_, "a circular buffer; its name is cb0").called("ID:PAGESxBYTES");
  syntax.text("--semaphores", semaphores_, "first values of semaphores 0, 1, ...: 0,0,1").called("WORDS");
  syntax.list("--l1", l1_, "L1 at the same address of each core; with a file, its data")
      .called("NAME:BYTES[:FORMAT][=FILE]");
  syntax.list("--dram", dram_, "pages round the DRAM banks").called("NAME:PAGESxBYTES[:FORMAT][=FILE]");
  syntax.group("Memory");
  syntax
      .list("--load", loads_, "bytes, or numbers of a .npy file, before the run: l1:0x20000=data.bin, NAME:bf16=x.npy")
      .called("PLACE[:FORMAT]=FILE");
}

void RunOptions::declare_dumps(Syntax& syntax) {
  syntax
      .list("--dump", dumps_,
            "what to show at the end, however it came: reg, sem, NAME, l1:0x20000+64, l1@1,2:0x20000+64, "
            "dram@3:0x40+64; as u32, i32, u16, i16, u8, i8, fp32, fp16, bf16 (default: hexadecimal words); into a file "
            "with =FILE (.npy: NumPy's format, else the bytes)")
      .called("PLACE[:FORMAT][=FILE]");
}

jobs::RunJob RunOptions::job() {
  jobs::RunJob job = files_.size() == 1 && files_[0].ends_with(".toml") ? of_program_file() : of_options();
  for (const std::string& text : loads_) add_load(text, job);
  for (const std::string& text : dumps_)
    job.dumps.push_back(of_option("--dump", [&] { return jobs::parse_placed_data(text); }));
  return job;
}

std::string RunOptions::log() const {
  if (files_.size() != 1 || !emu::is_input_log(files_[0])) return "";
  const bool says_more = bare_ || noc_ || base_ || !semaphores_.empty();
  for (const auto* list :
       {&cores_, &harts_, &args_, &common_args_, &circular_buffers_, &l1_, &dram_, &loads_, &dumps_}) {
    if (says_more || !list->empty())
      throw UsageError(
          fmt::format("'{}' is a log: what ran, and with what, is in it; leave the other options out", files_[0]));
  }
  return files_[0];
}

std::vector<NamedFile> RunOptions::outputs(const jobs::RunJob& job) {
  std::vector<NamedFile> files;
  for (const jobs::PlacedData& dump : job.dumps) {
    if (!dump.file.empty() && dump.place.area == jobs::Place::Area::Registers)
      throw UsageError(fmt::format("--dump: '{}': registers are in the report", dump.text));
    files.push_back({"--dump", dump.file});
  }
  return files;
}

jobs::RunJob RunOptions::of_program_file() {
  const std::pair<const char*, bool> given[] = {{"--core", !cores_.empty()},
                                                {"--hart", !harts_.empty()},
                                                {"--args", !args_.empty()},
                                                {"--common-args", !common_args_.empty()},
                                                {"--noc", noc_.has_value()},
                                                {"--bare", bare_},
                                                {"--cb", !circular_buffers_.empty()},
                                                {"--semaphores", !semaphores_.empty()},
                                                {"--l1", !l1_.empty()},
                                                {"--dram", !dram_.empty()}};
  for (const auto& [option, is_given] : given) {
    if (is_given)
      throw UsageError(
          fmt::format("'{}' says itself what runs where: {} cannot be given beside it", files_[0], option));
  }
  inputs_.push_back({"FILE", files_[0]});
  return jobs::read_program_file(read_file(files_[0], kLargestCodeFile), files_[0], [this](const std::string& path) {
    inputs_.push_back({"the program file", path});
    return read_file(path, kLargestDataFile);
  });
}

// Which file runs on which hart.
std::vector<RunOptions::HartFile> RunOptions::assignments() const {
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
  if (files_.empty() && !harts.empty())
    throw UsageError("--hart names a hart without a file: give FILE, or --hart trisc0=FILE");
  if (files_.empty() && out.empty()) throw UsageError("FILE is required: code to run, or a program file");
  if (harts.empty()) {
    for (const std::string& file : files_) out.push_back({std::nullopt, file});
  } else if (files_.size() == 1) {
    for (const arch::Hart hart : harts) out.push_back({hart, files_[0]});
  } else if (files_.size() == harts.size()) {
    for (size_t i = 0; i < harts.size(); ++i) out.push_back({harts[i], files_[i]});
  } else {
    throw UsageError(
        fmt::format("{} files and {} harts: say --hart for each file, in their order", files_.size(), harts.size()));
  }
  return out;
}

jobs::RunJob RunOptions::of_options() {
  jobs::RunJob job;
  for (const std::string& file : files_) {
    if (file.ends_with(".toml")) throw UsageError(fmt::format("'{}' is a program file, which is given alone", file));
  }
  job.bare = bare_;
  if (!cores_.empty()) job.cores = jobs::Cores();
  for (const std::string& text : cores_) of_option("--core", [&] { job.cores.add(text); });
  Arguments args, common_args;
  for (const std::string& text : args_) of_option("--args", [&] { args.add("--args", text); });
  for (const std::string& text : common_args_)
    of_option("--common-args", [&] { common_args.add("--common-args", text); });
  for (const std::string& text : circular_buffers_)
    job.circular_buffers.push_back(of_option("--cb", [&] { return jobs::parse_circular_buffer(text); }));
  if (!semaphores_.empty()) {
    for (const jobs::Word& word : of_option("--semaphores", [&] { return jobs::parse_words(semaphores_); })) {
      if (!word.name.empty()) throw UsageError(fmt::format("--semaphores: '{}' is no number", word.name));
      job.semaphores.push_back(word.value);
    }
  }
  for (const std::string& text : l1_) add_buffer("--l1", text, host::Memory::L1, job);
  for (const std::string& text : dram_) add_buffer("--dram", text, host::Memory::Dram, job);
  std::map<std::string, std::string> contents;  // standard input is read once
  for (const auto& [given, file] : assignments()) {
    if (!contents.contains(file)) contents[file] = read("FILE", file, kLargestCodeFile);
    arch::Hart hart = given.value_or(arch::Hart::Brisc);
    const uint32_t base = base_.value_or(job.bare ? arch::kDefaultResetPc[static_cast<size_t>(hart)] : 0);
    jobs::RunKernel kernel{.image = jobs::read_code(contents[file], file == "-" ? "standard input" : file, base)};
    if (file != "-") jobs::remember_file(kernel, contents[file], file);
    if (!given) {
      const std::optional<arch::Hart> said = host::compiled_for(kernel.image);
      if (!said && files_.size() > 1)
        throw UsageError(
            fmt::format("{} files and 0 harts: '{}' does not say its hart; say --hart for each file, in their order",
                        files_.size(), file));
      hart = said.value_or(hart);
    }
    kernel.hart = hart;
    kernel.args = args.of(hart);
    kernel.common_args = common_args.of(hart);
    args.of_hart.erase(hart);
    common_args.of_hart.erase(hart);
    if (hart == arch::Hart::Brisc) kernel.noc = noc_for(kernel.image);
    job.kernels.push_back(std::move(kernel));
  }
  if (noc_ && std::ranges::find(job.kernels, arch::Hart::Brisc, &jobs::RunKernel::hart) == job.kernels.end())
    throw UsageError(
        fmt::format("--noc {} is for a kernel of brisc, and brisc runs nothing: give its kernel with --hart brisc, or "
                    "leave out --noc",
                    *noc_));
  for (const auto* left : {&args.of_hart, &common_args.of_hart}) {
    if (!left->empty())
      throw UsageError(
          fmt::format("there are arguments for {}, which runs nothing", jobs::hart_name(left->begin()->first)));
  }
  job.name = job.kernels[0].image.name;
  job.name = job.name.substr(job.name.find_last_of('/') + 1);
  return job;
}

uint8_t RunOptions::noc_for(const image::Image& image) const {
  for (const image::Use& use : image.uses) {
    if (use.kind == image::Use::Kind::Noc && noc_ && *noc_ != use.value)
      throw UsageError(fmt::format("--noc {}: '{}' was compiled for NoC {}", *noc_, image.name, use.value));
  }
  return static_cast<uint8_t>(noc_.value_or(0));
}

std::string RunOptions::read(const char* option, const std::string& path, uintmax_t most) {
  inputs_.push_back({option, path});
  check_standard_input(inputs_);
  if (!can_be_read(path)) throw UsageError(fmt::format("{}: there is no file '{}'", option, path));
  return read_file(path, most);
}

void RunOptions::add_buffer(const char* option, const std::string& text, host::Memory memory, jobs::RunJob& job) {
  jobs::BufferText buffer = of_option(option, [&] { return jobs::parse_buffer(text, memory); });
  if (!buffer.file.empty()) {
    const std::string content = read(option, buffer.file, kLargestDataFile);
    buffer.buffer.data = of_option(option, [&] { return jobs::data_of(content, buffer.file, buffer.element); });
  }
  job.buffers.push_back(std::move(buffer.buffer));
}

void RunOptions::add_load(const std::string& text, jobs::RunJob& job) {
  jobs::RunLoad load{.to = of_option("--load", [&] { return jobs::parse_placed_data(text); }), .data = {}};
  if (load.to.file.empty()) throw UsageError(fmt::format("--load: '{}' has no file: write {}=FILE", text, text));
  const std::string content = read("--load", load.to.file, kLargestDataFile);
  load.data = of_option("--load", [&] { return jobs::data_of(content, load.to.file, load.to.element); });
  job.loads.push_back(std::move(load));
}

}  // namespace kerr::cli
