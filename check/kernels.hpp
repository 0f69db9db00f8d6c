// Which kernel an instruction belongs to, as the host has told.   docs/architecture.md "Checking"
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "arch/host_notes.hpp"
#include "check/finding.hpp"
#include "image/image.hpp"

namespace kerr::check {

/// Changed between windows only.
class Kernels {
 public:
  void booted(const arch::note::Booted& boot);
  void launched(const arch::note::Launched& launch);

  struct Found {
    std::string name;
    std::vector<Frame> frames;
  };
  /// The kernel of the hart that has this instruction at `pc`, of the latest launches; `word`: the instruction, 0 if it
  /// is not known.
  std::optional<Found> at(emu::Agent hart, uint32_t pc, uint32_t word) const;

 private:
  static constexpr size_t kMost = 512;
  struct Kernel {
    emu::Agent hart{};
    arch::note::Code code;
  };
  void add(emu::Agent hart, const arch::note::Code& code);

  std::deque<Kernel> kernels_;  // the latest first
};

}  // namespace kerr::check
