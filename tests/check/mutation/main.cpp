// Mutants of Kerr's own kernels and firmware before the eyes of the checker:
//
//   check_mutants [--all | --sample N] [--only TEXT] [--jobs N] [--list] [--reports]
//
// Prints a line for each mutant that no report names, as soon as those before it are done, and a table. --reports: also
// what is said of a run that does not end. TEXT: a part of the image's name, the kind, or the instruction.
#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
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

std::string sentence(const Case& c) {
  const Case::Place& place = c.places.front();
  return fmt::format("{}, {}, {}: {}", place.subject->name, place.target->image->name, name(c.mutant.kind),
                     c.mutant.text);
}

void in_parallel(size_t jobs, size_t count, const std::function<void(size_t)>& each) {
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) each(i);
  };
  std::vector<std::jthread> others(std::max<size_t>(jobs, 1) - 1);
  for (std::jthread& other : others) other = std::jthread(work);
  work();
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
  if (asked.list) {
    for (size_t i = 0; i < count; ++i) fmt::print("{}\n", sentence(case_of(i)));
    fmt::print("{} of {} mutants\n", count, cases.size());
    return 0;
  }
  std::vector<std::optional<Trial>> trials(count);
  Table table{};
  size_t told = 0;
  std::mutex telling;
  const auto done = [&](size_t i, Trial trial) {
    const std::lock_guard lock(telling);
    trials[i] = std::move(trial);
    for (; told < count && trials[told]; ++told) {
      const Case& c = case_of(told);
      const Trial& of = *trials[told];
      ++table[static_cast<size_t>(c.mutant.kind)][static_cast<size_t>(of.outcome)];
      if (of.outcome == Outcome::Found) continue;
      fmt::print("{}: {}{}{}\n", name(of.outcome), sentence(c), of.text.empty() ? "" : ": ", of.text);
      if (asked.reports && !of.report.empty()) fmt::print("{}\n", of.report);
      std::fflush(stdout);
    }
  };
  const std::vector<Fences> fences = asked.all ? fences_of(cases) : std::vector<Fences>{};
  in_parallel(asked.jobs, fences.size(), [&](size_t f) {
    const Trial together = run_case(fences[f].together);
    if (together.outcome != Outcome::Equivalent) return;
    for (const size_t i : fences[f].each) done(i, together);
  });
  in_parallel(asked.jobs, count, [&](size_t i) {
    if (!trials[i]) done(i, run_case(case_of(i)));
  });
  fmt::print("{} of {} mutants\n{}{}", count, cases.size(), text(table), shares(table));
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
