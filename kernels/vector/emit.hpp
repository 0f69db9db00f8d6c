// From values to the eight registers of the vector unit, and to instruction words.   docs/hardware/kernels.md 6.2, 6.5
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/vector/code.hpp"

namespace kerr::kernels::vector {

/// How datums lie in Dst, and where values may wait that find no register.
struct DstUse {
  bool dst32 = false;        // FP32; otherwise BF16
  uint32_t first_spill = 0;  // tiles of the section from here on are free ...
  uint32_t tiles = 8;        // ... up to this
};

struct Word {
  uint32_t word = 0;
  std::string remark;
};

inline constexpr uint32_t kReplaySlots = 32;

struct Emitted {
  std::vector<Word> words;  // for one group of 32 lanes; every lane is enabled before and after
  uint32_t spills = 0;      // values that were stored for lack of registers
  bool uses_place = false;  // reads Code::place()
  /// The replay buffer holds them, and the step to the next group.
  bool replays() const { return words.size() < kReplaySlots; }
};

/// Assigns registers: spills the value whose next use is furthest; makes constants and loads again. A gap follows each
/// two-cycle instruction whose result the next one reads. Throws std::length_error when Dst has no room left for
/// spilled values.
Emitted emit(const Code& code, const DstUse& dst);

}  // namespace kerr::kernels::vector
