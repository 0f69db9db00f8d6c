// Code that harts have fetched since their instruction caches were emptied, and what of it was written since.
// docs/hardware/tile.md 1.6
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "arch/memory_map.hpp"
#include "check/stamp.hpp"

namespace kerr::check {

class FetchedCode {
 public:
  static constexpr uint32_t kLineBytes = 64;

  /// Precondition: `pc` lies in L1. True: has() of it was not true.
  bool fetched(size_t hart, uint32_t pc) {
    if (lines_[hart][pc / kLineBytes]) return false;
    const bool first = !has(pc);
    lines_[hart].set(pc / kLineBytes);
    any_.set(pc / kLineBytes);
    return first;
  }
  /// Some hart may have fetched this line.
  bool has(uint64_t address) const { return any_[address / kLineBytes]; }
  /// Somebody writes these bytes of L1.
  void written(uint64_t address, uint64_t bytes, const Stamp& by) {
    const bool one_line = address % kLineBytes + bytes <= kLineBytes;
    if (!one_line || any_[address / kLineBytes]) written_over(address, bytes, by);
  }
  /// The cache of a hart is empty now.
  void forget(size_t hart);

  /// Something that some hart has fetched is old.
  bool has_old() const { return !old_.empty(); }
  /// Who has written the instruction at `pc` after that hart has fetched its line; nullptr: nobody. Says so once.
  const Stamp* take_old(size_t hart, uint32_t pc);

 private:
  void written_over(uint64_t address, uint64_t bytes, const Stamp& by);

  using Lines = std::bitset<arch::kL1Bytes / kLineBytes>;
  struct Old {
    uint64_t begin = 0, end = 0;
    uint8_t harts = 0;  // one bit each
    Stamp by;
  };

  std::array<Lines, arch::kHarts> lines_;
  Lines any_;  // of any hart; perhaps more
  std::vector<Old> old_;
  Stamp taken_;
};

}  // namespace kerr::check
