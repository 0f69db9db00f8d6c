// kerr check: what the rules of --check mean, and what orders two accesses.
#include <fmt/format.h>

#include <string>

#include "check/report/explain.hpp"
#include "cli/commands/commands.hpp"
#include "cli/version.hpp"
#include "isa/text/cursor.hpp"

namespace kerr::cli {

namespace {

check::Rule rule_of(const std::string& name) {
  if (const auto rule = check::rule_named(name)) return *rule;
  isa::text::Suggestion suggestion(name);
  for (const check::RuleText& rule : check::rules()) suggestion.consider(rule.name);
  const std::string near = suggestion.text();
  throw UsageError(
      fmt::format("there is no rule '{}'{}", name, near.empty() ? "; 'kerr check rules' lists them" : near));
}

class CheckExplain final : public Command {
  void declare(Syntax& syntax) override {
    syntax.text("RULE", rule_, "the name that a report begins with: 'kerr: error cb-incomplete [R1] ...'").required();
    syntax.footer(
        "Examples:\n"
        "  kerr check explain cb-incomplete\n"
        "  kerr check rules\n"
        "  kerr check edges\n"
        "  kerr matmul 256 256 256 --check");
  }

  int run() override {
    fmt::print("{}", check::explain(rule_of(rule_)));
    return 0;
  }

  std::string rule_;
};

class CheckRules final : public Command {
  void declare(Syntax& syntax) override {
    syntax.flag("--json", json_, "print them as JSON, with causes and mends");
    syntax.footer("Examples:\n  kerr check rules\n  kerr check explain race");
  }

  int run() override {
    if (json_)
      write_json("rules", check::rules_json());
    else
      fmt::print("{}", check::rules_text());
    return 0;
  }
};

class CheckEdges final : public Command {
  void declare(Syntax& syntax) override {
    syntax.flag("--json", json_, "print them as JSON");
    syntax.footer(
        "Two accesses race unless a chain of these stands between them. Citations are of docs/hardware.\n"
        "Examples:\n  kerr check edges\n  kerr check edges --json");
  }

  int run() override {
    if (json_)
      write_json("edges", check::edges_json());
    else
      fmt::print("{}", check::edges_text());
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> make_check_explain() { return std::make_unique<CheckExplain>(); }
std::unique_ptr<Command> make_check_rules() { return std::make_unique<CheckRules>(); }
std::unique_ptr<Command> make_check_edges() { return std::make_unique<CheckEdges>(); }

}  // namespace kerr::cli
