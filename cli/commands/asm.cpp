// kerr asm: text to words.
#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>

#include "cli/code_lines.hpp"
#include "cli/commands/commands.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "isa/text/assemble.hpp"

namespace kerr::cli {

namespace {

class Asm final : public Command {
  void declare(Syntax& syntax) override {
    syntax.input_file("FILE", file_, "source: RV32 in lower case, Tensix in upper case; -: standard input").required();
    syntax.output_file("-o,--output", output_, "write the raw bytes to this file (default: print a listing)");
    syntax.number("--base", base_, "address of the first byte (default 0)");
    syntax.flag("--json", json_, "print the words as JSON").excludes({"--output"});
    syntax.footer(
        "Example of a source:\n  loop: lw a0, 0(a1)\n        MVMUL dst=8, addr_mode=1\n        bnez a0, loop\n        "
        "ret\n"
        "Examples:\n  kerr asm program.s\n  kerr asm program.s -o program.bin --base 0x4000\n"
        "  echo 'addi a0, a0, 1' | kerr asm -");
  }

  int run() override {
    const NamedFile source{"FILE", file_}, binary{"--output", output_};
    check_files({&source, 1}, {&binary, 1}, false);
    const std::string name = file_ == "-" ? "standard input" : file_;
    const isa::Code code = isa::assemble(read_file(file_, kLargestCodeFile), {.file = name, .base = base_});
    if (!output_.empty()) {
      OutputFile out(output_);
      out.write(std::as_bytes(std::span(code.bytes)));
      out.finish();
      say(fmt::format("{} bytes to {}", code.bytes.size(), output_));
      return 0;
    }
    if (json_) {
      print_lines(lines_of(code.bytes.data(), code.bytes.size(), code.base, false), true);
    } else {
      fmt::print("{}", code.listing());
    }
    return 0;
  }

  std::string file_;
  std::string output_;  // raw bytes go here; empty: a listing on standard output
  uint32_t base_ = 0;   // address of the first byte
};

}  // namespace

std::unique_ptr<Command> make_asm() { return std::make_unique<Asm>(); }

}  // namespace kerr::cli
