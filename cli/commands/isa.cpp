// kerr isa: what is known of each Tensix instruction.
#include "cli/commands/commands.hpp"
#include "cli/tables.hpp"
#include "isa/tensix/reference.hpp"
#include "report/format_page.hpp"
#include "report/refusal_page.hpp"

namespace kerr::cli {

namespace {

class Isa final : public Command {
  void declare(Syntax& syntax) override {
    syntax.flag("--formats", formats_, "list instead which number formats the unpackers and the packer convert");
    syntax
        .flag("--refusals", refusals_,
              "list instead what is refused or passes with a remark, and what is known of silicon")
        .excludes({"--formats"});
    syntax.flag("--operands", operands_, "list instead the operands of each instruction, in the order that C++ wants")
        .excludes({"--formats", "--refusals"});
    syntax.flag("--json", json_, "print the tables as JSON");
    syntax.footer(
        "Prints Markdown, the tables of docs/reference/instructions.md (--formats: formats.md, --operands:\n"
        "operands.md).\n"
        "Examples:\n  kerr isa\n  kerr isa --formats\n  kerr isa --refusals\n  kerr isa --operands\n  kerr isa --json");
  }

  int run() override {
    return print_page(formats_    ? report::format_tables()
                      : refusals_ ? report::refusal_table()
                      : operands_ ? isa::tensix::operand_tables()
                                  : isa::tensix::reference_tables(),
                      json_);
  }

  bool formats_ = false, refusals_ = false, operands_ = false;
};

}  // namespace

std::unique_ptr<Command> make_isa() { return std::make_unique<Isa>(); }

}  // namespace kerr::cli
