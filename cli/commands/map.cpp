// kerr map: what a Tensix tile answers at each address.
#include "cli/commands/commands.hpp"
#include "cli/tables.hpp"
#include "report/memory_map_page.hpp"

namespace kerr::cli {

namespace {

class Map final : public Command {
  void declare(Syntax& syntax) override {
    syntax.flag("--json", json_, "print the tables as JSON");
    syntax.footer(
        "Prints Markdown, the tables of docs/reference/memory-map.md.\nExamples:\n  kerr map\n  kerr map --json");
  }

  int run() override { return print_page(report::memory_map_tables(), json_); }
};

}  // namespace

std::unique_ptr<Command> make_map() { return std::make_unique<Map>(); }

}  // namespace kerr::cli
