#include "tests/check/mutation/trial.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <stdexcept>

#include "host/error.hpp"

namespace kerr::mutation {

namespace {

constexpr uint64_t kFirstDeadline = 20'000'000;

check::Findings findings_of(const host::EmulatedDevice& device) {
  check::Findings out = device.findings();
  std::erase_if(out.all, [](const check::Finding& f) { return text_of(f.rule).level == check::Level::Hint; });
  return out;
}

std::string rules_of(const check::Findings& findings) {
  std::set<std::string_view> names;
  for (const check::Finding& f : findings.all) names.insert(check::name(f.rule));
  return fmt::format("{}", fmt::join(names, ", "));
}

// Sites of an image without functions are within its kernel.
bool is_in(const check::Site& site, const image::Image& image, std::string_view function) {
  if (site.kernel != image.name) return false;
  if (function.empty() || site.frames.empty()) return true;
  return std::ranges::any_of(site.frames, [&](const check::Frame& f) {
    return f.function == function || f.function == std::string(function) + "()";
  });
}

bool names_place(const check::Findings& findings, const image::Image& image, uint32_t address) {
  const image::Symbol* const symbol = image.symbol_at(address);
  const std::string_view function = symbol != nullptr ? std::string_view(symbol->name) : "";
  return std::ranges::any_of(findings.all, [&](const check::Finding& f) {
    return is_in(f.then, image, function) || (f.first && is_in(*f.first, image, function));
  });
}

// The lines of a report that tell the root, or the fault.
std::string_view beginning(std::string_view report) {
  size_t end = 0;
  for (int line = 0; line < 3 && end != std::string_view::npos; ++line) end = report.find('\n', end + 1);
  return report.substr(0, end);
}

// A hang or a fault is told of the place: by the kernel's name, or by a hart that stands in the loop that was changed.
// Or it begins with the semaphore that was not posted, or with the hart that should have gone on.
bool is_named(std::string_view report, const Loaded& target, const Mutant& mutant) {
  constexpr std::string_view kHarts[] = {"BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2"};
  const auto has = [](std::string_view text, std::string_view what) { return text.find(what) != text.npos; };
  if (has(report, target.image->name)) return true;
  for (uint32_t address = mutant.first; address <= mutant.address + 4; address += 4) {
    if (has(report, fmt::format("{:<7} polling at pc {:#x} ", kHarts[static_cast<size_t>(target.hart)],
                                address - target.address + target.at)))
      return true;
  }
  const std::string_view root = beginning(report);
  for (const uint32_t s : mutant.semaphores)
    if (has(root, fmt::format("hardware semaphore {}", s))) return true;
  return has(root, fmt::format(") {}", kHarts[static_cast<size_t>(target.hart)]));
}

host::Deadline deadline_of(uint64_t cycles) { return {cycles, std::chrono::milliseconds(60'000)}; }

}  // namespace

std::string_view name(Outcome outcome) {
  constexpr std::array<std::string_view, kOutcomes> names{"found",  "stuck",    "elsewhere", "hangs",
                                                          "missed", "unlooked", "equivalent"};
  return names[static_cast<size_t>(outcome)];
}

Plain run_plain(const Subject& subject) {
  Plain plain;
  host::EmulatedDevice emulated({.chip = {.observer = &plain.executed}, .check = {.mode = check::Watching::Mode::All}});
  MutatingDevice device(emulated, nullptr, nullptr);
  plain.result = subject.run(device, deadline_of(kFirstDeadline));
  plain.cycles = emulated.cycles();
  plain.loaded = device.loaded();
  plain.findings = rules_of(findings_of(emulated));
  return plain;
}

Trial run_mutant(const Subject& subject, const Plain& plain, const Loaded& target, const Mutant& mutant) {
  host::EmulatedDevice emulated({.check = {.mode = check::Watching::Mode::All}});
  MutatingDevice device(emulated, &target, &mutant);
  std::vector<std::byte> result;
  std::string end, report;
  try {
    result = subject.run(device, deadline_of(10 * plain.cycles));
  } catch (const host::DeviceError& error) {
    end = error.summary();
    report = error.report();
    if (report.find("root: ") == std::string::npos) report = emulated.why_nothing_moves({}) + report;
  }
  if (!device.applied()) throw std::logic_error(fmt::format("{}: never loaded", mutant.text));
  const check::Findings findings = findings_of(emulated);
  if (!findings.all.empty()) {
    return {names_place(findings, *target.image, mutant.address) ? Outcome::Found : Outcome::Elsewhere,
            rules_of(findings)};
  }
  if (!end.empty()) {
    return {is_named(report, target, mutant) ? Outcome::Stuck : Outcome::Hangs, end, report};
  }
  if (result != plain.result) return {Outcome::Missed};
  return {mutant.is_known ? Outcome::Equivalent : Outcome::Unlooked};
}

std::vector<Case> all_cases(const std::vector<Plain>& plains) {
  std::vector<Case> out;
  // By the image's text, and what is changed where.
  std::map<std::tuple<std::vector<uint8_t>, Kind, uint32_t, uint32_t>, size_t> seen;
  for (size_t s = 0; s < plains.size(); ++s) {
    for (const Loaded& loaded : plains[s].loaded) {
      if (!loaded.is_written) continue;
      for (Mutant& mutant : mutants_of(*loaded.image)) {
        const uint32_t pc = mutant.address - loaded.address + loaded.at;
        const uint32_t word = loaded.image->word_at(mutant.address).value_or(0);
        if (!plains[s].executed.has(loaded.hart, pc, word)) continue;
        const auto [at, is_new] =
            seen.try_emplace({loaded.bytes, mutant.kind, mutant.address, mutant.words.front().second}, out.size());
        if (is_new) out.push_back({.mutant = std::move(mutant)});
        out[at->second].places.push_back({&subjects()[s], &plains[s], &loaded});
      }
    }
  }
  return out;
}

Trial run_case(const Case& c) {
  Trial best{Outcome::Equivalent};
  for (const Case::Place& place : c.places) {
    Trial trial = run_mutant(*place.subject, *place.plain, *place.target, c.mutant);
    const bool decides =
        trial.outcome == Outcome::Found || trial.outcome == Outcome::Stuck || trial.outcome == Outcome::Missed;
    if (decides || trial.outcome < best.outcome) best = std::move(trial);
    if (decides) break;
  }
  return best;
}

std::vector<Fences> fences_of(const std::vector<Case>& cases) {
  std::vector<Fences> out;
  std::map<std::vector<uint8_t>, size_t> seen;  // by the image's text
  for (size_t n = 0; n < cases.size(); ++n) {
    const Case& c = cases[n];
    if (c.mutant.kind != Kind::Fence) continue;
    const auto [at, is_new] = seen.try_emplace(c.places.front().target->bytes, out.size());
    if (is_new) {
      out.push_back({.together = c, .each = {n}});
      continue;
    }
    Fences& of = out[at->second];
    of.each.push_back(n);
    std::vector<std::pair<uint32_t, uint32_t>>& words = of.together.mutant.words;
    words.insert(words.end(), c.mutant.words.begin(), c.mutant.words.end());
    for (const Case::Place& place : c.places) {
      const auto same = [&](const Case::Place& p) { return p.subject == place.subject && p.target == place.target; };
      if (std::ranges::none_of(of.together.places, same)) of.together.places.push_back(place);
    }
  }
  return out;
}

std::string text(const Table& table) {
  std::string out = fmt::format("{:<10}", "");
  for (int o = 0; o < kOutcomes; ++o) out += fmt::format("{:>11}", name(static_cast<Outcome>(o)));
  out += fmt::format("{:>10}\n", "all");
  for (int k = 0; k < kKinds; ++k) {
    uint32_t sum = 0;
    out += fmt::format("{:<10}", name(static_cast<Kind>(k)));
    for (const uint32_t n : table[static_cast<size_t>(k)]) {
      out += fmt::format("{:>11}", n);
      sum += n;
    }
    out += fmt::format("{:>10}\n", sum);
  }
  return out;
}

std::string shares(const Table& table) {
  const auto share = [&](std::string_view what, auto counts) {
    uint32_t named = 0, all = 0, unlooked = 0;
    for (int k = 0; k < kKinds; ++k) {
      if (!counts(static_cast<Kind>(k))) continue;
      const auto of = [&](Outcome outcome) { return table[static_cast<size_t>(k)][static_cast<size_t>(outcome)]; };
      named += of(Outcome::Found) + of(Outcome::Stuck);
      all +=
          of(Outcome::Found) + of(Outcome::Stuck) + of(Outcome::Elsewhere) + of(Outcome::Hangs) + of(Outcome::Missed);
      unlooked += of(Outcome::Unlooked);
    }
    return fmt::format(
        "{}: {} of {} that take order away are found or stuck where they are ({:.1f} %), beside {} that the "
        "checker does not look at\n",
        what, named, all, all != 0 ? 100.0 * named / all : 100.0, unlooked);
  };
  return share("loop, bound, NoC", [](Kind k) { return k == Kind::Loop || k == Kind::Bound || k == Kind::Noc; }) +
         share("waits", is_wait) + share("all", [](Kind) { return true; });
}

}  // namespace kerr::mutation
