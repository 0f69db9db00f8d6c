// kerr diff: where two recorded runs part.

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/commands/commands.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/version.hpp"
#include "diff/difference.hpp"
#include "emu/snapshot/archive.hpp"
#include "jobs/device.hpp"

namespace kerr::cli {

namespace {

class Diff final : public Command {
  void declare(Syntax& syntax) override {
    syntax.text("A", a_, "a log that --record or KERR_RECORD has written").required();
    syntax.text("B", b_, "another one").required();
    add_threads(syntax, threads_);
    syntax.flag("--json", json_, "print the report as JSON");
    syntax.footer(
        "Says where two runs part: the first other input, the first window behind which the machines are not in the "
        "same state, and the first hart or thread that does something else, with its line.\n"
        "Examples:\n"
        "  kerr run add.s --args 7 --record a.log\n"
        "  kerr run add.s --args 8 --record b.log\n"
        "  kerr diff a.log b.log\n"
        "Exit status: 0 they are the same, 1 they differ, 2 a file is damaged or no log.");
  }

  int run() override {
    const NamedFile inputs[] = {{"A", a_}, {"B", b_}};
    check_files(inputs, {});
    for (const std::string& path : {a_, b_})
      reading(path, [&] { emu::read_log_info(path, emu::is_unfinished_log(path)); });
    Progress progress;
    const diff::Difference d = diff::compare(a_, b_, threads_, [&](const std::string& what) { progress.begins(what); });
    json_ ? write_json(diff::json(d)) : fmt::print("{}", printable(diff::text(d)));
    return d.none() ? 0 : 1;
  }

  std::string a_, b_;
  int threads_ = jobs::cpus();
};

}  // namespace

std::unique_ptr<Command> make_diff() { return std::make_unique<Diff>(); }

}  // namespace kerr::cli
