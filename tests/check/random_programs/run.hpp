// Runs of random programs, each on a device of its own or one after another on one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "check/checker.hpp"
#include "emu/options.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "tests/check/random_programs/random_program.hpp"

namespace kerr::random_programs {

class Bench {
 public:
  /// `checked`: before the eyes of a checker.
  explicit Bench(bool checked, emu::Options options = {});

  /// What lies in the slots and sums of the program's tiles afterwards.
  std::vector<std::byte> run(const RandomProgram& random, const host::Program& program);
  /// Whether each word has been moved to where it should be.
  bool is_as_expected(const RandomProgram& random);

  check::Findings findings() const { return checker_ ? checker_->findings() : check::Findings{}; }
  host::EmulatedDevice& device() { return device_; }

 private:
  emu::Options with_checker(emu::Options options);

  std::unique_ptr<check::Checker> checker_;
  host::EmulatedDevice device_;
  host::Chip chip_;
};

/// A line for each finding: rule, sentence, steps of both sites. Empty if there is none.
std::string account_of(const check::Findings& findings);
/// Whether one of them is about that step.
bool names_step(const check::Findings& findings, uint32_t step);

/// One of its edges, by the seed.
Removed removed_of(const RandomProgram& random, unsigned seed);
/// "seed 3, step 3, read: hart 2 to hart 5, slots 1 and 4, signal 2, without its barrier".
std::string text_of(const RandomProgram& random, unsigned seed, Removed removed);

}  // namespace kerr::random_programs
