// Straight-line programs for one hart: the notation of docs/hardware/tensix-datapath.md Appendix A as RV32 code.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/memory_map.hpp"
#include "arch/sync.hpp"

namespace kerr::oracle {

/// A few instructions are enough to drive the coprocessor, so this knows just these; it stays independent of isa/
/// because it is used to judge it.
class Program {
 public:
  /// *address = value
  Program& store(uint32_t address, uint32_t value);
  /// Loads from `address` and uses the value, so that execution waits for the load.
  Program& load(uint32_t address);
  /// *to = *from
  Program& copy(uint32_t to, uint32_t from);
  /// Backend configuration word `index` of bank 0.
  Program& config(unsigned index, uint32_t value) { return store(arch::kConfigBase + 4 * index, value); }
  /// Thread configuration word `index` by SETC16.
  Program& thread_config(unsigned index, uint32_t value) { return push(0xB2000000 | index << 16 | value); }
  /// Word `index` of the MOP configuration (TRISCs only).
  Program& mop_config(unsigned index, uint32_t value) { return store(arch::kMopConfigBase + 4 * index, value); }
  /// Pushes a Tensix instruction to the hart's own thread.
  Program& push(uint32_t tensix_word);
  /// Waits until all that was pushed before has been executed (TRISCs only).
  Program& drain() { return load(arch::kTtSyncThreadIdle); }
  /// One RV32 word as it is.
  Program& raw(uint32_t word);

  /// The code; it ends by storing `done_value` to `done_address` and looping on itself.
  std::vector<uint32_t> finish(uint32_t done_address, uint32_t done_value) const;

 private:
  std::vector<uint32_t> words_;
};

}  // namespace kerr::oracle
