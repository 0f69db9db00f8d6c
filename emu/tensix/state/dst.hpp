// Dst: 1,024 rows of sixteen 16-bit cells, one validity flag a row.
// docs/hardware/tensix-datapath.md 10, tensix-math.md 2
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "emu/math/formats.hpp"
#include "emu/tensix/state/config.hpp"

namespace kerr::emu::tensix {

/// How row numbers of an access become physical rows: DEST_ACCESS_CFG and one debug switch.
struct DstAddressing {
  bool remap_addrs = false;
  bool swizzle_32b = false;
  bool high_half = false;  // DBG_FEATURE_DISABLE bit 11: a 16-bit access uses the high half of the 32-bit view

  unsigned row_16(unsigned row) const { return high_half ? row_32(row) : math::dst_row_16(row, remap_addrs); }
  /// The row of the high half; the low half lies kLowHalf rows further. Its flag is the one that counts.
  unsigned row_32(unsigned row) const { return math::dst_row_32(row, remap_addrs, swizzle_32b); }
};

/// Storage by physical row. Cells are shuffled (math/formats.hpp encode_*), as on the chip. An invalid row reads as 0
/// for packer and matrix unit; its cells stay. At power-on all rows are valid and zero.
class Dst {
 public:
  static constexpr unsigned kRows = math::kDstRows;
  static constexpr unsigned kColumns = math::kColumns;
  static constexpr unsigned kLowHalf = 8;
  static constexpr size_t kBytes = kRows * kColumns * sizeof(uint16_t);

  /// `cells`: kBytes of zeroed memory.
  explicit Dst(uint16_t* cells) : cells_(cells) {}

  /// Sixteen cells. `physical` below 1024 (it is taken modulo 1024).
  uint16_t* row(unsigned physical) { return cells_ + (physical % kRows) * kColumns; }
  const uint16_t* row(unsigned physical) const { return cells_ + (physical % kRows) * kColumns; }

  bool valid(unsigned physical) const { return !(invalid_[physical % kRows / 64] >> physical % 64 & 1); }
  void set_valid(unsigned physical, bool valid) {
    const uint64_t bit = uint64_t{1} << physical % 64;
    uint64_t& word = invalid_[physical % kRows / 64];
    word = valid ? word & ~bit : word | bit;
  }
  /// Sets the flags of rows [first, first + count), which end at 1024 or before.
  void set_valid(unsigned first, unsigned count, bool valid) {
    for (const unsigned end = first + count; first < end;) {
      const unsigned low = first % 64, n = std::min(end - first, 64 - low);
      const uint64_t rows = (n == 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1) << low;
      uint64_t& word = invalid_[first / 64 % invalid_.size()];
      word = valid ? word & ~rows : word | rows;
      first += n;
    }
  }
  /// The same for rows that lie in one group of 64.
  bool all_valid_of_group(unsigned first, unsigned count) const {
    return (invalid_[first % kRows / 64] >> first % 64 & ((uint64_t{1} << count) - 1)) == 0;
  }

  DstAddressing addressing(const ConfigBank& config) const {
    return {config.flag(arch::global_config::DEST_ACCESS_CFG_remap_addrs),
            config.flag(arch::global_config::DEST_ACCESS_CFG_swizzle_32b), high_half_};
  }
  /// DBG_FEATURE_DISABLE bit 11.
  void set_high_half(bool on) { high_half_ = on; }
  bool high_half() const { return high_half_; }
  void serialize(Archive& a) {
    a.pages(cells_, kBytes);
    a(invalid_, high_half_);
  }

 private:
  uint16_t* cells_;
  std::array<uint64_t, kRows / 64> invalid_{};
  bool high_half_ = false;
};

}  // namespace kerr::emu::tensix
