#pragma once

#include <stdint.h>

#include "arch/grid.hpp"
#include "firmware/cq/config.hpp"

// A place in an interleaved buffer, moving forward: page p lies in bank p mod banks, at base + p / banks * page_size.
// Banks and their tiles are those of the configuration block.       docs/hardware/fast-dispatch.md 6.3, noc.md 7.2
namespace kerr::firmware {

class Interleaved {
 public:
  Interleaved(bool is_dram, uint32_t base, uint32_t page_size, uint32_t first_page)
      : is_dram_(is_dram), base_(base), page_size_(page_size), first_page_(first_page) {
    banks_ = is_dram ? KERR_CONFIG(dram_banks) : KERR_CONFIG(l1_columns) * arch::kTensixRows;
    seek(0);
  }

  // To `offset` bytes behind the start of the first page.
  void seek(uint32_t offset) {
    const uint32_t page = first_page_ + offset / page_size_;
    bank_ = page % banks_;
    row_ = base_ + page / banks_ * page_size_;
    in_page_ = offset % page_size_;
  }
  // Coordinates of the tile and address there; good for room() bytes.
  uint32_t xy() const {
    if (is_dram_) return config_word(offsetof(cq::ConfigBlock, dram_xy) + 4 * bank_);
    const uint32_t columns = KERR_CONFIG(l1_columns);
    const uint32_t x = load<uint8_t>(cq::kConfigBlock + offsetof(cq::ConfigBlock, l1_column_x) + bank_ % columns);
    return (arch::kTensixFirstRow + bank_ / columns) << 6 | x;
  }
  uint32_t address() const { return row_ + in_page_; }
  uint32_t room() const { return page_size_ - in_page_; }
  // Moves on by at most room() bytes.
  void advance(uint32_t bytes) {
    in_page_ += bytes;
    if (in_page_ < page_size_) return;
    in_page_ = 0;
    if (++bank_ == banks_) {
      bank_ = 0;
      row_ += page_size_;
    }
  }

 private:
  bool is_dram_;
  uint32_t base_, page_size_, first_page_, banks_;
  uint32_t bank_, row_, in_page_;
};

// Starts reading the next `bytes` of a buffer to L1 `to`.
template <class Reader>
inline void read_interleaved(Reader& reader, Interleaved& from, uint32_t to, uint32_t bytes) {
  while (bytes != 0) {
    const uint32_t n = min(bytes, from.room());
    reader.read(from.xy(), 0, from.address(), to, n);
    from.advance(n);
    to += n;
    bytes -= n;
  }
}

}  // namespace kerr::firmware
