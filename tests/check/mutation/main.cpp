// Mutants of Kerr's own kernels and firmware before the eyes of the checker:
//
//   check_mutants [--all | --sample N] [--only TEXT] [--list]
//
// A line for each mutant that no report names, and a table. TEXT: of the image's name, the kind, or the instruction.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>

#include "tests/check/mutation/trial.hpp"

namespace kerr::mutation {
namespace {

int run(int argc, char** argv) {
  size_t sample = 100;
  bool all = false, list = false;
  std::string_view only;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
    if (option == "--all") {
      all = true;
    } else if (option == "--list") {
      list = true;
    } else if (option == "--sample" && !value.empty() &&
               std::from_chars(value.data(), value.data() + value.size(), sample).ec == std::errc()) {
      ++i;
    } else if (option == "--only" && !value.empty()) {
      only = value;
      ++i;
    } else {
      fmt::print(stderr, "check_mutants: '{}': it is --all, --sample N, --only TEXT or --list\n", option);
      return 64;
    }
  }
  std::vector<Plain> plains;
  for (const Subject& subject : subjects()) {
    plains.push_back(run_plain(subject));
    if (!plains.back().findings.empty()) fmt::print("{} is not silent: {}\n", subject.name, plains.back().findings);
  }
  std::vector<Case> cases = all_cases(plains);
  std::erase_if(cases, [&](const Case& c) {
    return !only.empty() && c.target->image->name.find(only) == std::string::npos &&
           c.mutant.text.find(only) == std::string::npos && name(c.mutant.kind) != only;
  });
  const size_t count = all ? cases.size() : std::min(sample, cases.size());
  Table table{};
  for (size_t i = 0; i < count; ++i) {
    const Case& c = cases[i * cases.size() / count];
    const std::string what =
        fmt::format("{}, {}, {}: {}", c.subject->name, c.target->image->name, name(c.mutant.kind), c.mutant.text);
    if (list) {
      fmt::print("{}\n", what);
      continue;
    }
    const Trial trial = run_mutant(*c.subject, *c.plain, *c.target, c.mutant);
    ++table[static_cast<size_t>(c.mutant.kind)][static_cast<size_t>(trial.outcome)];
    if (trial.outcome != Outcome::Found) {
      fmt::print("{}: {}{}{}\n", name(trial.outcome), what, trial.findings.empty() ? "" : ": ", trial.findings);
      std::fflush(stdout);
    }
  }
  fmt::print("{} of {} mutants\n{}", count, cases.size(), list ? "" : text(table));
  return 0;
}

}  // namespace
}  // namespace kerr::mutation

int main(int argc, char** argv) {
  try {
    return kerr::mutation::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "check_mutants: {}\n", error.what());
    return 1;
  }
}
