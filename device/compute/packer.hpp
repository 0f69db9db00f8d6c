// The packer: finished halves of Dst to L1.   docs/hardware/kernels.md 3.7
#pragma once

#include "device/compute/circular_buffers.hpp"
#include "device/tensix/mop.hpp"

namespace kerr::device {

inline constexpr uint32_t kPackerCounters = 4;  // in the unit masks of address counters
// GPRs: 4 and 8 Dst offsets of the halves, 12 an address, 24 a count (circular_buffers.hpp), 28 and 29 strides
inline constexpr uint32_t kGprHalf0 = 4, kGprHalf1 = 8, kGprAddress = 12, kGprStrides = 28;
static_assert(kGprPushed == 24);

constexpr uint32_t take_from_word(uint32_t half) {
  return tensix::WRCFG().cfg_reg(cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset.word).wr128b(1).gpr_address(half).word();
}
constexpr uint32_t clear_half_word(uint32_t half) {
  return tensix::ZEROACC().where(half).addr_mode(1).use_32_bit_mode(kDst32).clear_mode(2).word();
}

/// What the packing hart remembers.
struct PackState {
  uint32_t clear = clear_half_word(0);  // of the half that is packed
  uint32_t offsets = take_from_word(kGprHalf0);
};
inline PackState pack_state;

// y, z and w strides of rows, faces and tiles, in bytes of the packer's input format.
FORCE_INLINE void set_pack_strides(uint32_t bytes) {
  set_gpr_half(kGprStrides, false, 0);
  set_gpr_half(kGprStrides, true, 16 * bytes);
  set_gpr_half(kGprStrides + 1, false, 256 * bytes);
  set_gpr_half(kGprStrides + 1, true, 1024 * bytes);
  stall_wait(stall::kCfg, until::kThcon);
  config_from_gpr(cfg::PCK0_ADDR_CTRL_XY_REG_0_Ystride, kGprStrides);
  config_from_gpr(cfg::PCK0_ADDR_CTRL_ZW_REG_0_Zstride, kGprStrides + 1);
  TTI_NOP;
  TTI_NOP;
}

constexpr uint32_t pack_format_word(uint32_t buffer) {
  return cfg::THCON_SEC0_REG1_Disable_zero_compress.of(1) |
         cfg::THCON_SEC0_REG1_Out_data_format.of(arch::code_of(format_in_l1(buffer))) |
         cfg::THCON_SEC0_REG1_In_data_format.of(arch::code_of(packed_from(buffer)));
}
constexpr uint32_t pack_read_word(uint32_t buffer) {
  return cfg::PCK_DEST_RD_CTRL_Read_32b_data.of(kDst32) |
         cfg::PCK_DEST_RD_CTRL_Read_unsigned.of(is_unsigned_byte(buffer));
}
// Bytes have no exponents; the packer would leave room for some.
constexpr uint32_t exponent_section_size(uint32_t buffer) { return format_in_l1(buffer) == Format::Int8 ? 0 : 4; }

/// The rows of a tile in their order: four a PACR.
FORCE_INLINE void configure_pack_rows() {
  using namespace thread_cfg;
  // address modifier 0: four rows on; 1: back to the beginning; 2: the next face
  set_thread_config(ADDR_MOD_PACK_SEC0_YsrcIncr.word,
                    ADDR_MOD_PACK_SEC0_YsrcIncr.of(4) | ADDR_MOD_PACK_SEC0_YdstIncr.of(4));
  set_thread_config(ADDR_MOD_PACK_SEC1_YsrcClear.word, ADDR_MOD_PACK_SEC1_YsrcClear.of(1) |
                                                           ADDR_MOD_PACK_SEC1_YdstClear.of(1) |
                                                           ADDR_MOD_PACK_SEC1_ZsrcClear.of(1));
  set_thread_config(ADDR_MOD_PACK_SEC2_YsrcClear.word, ADDR_MOD_PACK_SEC2_YsrcClear.of(1) |
                                                           ADDR_MOD_PACK_SEC2_YdstIncr.of(4) |
                                                           ADDR_MOD_PACK_SEC2_ZsrcIncr.of(1));
  LoopMop mop{.outer = 4, .inner = 4};
  mop.loop0 = tensix::PACR().addr_mode(0).word();
  mop.last_outer = tensix::PACR().last(1).addr_mode(1).word();
  mop.last_inner = tensix::PACR().addr_mode(2).word();
  configure_mop(mop);
}

/// All of the packer, for tiles of `buffer`.
FORCE_INLINE void configure_packer(uint32_t buffer) {
  check_can_be_packed(buffer);
  set_pack_strides(arch::counted_bytes(packed_from(buffer)));
  {
    const SharedConfigLock lock;
    set_config(cfg::ALU_FORMAT_SPEC_REG2_Dstacc, arch::code_of(packed_from(buffer)));
    set_config(cfg::STACC_RELU_ApplyRelu, 0);
    set_config(cfg::STACC_RELU_ReluThreshold, 0);
  }
  set_config(cfg::THCON_SEC0_REG1_Pac_LF8_4b_exp, 0);
  set_config(cfg::THCON_SEC0_REG1_Exp_threshold_en, 0);
  set_config(cfg::THCON_SEC0_REG1_Exp_threshold, 0);
  set_config(cfg::THCON_SEC0_REG1_Disable_pack_zero_flags, 0);  // with Pack_L1_Acc: no sums in L1
  store_config(cfg::THCON_SEC0_REG1_Exp_section_size,
               cfg::THCON_SEC0_REG1_Exp_section_size.of(exponent_section_size(buffer)));
  store_config(cfg::THCON_SEC0_REG1_Out_data_format, pack_format_word(buffer));
  store_config(cfg::PCK_DEST_RD_CTRL_Read_32b_data, pack_read_word(buffer));
  store_config(cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane.of(16));
  store_config(cfg::PCK_EDGE_OFFSET_SEC0_mask, cfg::PCK_EDGE_OFFSET_SEC0_mask.of(0xFFFF));  // all columns
  store_config(cfg::TILE_ROW_SET_MAPPING_0_row_set_mapping_0, 0);
  issue(tensix::SETADCXX().x_end2(15).cnt_set_mask(kPackerCounters));
  configure_pack_rows();
}

/// The lower half first, as the calculating hart does.
FORCE_INLINE void begin_halves() {
  drain();
  pack_state = {};
  set_gpr_half(kGprHalf0, false, 0);
  set_gpr_half(kGprHalf1, false, 512);
  stall_wait(stall::kCfg, until::kThcon);
  ttinsn(take_from_word(kGprHalf0));
  TTI_DMANOP;
  TTI_DMANOP;
  issue(tensix::SETADCXY().bit_mask(0b1011).cnt_set_mask(kPackerCounters));
  issue(tensix::SETADCZW().bit_mask(0b1111).cnt_set_mask(kPackerCounters));
}

/// Tiles of another buffer from now on, if its format is another.
FORCE_INLINE void change_pack_format(uint32_t buffer) {
  check_can_be_packed(buffer);
  stall_wait(stall::kCfg | stall::kThcon, until::kPack0);
  set_pack_strides(arch::counted_bytes(packed_from(buffer)));
  {
    const SharedConfigLock lock;
    set_config(cfg::ALU_FORMAT_SPEC_REG2_Dstacc, arch::code_of(packed_from(buffer)));
  }
  set_config(cfg::THCON_SEC0_REG1_Out_data_format, arch::code_of(format_in_l1(buffer)));
  set_config(cfg::THCON_SEC0_REG1_In_data_format, arch::code_of(packed_from(buffer)));
  set_config(cfg::PCK_DEST_RD_CTRL_Read_unsigned, is_unsigned_byte(buffer));
  set_config(cfg::THCON_SEC0_REG1_Exp_section_size, exponent_section_size(buffer));
}

/// Adds to what lies in L1, or writes over it.
FORCE_INLINE void accumulate_in_l1(bool on) {
  stall_wait(stall::kCfg, until::kPack0);
  set_config(cfg::THCON_SEC0_REG1_Disable_pack_zero_flags, on);
  set_config(cfg::THCON_SEC0_REG1_Pack_L1_Acc, on);
}

/// The thread waits for the next finished half.
FORCE_INLINE void acquire_finished_half() { wait_semaphore(Semaphore::MathPack, kWhileZero, stall::kTdma); }

FORCE_INLINE void set_pack_address(uint32_t address) {
  const uint32_t programmed = address - 1;
  set_gpr_half(kGprAddress, false, programmed & 0xFFFF);
  set_gpr_half(kGprAddress, true, 0x8000 | programmed >> 16);
  stall_wait(stall::kCfg, until::kThcon);
  config_from_gpr(cfg::THCON_SEC0_REG1_L1_Dest_addr, kGprAddress);
  TTI_DMANOP;
}

/// Tile `tile` of the half to `address`, in units of 16 bytes.
FORCE_INLINE void pack_one(uint32_t tile, uint32_t address) {
  check_dst_tile(tile);
  issue(tensix::SETADC().value(tile).dimension(3).cnt_set_mask(kPackerCounters));
  set_pack_address(address);
  run_mop();
  issue(tensix::SETADCZW().bit_mask(0b0101).cnt_set_mask(kPackerCounters));
}

/// Clears the half and gives it back.
FORCE_INLINE void release_packed_half() {
  stall_wait(stall::kMath, until::kPack0);
  push(pack_state.clear);
  get_semaphore(Semaphore::MathPack);
  pack_state.clear ^= 1;
  pack_state.offsets ^= take_from_word(kGprHalf0) ^ take_from_word(kGprHalf1);
  push(pack_state.offsets);
  TTI_DMANOP;
  TTI_DMANOP;
}

}  // namespace kerr::device
