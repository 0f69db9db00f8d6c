#include "tests/check/mutation/trial.hpp"

#include <fmt/format.h>

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

host::Deadline deadline_of(uint64_t cycles) { return {cycles, std::chrono::milliseconds(60'000)}; }

}  // namespace

std::string_view name(Outcome outcome) {
  constexpr std::array<std::string_view, kOutcomes> names{"found", "stuck", "elsewhere", "hangs", "missed", "silent"};
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
  }
  if (!device.applied()) throw std::logic_error(fmt::format("{}: never loaded", mutant.text));
  const check::Findings findings = findings_of(emulated);
  if (!findings.all.empty()) {
    return {names_place(findings, *target.image, mutant.address) ? Outcome::Found : Outcome::Elsewhere,
            rules_of(findings)};
  }
  if (!end.empty()) {
    const bool is_named = report.find(target.image->name) != std::string::npos;
    return {is_named ? Outcome::Stuck : Outcome::Hangs, end};
  }
  return {result == plain.result ? Outcome::Silent : Outcome::Missed};
}

std::vector<Case> all_cases(const std::vector<Plain>& plains) {
  std::vector<Case> out;
  std::set<std::tuple<std::vector<uint8_t>, Kind, uint32_t, uint32_t>> seen;  // text, and what is changed where
  for (size_t s = 0; s < plains.size(); ++s) {
    for (const Loaded& loaded : plains[s].loaded) {
      if (!loaded.is_written) continue;
      for (Mutant& mutant : mutants_of(*loaded.image)) {
        const uint32_t pc = mutant.address - loaded.address + loaded.at;
        const uint32_t word = loaded.image->word_at(mutant.address).value_or(0);
        if (!plains[s].executed.has(loaded.hart, pc, word)) continue;
        if (!seen.emplace(loaded.bytes, mutant.kind, mutant.address, mutant.words.front().second).second) continue;
        out.push_back({&subjects()[s], &plains[s], &loaded, std::move(mutant)});
      }
    }
  }
  return out;
}

std::string text(const Table& table) {
  std::string out = fmt::format("{:<10}", "");
  for (int o = 0; o < kOutcomes; ++o) out += fmt::format("{:>10}", name(static_cast<Outcome>(o)));
  out += fmt::format("{:>10}\n", "all");
  for (int k = 0; k < kKinds; ++k) {
    uint32_t sum = 0;
    out += fmt::format("{:<10}", name(static_cast<Kind>(k)));
    for (const uint32_t n : table[static_cast<size_t>(k)]) {
      out += fmt::format("{:>10}", n);
      sum += n;
    }
    out += fmt::format("{:>10}\n", sum);
  }
  return out;
}

}  // namespace kerr::mutation
