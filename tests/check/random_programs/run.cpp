#include "tests/check/random_programs/run.hpp"

#include <algorithm>

namespace kerr::random_programs {

Bench::Bench(bool checked, emu::Options options)
    : checker_(checked ? std::make_unique<check::Checker>(options.boards) : nullptr),
      device_({.chip = with_checker(std::move(options))}),
      chip_(device_) {}

emu::Options Bench::with_checker(emu::Options options) {
  if (checker_) options.observer = checker_.get();
  return options;
}

std::vector<std::byte> Bench::run(const RandomProgram& random, const host::Program& program) {
  // Signals and slots begin at zero.
  const uint32_t begin = program.layout().unreserved;
  std::vector<std::byte> bytes(program.l1_end() - begin);
  for (const arch::NocCoord tile : random.tiles()) chip_.io().write(tile, begin, bytes);
  chip_.run(program);
  std::vector<std::byte> out;
  for (const arch::NocCoord tile : random.tiles()) {
    chip_.io().read(tile, begin, bytes);
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  return out;
}

bool Bench::is_as_expected(const RandomProgram& random) {
  return std::ranges::all_of(random.expected(), [&](const RandomProgram::Expected& e) {
    return chip_.io().read32(e.tile, e.address) == e.value;
  });
}

std::string account_of(const check::Findings& findings) {
  std::string all;
  for (const check::Finding& f : findings.all) {
    const auto place = [](const check::Site& site) {
      return "agent " + std::to_string(static_cast<int>(site.who)) + " " + site.lane + site.kernel +
             (site.frames.empty() ? "" : " step " + std::to_string(site.frames.back().line - 1));
    };
    all += std::string(check::name(f.rule)) + ": " + f.what + ": " + (f.first ? place(*f.first) : "-") + " -> " +
           place(f.then) + "\n";
  }
  return all;
}

bool names_step(const check::Findings& findings, uint32_t step) {
  return std::ranges::any_of(findings.all, [&](const check::Finding& f) {
    const auto is_there = [&](const check::Site& site) {
      return !site.frames.empty() && site.frames.back().file == "steps" && site.frames.back().line == step + 1;
    };
    return is_there(f.then) || (f.first && is_there(*f.first));
  });
}

Removed removed_of(const RandomProgram& random, unsigned seed) {
  return random.removable()[(seed * 7919u) % random.removable().size()];
}

std::string text_of(const RandomProgram& random, unsigned seed, Removed removed) {
  constexpr std::string_view kEdges[] = {"consumer's wait", "channel of the flag", "flush", "barrier", "reserve"};
  return "seed " + std::to_string(seed) + ", " + random.text(removed.step) + ", without its " +
         std::string(kEdges[static_cast<size_t>(removed.edge)]);
}

}  // namespace kerr::random_programs
