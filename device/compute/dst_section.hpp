// What the calculating hart does with Dst: one half is computed in while the packer empties the other.
// docs/hardware/kernels.md 3.4
#pragma once

#include "device/compute/formats.hpp"
#include "device/tensix/config.hpp"
#include "device/tensix/mop.hpp"

namespace kerr::device {

inline constexpr uint32_t kClearSrcA = 1, kClearSrcB = 2;  // banks that an instruction hands back
inline constexpr uint32_t kAllCounters = 0xF, kSourceCounters = 3, kDstCounter = 4;  // of SETRWC
inline constexpr uint32_t kTileRows = 64;                                            // of Dst, whatever its width
inline constexpr uint32_t kHalfDst = 512;

/// SETC16 that makes row 0 of what follows row `row` of Dst.
constexpr uint32_t dst_word(uint32_t row) {
  return tensix::SETC16().setc16_reg(thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset.word).setc16_value(row).word();
}

/// What the calculating hart remembers.
struct MathState {
  uint32_t half = dst_word(0);  // selects tile 0 of the half that is calculated in
  bool holds_a = false;         // matmul_block() keeps a tile of its left operand
};
inline MathState math_state;

constexpr uint32_t clear_word(uint32_t banks, uint32_t counters) {
  return tensix::SETRWC().bit_mask(counters).clear_ab_vld(banks).word();
}
FORCE_INLINE void reset_counters(uint32_t counters) { issue(tensix::SETRWC().bit_mask(counters)); }
/// Dst's counter goes on by `rows` (up to 15) from its mark, which comes along.
FORCE_INLINE void step_dst(uint32_t rows, uint32_t clear = 0, uint32_t counters = kDstCounter) {
  issue(tensix::SETRWC().bit_mask(counters).rwc_d(rows).rwc_cr(4).clear_ab_vld(clear));
}

/// Counters, semaphores, Dst's width, the lower half. `bytes`: both sources are integers of 8 bits.
FORCE_INLINE void configure_dst(bool bytes) {
  set_thread_config(thread_cfg::CLR_DVALID_SrcA_Disable.word, 0);
  reset_counters(kAllCounters);
  drain();
  while (semaphore_value(Semaphore::MathPack) != 0) {
  }
  init_semaphore(Semaphore::MathPack, 0, 2);
  math_state.half = dst_word(0);
  push(math_state.half);
  set_config(cfg::DEST_ACCESS_CFG_zeroacc_absolute_tile_mode, 0);  // ZEROACC counts from the current half
  set_config(cfg::ALU_ACC_CTRL_Fp32_enabled, kDst32);
  set_config(cfg::ALU_ACC_CTRL_SFPU_Fp32_enabled, kDst32);
  set_config(cfg::ALU_ACC_CTRL_INT8_math_enabled, bytes);
  if (kDst32) {
    init_semaphore(Semaphore::UnpackToDest, 0, 1);
    init_semaphore(Semaphore::MathDone, 0, 1);
  }
}

FORCE_INLINE void select_dst_tile(uint32_t tile) {
  check_dst_tile(tile);
  push(math_state.half + kTileRows * tile);
}

FORCE_INLINE void acquire_half() {
  wait_semaphore(Semaphore::MathPack, kWhileMax, stall::kMath | stall::kSfpu | stall::kSync);
}
FORCE_INLINE void release_half() {
  stall_wait(stall::kSync, until::kMath | until::kSfpu);
  post_semaphore(Semaphore::MathPack);
  math_state.half ^= kHalfDst;
  push(math_state.half);
}

/// Gives tile `tile` to the unpacking hart, which writes to it, and takes it back. Address modifier 3 is all zero.
/// docs/hardware/kernels.md 3.11
FORCE_INLINE void take_unpacked(uint32_t tile) {
  stall_wait(stall::kSync, until::kMath | until::kSfpu);
  post_semaphore(Semaphore::MathDone);
  wait_semaphore(Semaphore::UnpackToDest, kWhileZero, stall::kMath | stall::kSfpu | stall::kSync);
  get_semaphore(Semaphore::UnpackToDest);
  for (uint32_t face = 4 * tile; face < 4 * tile + 4; ++face) {
    issue_word(tensix::ZEROACC().addr_mode(3).clear_zero_flags(1).use_32_bit_mode(1).clear_mode(1).word() | face);
  }
}

}  // namespace kerr::device
