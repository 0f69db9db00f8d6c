// A word from a register of the hart to another tile.                                  docs/hardware/noc.md 3.8
#pragma once

#include "device/noc/barriers.hpp"
#include "device/noc/write.hpp"

enum class InlineWriteDst : uint8_t { DEFAULT, L1, REG };

namespace kerr::device {

FORCE_INLINE void write_register(uint32_t noc, uint64_t to, uint32_t value, bool posted, uint32_t vc) {
  const CommandBuffer buffer = free_buffer(noc, write_at_cmd_buf);
  buffer.set(niu::kAtData, value);
  buffer.set(niu::kCtrl, write_control(posted, vc) | niu::kCtrlInline);
  buffer.set_target(to);
  buffer.set(niu::kAtLenBe, 0);
  buffer.issue();
  count_writes(noc, posted);
}

// To memory the hardware must not be asked to write inline: the word goes through a place of this hart in L1.
FORCE_INLINE void write_word(uint32_t noc, uint64_t to, uint32_t value, bool posted, uint32_t vc) {
  const uint32_t from = kLayout.inline_staging + 32 * static_cast<uint32_t>(kHart) + 16 * noc + (low_of(to) & 0xF);
  noc_async_writes_flushed(static_cast<uint8_t>(noc));  // what was there before has left
  noc_async_posted_writes_flushed(static_cast<uint8_t>(noc));
  store(from, value);
  write_packet(noc, write_cmd_buf, write_control(posted, vc), from, to, 4);
  count_writes(noc, posted);
}

}  // namespace kerr::device

/// Writes one word. `addr` is a multiple of 4; bytes cannot be masked.
template <InlineWriteDst dst_type = InlineWriteDst::DEFAULT, bool posted = false, bool flush = true>
FORCE_INLINE void noc_inline_dw_write(uint64_t addr, uint32_t val, uint8_t = 0xF, uint8_t noc = noc_index,
                                      uint8_t vc = NOC_UNICAST_WRITE_VC, uint32_t = 0) {
  using namespace kerr::device;
  if constexpr (dst_type == InlineWriteDst::L1) {
    write_word(noc, addr, val, posted, vc);
  } else if constexpr (dst_type == InlineWriteDst::REG) {
    write_register(noc, addr, val, posted, vc);
  } else {
    is_l1_address(addr) ? write_word(noc, addr, val, posted, vc) : write_register(noc, addr, val, posted, vc);
  }
}
