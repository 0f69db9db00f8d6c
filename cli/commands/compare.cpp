// kerr compare: two reports of runs side by side.

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "cli/commands/commands.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/version.hpp"
#include "report/comparison.hpp"

namespace kerr::cli {

namespace {

constexpr uintmax_t kLargestReport = uintmax_t{256} << 20;

class Compare final : public Command {
  void declare(Syntax& syntax) override {
    syntax.input_file("A", a_, "a report that '--json' of kerr matmul or kerr eval has printed").required();
    syntax.input_file("B", b_, "another one").required();
    syntax.group("Output");
    syntax.flag("--all", all_, "also what is equal");
    syntax.flag("--json", json_, "print it as JSON");
    syntax.footer(
        "Examples:\n"
        "  kerr matmul 512 512 512 --timing exact --utilisation --json > a.json\n"
        "  kerr matmul 512 512 512 --timing exact --utilisation --json --in bfp8 > b.json\n"
        "  kerr compare a.json b.json\n"
        "Exit status: 0, also where the runs differ; 2 if a file is no such report.");
  }

  int run() override {
    if (a_ == "-" && b_ == "-") throw UsageError("only one report can come from standard input");
    const report::Comparison c = report::compare(read_file(a_, kLargestReport), read_file(b_, kLargestReport), a_, b_);
    json_ ? write_json(report::json(c, a_, b_)) : fmt::print("{}", printable(report::text(c, a_, b_, all_)));
    return 0;
  }

  std::string a_, b_;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Command> make_compare() { return std::make_unique<Compare>(); }

}  // namespace kerr::cli
