// kerr loops show, check, run: programs as a compiler of tensors writes them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "arch/boards.hpp"
#include "cli/commands/commands.hpp"
#include "cli/files.hpp"
#include "cli/loop_numbers.hpp"
#include "cli/messages.hpp"
#include "cli/version.hpp"
#include "loops/interpret.hpp"
#include "loops/program.hpp"
#include "loops/scalar/compile.hpp"
#include "loops/scalar/hoist.hpp"
#include "loops/tiles/choose.hpp"
#include "report/json.hpp"

namespace kerr::cli {

namespace {

constexpr int kNoProgram = 1;  // exit status

// The program of a file, or what is wrong with it.
struct Source {
  explicit Source(const std::string& path)
      : name(path == "-" ? "standard input" : path), text(read_file(path, loops::kMostText)) {}

  // With the line and a mark below the place.
  std::string message(const loops::ProgramError& error) const {
    size_t begin = 0;
    for (uint32_t line = 1; line < error.line; ++line) begin = text.find('\n', begin) + 1;
    std::string line = text.substr(begin, text.find('\n', begin) - begin);
    std::replace(line.begin(), line.end(), '\t', ' ');
    std::string out = fmt::format("{}:{}:{}: {}", name, error.line, error.column, error.message);
    if (line.size() <= 100) out += fmt::format("\n    {}\n    {:>{}}", line, '^', error.column);
    return out;
  }

  std::string name, text;
};

report::Json json_of(const loops::ProgramError& error) {
  return {{"ok", false}, {"line", error.line}, {"column", error.column}, {"message", error.message}};
}

size_t count_of(const loops::Program& program, loops::Verb verb) {
  return static_cast<size_t>(
      std::count_if(program.body.begin(), program.body.end(), [verb](const auto& i) { return i.verb == verb; }));
}

std::string plural(size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// Does something with the program of a file, and returns an exit status.
template <class Act>
int with_program(const std::string& path, bool json, Act act) {
  const Source source(path);
  try {
    act(loops::parse(source.text));
    return 0;
  } catch (const loops::ProgramError& error) {
    if (json)
      write_json(json_of(error));
    else
      say(source.message(error));
    return kNoProgram;
  }
}

class Check final : public Command {
  void declare(Syntax& syntax) override {
    syntax.input_file("FILE", file_, "a loop program; -: standard input").required();
    syntax.flag("--json", json_, "print JSON");
    syntax.footer(
        "docs/reference/loop-programs.md says what a loop program is.\n"
        "Examples:\n  kerr loops check sums.loop\n  echo 'kernel nothing' | kerr loops check -\n"
        "Exit status: 0 it is a program; 1 it is none; 2 it could not be read.");
  }

  int run() override {
    return with_program(file_, json_, [this](const loops::Program& program) {
      const size_t loops = count_of(program, loops::Verb::Loop);
      if (json_) {
        write_json({{"ok", true},
                    {"kernel", program.name},
                    {"parameters", program.parameters.size()},
                    {"variables", program.variables.size()},
                    {"loops", loops},
                    {"lines", program.body.size()}});
      } else {
        fmt::print("ok: '{}', {}, {}, {}\n", program.name, plural(program.parameters.size(), "parameter"),
                   plural(loops, "loop"), plural(program.body.size(), "line"));
      }
    });
  }

  std::string file_;
};

class Show final : public Command {
  void declare(Syntax& syntax) override {
    syntax.input_file("FILE", file_, "a loop program; -: standard input").required();
    syntax.flag("--path", path_, "say what runs on the vector or matrix unit, or why nothing does");
    syntax.flag("--json", json_, "print JSON");
    syntax.footer(
        "Declarations come first, remarks go, numbers are written as Python writes them. Remarks at the end say which "
        "loops the compiler for harts moves.\n"
        "Examples:\n  kerr loops show sums.loop\n  kerr loops show --path sums.loop\n  kerr loops show --json "
        "sums.loop\n"
        "Exit status: 0 it is a program; 1 it is none; 2 it could not be read.");
  }

  int run() override {
    return with_program(file_, json_, [this](const loops::Program& program) {
      if (json_) return write_json(json_of_program(program));
      fmt::print("{}", loops::print(program));
      for (const std::string& remark : moved(program)) fmt::print("# {}\n", remark);
      if (path_) fmt::print("# {}\n", fmt::join(lines_of_path(program), "\n# "));
    });
  }

  // What the compiler for harts moves, if each parameter has bytes of its own.
  static std::vector<std::string> moved(const loops::Program& program) {
    const auto hoisted = loops::scalar::hoist(program, loops::scalar::usual_facts(program).object);
    return hoisted ? hoisted->remarks : std::vector<std::string>();
  }

  static std::vector<std::string> lines_of_path(const loops::Program& program) {
    std::istringstream text(loops::tiles::Choices(program, arch::kP100a.harvesting, {}).explain());
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(std::move(line));
    return lines;
  }

  static report::Json json_of_program(const loops::Program& program) {
    report::Json parameters = report::Json::array(), variables = report::Json::array(),
                 registers = report::Json::array();
    for (const loops::Parameter& p : program.parameters)
      parameters.push_back(
          {{"name", fmt::format("p{}", p.slot)}, {"type", loops::info(p.type).name}, {"count", p.count}});
    for (const loops::Variable& v : program.variables)
      variables.push_back({{"name", v.name}, {"type", loops::info(v.type).name}, {"min", v.min}, {"max", v.max}});
    for (const loops::Register& r : program.registers)
      registers.push_back({{"name", fmt::format("r{}", r.id)}, {"type", loops::info(r.type).name}, {"count", r.count}});
    return {{"kernel", program.name},  {"tf32", program.tf32},          {"parameters", parameters},
            {"variables", variables},  {"registers", registers},        {"text", loops::print(program)},
            {"moved", moved(program)}, {"path", lines_of_path(program)}};
  }

  std::string file_;
  bool path_ = false;
};

// Bytes of a parameter. Zeros take no memory until something is stored: a program may have terabytes of them.
class Memory {
 public:
  explicit Memory(std::vector<std::byte> given) : given_(std::move(given)), bytes_(given_) {}
  explicit Memory(uint64_t zeros)
      : zeros_(static_cast<std::byte*>(std::calloc(zeros, 1))), bytes_(zeros_.get(), zeros) {
    if (!zeros_) throw std::bad_alloc();
  }

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::vector<std::byte> given_;
  std::unique_ptr<std::byte, Free> zeros_;
  std::span<std::byte> bytes_;
};

class Run final : public Command {
  void declare(Syntax& syntax) override {
    syntax.input_file("FILE", file_, "a loop program; -: standard input").required();
    syntax.take_others(given_);
    syntax
        .list("--out", outs_,
              "write a parameter to a .npy file: p0=y.npy; without a name, the only one that is stored to")
        .called("[pN=]FILE");
    syntax.number("--max-lines", options_.max_steps, "stop behind so many lines (default: never)", 1);
    syntax.flag("--json", json_, "print numbers and counts as JSON");
    syntax.footer(
        "It runs in the interpreter, which defines what loop programs mean.\n"
        "An option of a parameter's name gives its numbers: a .npy file of its type (float32 for bf16), a list, or one "
        "number for all. "
        "Without it they are zeros. An option of a variable's name gives its value. Parameters that are stored to are "
        "shown "
        "at the end, if they are not written to files.\n"
        "Examples:\n  kerr loops run sums.loop --p1 x.npy --out sums.npy\n  kerr loops run sums.loop --p1 "
        "1,2,3,4,5,0.5\n"
        "  kerr loops run scale.loop --p0 1 --n 64 --out p0=y.npy\n"
        "Exit status: 0 it has run; 1 the file is no program, or the program did what none may; 2 it could not be "
        "run.");
  }

  int run() override {
    const Source source(file_);
    try {
      return run(loops::parse(source.text));
    } catch (const loops::ProgramError& error) {
      say(source.message(error));
    } catch (const loops::RunError& error) {
      say(fmt::format("{}: {}", source.name, error.what()));
    }
    return kNoProgram;
  }

  int run(const loops::Program& program) {
    const std::vector<size_t> stored = stored_parameters(program);
    std::map<size_t, std::string> files = files_of(program, stored);
    check_files_of_run(files);
    std::vector<Memory> memory;
    for (const loops::Parameter& p : program.parameters) memory.push_back(memory_of(p));
    std::vector<int64_t> numbers;
    for (const loops::Variable& v : program.variables) numbers.push_back(number_of(v));
    for (const auto& [name, value] : given_) throw UsageError(fmt::format("the program has no '{}'", name));
    std::map<size_t, OutputFile> outputs;
    for (const auto& [k, path] : files) outputs.emplace(k, path);

    std::vector<std::span<std::byte>> buffers;
    for (const Memory& m : memory) buffers.push_back(m.bytes());
    const auto begin = std::chrono::steady_clock::now();
    const uint64_t lines = loops::interpret(program, buffers, numbers, options_);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;

    for (auto& [k, file] : outputs) {
      file.write(npy_of_numbers(program.parameters[k], buffers[k]));
      file.finish();
    }
    std::vector<size_t> shown;
    for (const size_t k : stored)
      if (!files.contains(k)) shown.push_back(k);
    json_ ? print_json(program, buffers, shown, lines, seconds.count()) : print_text(program, buffers, shown, lines);
    return 0;
  }

  static std::vector<size_t> stored_parameters(const loops::Program& program) {
    std::vector<size_t> out;
    for (const loops::Instruction& i : program.body)
      if (i.verb == loops::Verb::Store && i.address.space == loops::Address::Space::Parameter)
        out.push_back(i.address.index);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  // --out: file of each parameter.
  std::map<size_t, std::string> files_of(const loops::Program& program, const std::vector<size_t>& stored) const {
    std::map<size_t, std::string> out;
    for (const std::string& word : outs_) {
      const size_t equals = word.find('=');
      size_t parameter = 0;
      if (equals == std::string::npos) {
        if (stored.size() != 1)
          throw UsageError(fmt::format("--out {}: the program stores to {}, so say which, as p0={}", word,
                                       plural(stored.size(), "parameter"), word));
        parameter = stored[0];
      } else {
        const auto& all = program.parameters;
        const auto found = std::find_if(all.begin(), all.end(), [&](const auto& p) {
          return fmt::format("p{}", p.slot) == word.substr(0, equals);
        });
        if (found == all.end())
          throw UsageError(fmt::format("--out {}: the program has no parameter '{}'", word, word.substr(0, equals)));
        parameter = static_cast<size_t>(found - all.begin());
      }
      const std::string path = equals == std::string::npos ? word : word.substr(equals + 1);
      if (path.empty()) throw UsageError(fmt::format("--out {}: a file is missing", word));
      if (!out.emplace(parameter, path).second)
        throw UsageError(fmt::format("--out {}: the parameter has a file already", word));
    }
    return out;
  }

  void check_files_of_run(const std::map<size_t, std::string>& files) const {
    std::vector<NamedFile> inputs = {{"FILE", file_}}, outputs;
    for (const auto& [name, value] : given_)
      if (names_numbers(value)) inputs.push_back({"--" + name, value});
    for (const auto& [k, path] : files) outputs.push_back({"--out", path});
    check_standard_input(inputs);
    check_files(inputs, outputs);
  }

  // What the option of that name has; then it is no longer among those that are left.
  std::optional<std::string> take(const std::string& name) {
    const auto found = std::find_if(given_.begin(), given_.end(), [&](const auto& g) { return g.first == name; });
    if (found == given_.end()) return std::nullopt;
    std::string value = std::move(found->second);
    given_.erase(found);
    return value;
  }

  Memory memory_of(const loops::Parameter& p) {
    const auto given = take(fmt::format("p{}", p.slot));
    return given ? Memory(numbers_of(p, *given)) : Memory(p.bytes());
  }

  int64_t number_of(const loops::Variable& v) {
    const auto given = take(v.name);
    if (!given) throw UsageError(fmt::format("--{} is missing: a number from {} to {}", v.name, v.min, v.max));
    int64_t value = 0;
    const char* const end = given->data() + given->size();
    const auto [stopped, error] = std::from_chars(given->data(), end, value);
    if (error != std::errc() || stopped != end || value < v.min || value > v.max)
      throw UsageError(fmt::format("--{} {}: a whole number from {} to {} is wanted", v.name, *given, v.min, v.max));
    return value;
  }

  static void print_text(const loops::Program& program, const std::vector<std::span<std::byte>>& memory,
                         const std::vector<size_t>& shown, uint64_t lines) {
    for (const size_t k : shown) {
      const loops::Parameter& p = program.parameters[k];
      fmt::print("p{} {} {}\n{}", p.slot, loops::info(p.type).name, p.count, text_of_numbers(p, memory[k], "  "));
    }
    fmt::print("{} executed\n", plural(lines, "line"));
  }

  static void print_json(const loops::Program& program, const std::vector<std::span<std::byte>>& memory,
                         const std::vector<size_t>& shown, uint64_t lines, double seconds) {
    report::Json parameters = report::Json::object();
    for (const size_t k : shown) {
      const loops::Parameter& p = program.parameters[k];
      parameters[fmt::format("p{}", p.slot)] = {{"type", loops::info(p.type).name},
                                                {"numbers", json_of_numbers(p, memory[k])}};
    }
    write_json({{"kernel", program.name}, {"lines", lines}, {"run_s", seconds}, {"parameters", parameters}});
  }

  std::string file_;
  std::vector<std::pair<std::string, std::string>> given_;  // options of parameters and variables
  std::vector<std::string> outs_;
  loops::InterpretOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_loops_check() { return std::make_unique<Check>(); }
std::unique_ptr<Command> make_loops_run() { return std::make_unique<Run>(); }
std::unique_ptr<Command> make_loops_show() { return std::make_unique<Show>(); }

}  // namespace kerr::cli
