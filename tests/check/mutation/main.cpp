// Mutants of Kerr's own kernels and firmware before the eyes of the checker:
//
//   check_mutants [--all | --sample N] [--only TEXT] [--jobs N] [--list] [--reports]
//
// Prints a line for each mutant that no report names, and a table. --reports: also what is said of a run that does not
// end. TEXT: a part of the image's name, the kind, or the instruction.
#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <thread>

#include "tests/check/mutation/trial.hpp"

namespace kerr::mutation {
namespace {

struct Asked {
  size_t sample = 100, jobs = 1;
  bool all = false, list = false, reports = false;
  std::string_view only;
};

bool parse(int argc, char** argv, Asked& asked) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
    const auto number = [&](size_t& to) {
      ++i;
      const char* const end = value.data() + value.size();
      return !value.empty() && std::from_chars(value.data(), end, to) == std::from_chars_result{end, std::errc()};
    };
    if (option == "--all") {
      asked.all = true;
    } else if (option == "--list") {
      asked.list = true;
    } else if (option == "--reports") {
      asked.reports = true;
    } else if (option == "--only" && !value.empty()) {
      asked.only = value;
      ++i;
    } else if (!(option == "--sample" && number(asked.sample)) && !(option == "--jobs" && number(asked.jobs))) {
      fmt::print(stderr, "check_mutants: '{}': it is --all, --sample N, --only TEXT, --jobs N, --list or --reports\n",
                 option);
      return false;
    }
  }
  return true;
}

int run(const Asked& asked) {
  std::vector<Plain> plains;
  for (const Subject& subject : subjects()) {
    plains.push_back(run_plain(subject));
    if (!plains.back().findings.empty()) fmt::print("{} is not silent: {}\n", subject.name, plains.back().findings);
  }
  std::vector<Case> cases = all_cases(plains);
  std::erase_if(cases, [&](const Case& c) {
    return !asked.only.empty() && c.places.front().target->image->name.find(asked.only) == std::string::npos &&
           c.mutant.text.find(asked.only) == std::string::npos && name(c.mutant.kind) != asked.only;
  });
  const size_t count = asked.all ? cases.size() : std::min(asked.sample, cases.size());
  const auto case_of = [&](size_t i) -> const Case& { return cases[i * cases.size() / count]; };
  std::vector<Trial> trials(count);
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < count && !asked.list; i = next++) {
      trials[i] = run_case(case_of(i));
    }
  };
  {
    std::vector<std::jthread> others(std::max<size_t>(asked.jobs, 1) - 1);
    for (std::jthread& other : others) other = std::jthread(work);
    work();
  }
  Table table{};
  for (size_t i = 0; i < count; ++i) {
    const Case& c = case_of(i);
    const Trial& trial = trials[i];
    ++table[static_cast<size_t>(c.mutant.kind)][static_cast<size_t>(trial.outcome)];
    if (trial.outcome == Outcome::Found && !asked.list) continue;
    fmt::print("{}{}, {}, {}: {}{}{}\n", asked.list ? "" : fmt::format("{}: ", name(trial.outcome)),
               c.places.front().subject->name, c.places.front().target->image->name, name(c.mutant.kind), c.mutant.text,
               trial.text.empty() ? "" : ": ", trial.text);
    if (asked.reports && !trial.report.empty()) fmt::print("{}\n", trial.report);
  }
  fmt::print("{} of {} mutants\n{}", count, cases.size(), asked.list ? "" : text(table) + shares(table));
  return 0;
}

}  // namespace
}  // namespace kerr::mutation

int main(int argc, char** argv) {
  try {
    kerr::mutation::Asked asked;
    return kerr::mutation::parse(argc, argv, asked) ? kerr::mutation::run(asked) : 64;
  } catch (const std::exception& error) {
    fmt::print(stderr, "check_mutants: {}\n", error.what());
    return 1;
  }
}
