// Memory that the host stack has given to buffers, and that it has taken back.   docs/architecture.md "Checking"
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "arch/host_notes.hpp"
#include "emu/cycle.hpp"

namespace kerr::check {

/// Memory of a chip, by its notes. Told and changed between windows only. An address is the same in every bank.
class DeviceMemory {
 public:
  using Space = arch::note::Allocated::Space;

  /// DRAM that was a buffer's, and that no other buffer has been given since.
  struct Freed {
    uint64_t end = 0;
    uint64_t buffer = 0;       // arch::note::Allocated::id
    uint64_t last_launch = 0;  // the id of the last launch that was noted before
    emu::Cycle cycle = 0;
  };

  void noted(const arch::note::Note& note, emu::Cycle now);

  /// The allocation of the first of these bytes that was freed; nullptr: none was.
  const Freed* freed_dram(uint64_t address, uint64_t bytes) const;
  /// A buffer in L1 has all of these bytes.
  bool is_buffer_in_l1(uint64_t address, uint64_t bytes) const;

 private:
  struct Range {
    uint64_t end = 0, buffer = 0;
  };
  struct Place {
    Space space = Space::Dram;
    uint64_t begin = 0;
  };

  void take_from_freed(uint64_t begin, uint64_t end);

  std::map<uint64_t, Range> dram_, l1_;  // of buffers, by their first byte
  std::unordered_map<uint64_t, Place> buffers_;
  std::map<uint64_t, Freed> freed_;  // by the first byte
  uint64_t last_launch_ = 0;
};

}  // namespace kerr::check
