// The launch that a tile runs, as the host stack has told of it.   docs/architecture.md "Checking"
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arch/messages.hpp"
#include "check/names.hpp"

namespace kerr::check {

/// Nothing is known of a launch that no note tells of, as those of other software, nor of the command queue, whose
/// kernels use memory that no note names.
class KnownLaunch {
 public:
  using Launched = arch::note::Launched;

  /// A launch begins, whose message lies in entry `slot` of the tile's launch ring.
  void begin(const Names& names, TileId tile, std::span<const uint8_t> l1, const arch::LaunchMessage& message,
             uint32_t slot);

  bool known() const { return known_.note != nullptr; }
  // If the launch is known:
  const Launched& note() const { return *known_.note; }
  /// When the host said it: nothing of it had been written then.
  Cycle since() const { return known_.since; }
  /// These bytes are of its circular buffers and scratch memory, whose contents nobody promises.
  bool gives(uint64_t address, uint64_t bytes) const {
    return address >= known_.note->l1_begin && address + bytes <= known_.note->l1_end;
  }
  /// The kernel of a hart; nullptr: none.
  const Launched::Kernel* kernel_of(arch::Hart hart) const;
  /// The address lies among arguments, semaphores and circular buffers, and in none of them.
  bool is_between_arguments(uint32_t address) const {
    const uint32_t word = (address - config_begin_) / 4;
    return word < is_gap_.size() && is_gap_[word];
  }
  /// The program was given this memory, or it is firmware's.
  bool owns(uint64_t address, uint64_t bytes) const {
    return address + bytes <= end_ || (is_resident_ && in_kernel(address));
  }
  /// A store there deserves a look: the first words, and what owns() may not know.
  bool is_odd(uint64_t address, uint64_t bytes) const { return address < 8 || address + bytes > end_; }

 private:
  void find_gaps(const arch::LaunchMessage& message);
  bool in_kernel(uint64_t address) const;

  Names::Launch known_;
  uint64_t last_id_ = 0;  // of the last launch of the tile that was known
  uint64_t end_ = 0;      // of what programs are given
  bool is_resident_ = false;
  uint32_t config_begin_ = 0;
  std::vector<bool> is_gap_;  // words from config_begin_ on
};

}  // namespace kerr::check
