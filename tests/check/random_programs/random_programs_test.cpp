// Programs whose accesses are all ordered, and the same without one edge.
#include <gtest/gtest.h>

#include <algorithm>

#include "check/checker.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "tests/check/random_programs/random_program.hpp"

namespace kerr::random_programs {
namespace {

constexpr uint32_t kSteps = 24;

// Signals and slots begin at zero.
void clear(host::Chip& chip, const RandomProgram& random, const host::Program& program) {
  const std::vector<std::byte> zeros(program.l1_end() - program.layout().unreserved);
  for (const arch::NocCoord tile : random.tiles()) chip.io().write(tile, program.layout().unreserved, zeros);
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

TEST(RandomPrograms, MoveEachWordAndAreSilent) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const RandomProgram random(seed, kSteps);
    const host::Program program = random.build();
    emu::Options options;
    check::Checker checker(options.boards);
    options.observer = &checker;
    host::EmulatedDevice device({.chip = options});
    host::Chip chip(device);
    clear(chip, random, program);
    chip.run(program);
    for (const auto& e : random.expected()) EXPECT_EQ(chip.io().read32(e.tile, e.address), e.value) << seed;
    EXPECT_EQ(account_of(checker.findings()), "") << "seed " << seed;
  }
}

constexpr std::string_view kEdges[] = {"consumer's wait", "channel of the flag", "flush", "barrier", "reserve"};

bool names_step(const check::Findings& findings, uint32_t step) {
  return std::ranges::any_of(findings.all, [&](const check::Finding& f) {
    const auto is_there = [&](const check::Site& site) {
      return !site.frames.empty() && site.frames.back().file == "steps" && site.frames.back().line == step + 1;
    };
    return is_there(f.then) || (f.first && is_there(*f.first));
  });
}

// Seeds of which the checker does not name the step yet. One that it names must leave this list.
constexpr unsigned kNotYet[] = {1, 8, 9, 11, 14, 24, 30, 34};

TEST(RandomPrograms, WithoutOneEdgeAreReported) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const RandomProgram random(seed, kSteps);
    const auto& removable = random.removable();
    const Removed removed = removable[(seed * 7919u) % removable.size()];
    emu::Options options;
    check::Checker checker(options.boards);
    options.observer = &checker;
    host::EmulatedDevice device({.chip = options});
    host::Chip chip(device);
    const host::Program program = random.build(removed);
    clear(chip, random, program);
    chip.run(program);
    const check::Findings findings = checker.findings();
    EXPECT_EQ(names_step(findings, removed.step), std::ranges::find(kNotYet, seed) == std::end(kNotYet))
        << "seed " << seed << ", " << random.text(removed.step) << ", without its "
        << kEdges[static_cast<size_t>(removed.edge)] << "\n"
        << account_of(findings);
  }
}

}  // namespace
}  // namespace kerr::random_programs
