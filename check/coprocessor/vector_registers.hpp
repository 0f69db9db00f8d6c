// The vector unit's registers LReg 0 to 7: which of them hold something that the program has put there.
#pragma once

#include <array>
#include <cstdint>

#include "check/stamp.hpp"

namespace kerr::check {

/// Registers that a vector instruction reads and writes, one bit each of LReg 0 to 15. What its mode leaves open counts
/// as read: whoever writes a register may keep some of its lanes. Of SFPLOADMACRO the register that it loads.
struct VectorOperands {
  uint16_t reads = 0, writes = 0;
};
VectorOperands vector_operands(uint32_t word);

/// Which threads have used them: there is one vector unit, and what issued first takes effect first.
struct VectorUses {
  struct OfThread {
    VectorOperands used;
    std::array<Stamp, 16> read, written;  // the last time
  };
  std::array<OfThread, 3> threads;
};

/// A register counts as written as soon as any of its lanes is, and whatever is computed from one that was written is
/// written too: only what cannot hold anything of the program is unwritten.
class VectorRegisters {
 public:
  static constexpr uint32_t kRegisters = 8;  // the others hold constants

  /// What earlier programs have left is of no use to the next one. Before the first program nobody knows.
  void program_begins() { unwritten_ = 0xFF; }
  /// A vector instruction has executed.
  void executed(uint32_t word);
  /// The register that an SFPSTORE takes, if nobody has written it; else -1.
  int stored_unwritten(uint32_t word) const;

 private:
  bool is_unwritten(uint32_t r) const { return r < kRegisters && (unwritten_ >> r & 1) != 0; }
  void write(uint32_t r) {
    if (r < kRegisters) unwritten_ &= static_cast<uint8_t>(~(1u << r));
  }
  /// All of `registers` (bits) hold something if one of them does.
  void mix(uint8_t registers) {
    if ((unwritten_ & registers) != registers) unwritten_ &= static_cast<uint8_t>(~registers);
  }

  uint8_t unwritten_ = 0;  // one bit each
};

}  // namespace kerr::check
