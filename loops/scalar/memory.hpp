// Routines of compiled loop programs that move bytes between DRAM and the working memory of a hart.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/assembler.hpp"

namespace kerr::loops::scalar {

/// Operands: t0 an offset in the buffer, t1 the object's words; both are kept. They change t2, t5, t6 and ra.
enum class MemoryRoutine : uint8_t {
  Fill,         // brings the line of t0 into the cache
  FillFolded,   // the same for the set whose tag is at t2, if the object's lines are folded
  FillInOrder,  // the same as Fill when all that was stored has arrived
  FetchKept,    // t2 = the byte's address: in the lines of a window, which begin at t2
  Fetch,        // t2 = the byte's address: in a line of its own, whose address t2 was
  FetchInOrder,
  Place,    // t2 = where a store of t2 bytes goes
  Preload,  // reads t2 pages from that of t0 on into the object's lines
  Flush,    // sends what was stored
};
inline constexpr size_t kMemoryRoutines = 9;

/// Where the lines of loads that go through a parameter are, and the numbers of those that are there.
struct Windows {
  uint32_t lines_of_each = 0, lines = 0, tags = 0;
};

class MemoryRoutines {
 public:
  MemoryRoutines(isa::Assembler& assembler, uint32_t dram_banks, const Windows& windows);
  isa::Label of(MemoryRoutine routine);
  /// Registers that a kernel keeps, arguments, the NIU; fp in the middle of `slots` words.
  void enter(uint32_t slots);
  /// Waits until all writes have arrived, and returns.
  void leave();
  /// Those that are used.
  void emit();

 private:
  void issue_read();
  void set_read_bytes(uint32_t bytes);
  void address_in_bank(isa::Reg offset, isa::Reg address, isa::Reg coordinate, isa::Reg spare);
  void emit_read();
  void emit_flush();
  void emit_fill(bool in_order);
  void emit_fill_folded();
  void wait_for_read();
  void emit_fetch_kept();
  void emit_fetch(bool in_order);
  void emit_place();
  void emit_preload();
  void drain();

  isa::Assembler& a_;
  uint32_t dram_banks_;
  Windows windows_;
  std::array<isa::Label, kMemoryRoutines> labels_;
  isa::Label read_;  // t0's line to t2: waits
  std::array<bool, kMemoryRoutines> used_{};
};

}  // namespace kerr::loops::scalar
