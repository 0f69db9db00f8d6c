// The unpackers: settings, and contexts, of which two may be under way.   docs/hardware/kernels.md 3.1, 3.2
#pragma once

#include "device/compute/circular_buffers.hpp"
#include "device/tensix/mop.hpp"

namespace kerr::device {

inline constexpr uint32_t kToSrcA = 0, kToSrcB = 1;  // unpackers
inline constexpr uint32_t kBothUnpackers = 3;        // in masks of their address counters
inline constexpr uint32_t kFaceDatums = 256, kFaces = 4, kTileDatums = 1024;
inline constexpr ConfigField kBaseOfSrcA = cfg::THCON_SEC0_REG3_Base_address;
inline constexpr ConfigField kBaseOfSrcB = cfg::THCON_SEC1_REG3_Base_address;

/// What the unpacking hart remembers.
struct UnpackState {
  uint32_t context = 0;     // 0 or 4: bytes from the base addresses of context 0
  uint32_t dst_half = 0;    // 0 or 1: the half of Dst that is calculated in
  bool to_dst = false;      // unpacker 0 writes to Dst instead of SrcA
  bool transposes = false;  // rows of a face become its columns, on the way to SrcA
  bool holds_a = false;     // matmul_block() keeps a tile of its left operand
};
inline UnpackState unpack_state;

/// Unpacks what the counters say and hands the bank over. `next`: goes on by so many faces.
constexpr uint32_t unpack_word(uint32_t unpacker, uint32_t next) {
  return tensix::UNPACR()
      .last(1)
      .set_dat_valid(1)
      .ovrd_thread_id(1)
      .addr_mode(next)
      .unpack_block_selection(unpacker)
      .word();
}
/// A bank that holds nothing, or zeros where `clears`, handed over.
constexpr uint32_t unpack_nothing_word(uint32_t unpacker) {
  return tensix::UNPACR_NOP().unpack_pop(1).set_dvalid(1).unpacker_select(unpacker).word();
}
constexpr uint32_t clear_srca_word() { return tensix::UNPACR_NOP().unpack_pop(1).unpacker_select(kToSrcA).word(); }
/// A face to Dst, where the context points; the next one is the next, here and there.
constexpr uint32_t unpack_to_dst_word() {
  return tensix::UNPACR().last(1).ovrd_thread_id(1).addr_mode(0b10001).unpack_block_selection(kToSrcA).word();
}

FORCE_INLINE void set_datums(uint32_t unpackers, uint32_t datums) {
  issue(tensix::SETADCXX().x_end2(datums - 1).cnt_set_mask(unpackers));
}

inline constexpr ConfigField kPlainContexts0To3 =
    arch::joined(cfg::THCON_SEC0_REG2_Disable_zero_compress_cntx0, cfg::THCON_SEC0_REG2_Disable_zero_compress_cntx3);
inline constexpr ConfigField kPlainContexts4To7 =
    arch::joined(cfg::THCON_SEC0_REG2_Disable_zero_compress_cntx4, cfg::THCON_SEC0_REG2_Disable_zero_compress_cntx7);

FORCE_INLINE void select_context(uint32_t context) {
  set_thread_config(thread_cfg::UNPACK_MISC_CFG_CfgContextOffset_0.word,
                    (context >> 2) * (thread_cfg::UNPACK_MISC_CFG_CfgContextOffset_0.of(1) |
                                      thread_cfg::UNPACK_MISC_CFG_CfgContextOffset_1.of(1)));
}

/// What the unpacker of SrcA is told of a buffer's format, as whole words.
FORCE_INLINE uint32_t srca_target_word(uint32_t format, bool transposes) {
  return cfg::THCON_SEC0_REG2_Out_data_format.of(format) | cfg::THCON_SEC0_REG2_Throttle_mode.of(2) |
         cfg::THCON_SEC0_REG2_Haloize_mode.of(transposes);
}

/// Both unpackers, from buffers whose tiles go to SrcA and SrcB.
FORCE_INLINE void configure_unpackers(uint32_t to_a, uint32_t to_b) {
  const uint32_t a = arch::code_of(format_in_l1(to_a)), b = arch::code_of(format_in_l1(to_b));
  const uint32_t source_a = arch::code_of(format_in_source(to_a)), source_b = arch::code_of(format_in_source(to_b));
  const auto face_bytes = [](uint32_t buffer) { return kFaceDatums * arch::counted_bytes(format_in_source(buffer)); };
  while (semaphore_value(Semaphore::UnpackSync) != 0) {
  }
  issue(tensix::SETADCXY().bit_mask(0b1011).cnt_set_mask(kBothUnpackers));
  issue(tensix::SETADCZW().bit_mask(0b1111).cnt_set_mask(kBothUnpackers));
  store_config(cfg::UNP0_ADDR_CTRL_ZW_REG_1_Zstride, cfg::UNP0_ADDR_CTRL_ZW_REG_1_Zstride.of(face_bytes(to_a)));
  store_config(cfg::UNP1_ADDR_CTRL_ZW_REG_1_Zstride, cfg::UNP1_ADDR_CTRL_ZW_REG_1_Zstride.of(face_bytes(to_b)));
  store_config(cfg::UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr, cfg::UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr.of(1));
  store_config(cfg::THCON_SEC0_REG2_Out_data_format, srca_target_word(source_a, false));
  store_config(cfg::THCON_SEC1_REG2_Out_data_format,
               cfg::THCON_SEC1_REG2_Out_data_format.of(source_b) | cfg::THCON_SEC1_REG2_Throttle_mode.of(2));
  const uint32_t plain = cfg::THCON_SEC0_REG0_TileDescriptor_is_uncompressed.of(1);
  const uint32_t faces =
      cfg::THCON_SEC0_REG0_TileDescriptor_y_dim.of(1) | cfg::THCON_SEC0_REG0_TileDescriptor_z_dim.of(kFaces);
  store_config(cfg::THCON_SEC0_REG0_TileDescriptor_in_data_format,
               cfg::THCON_SEC0_REG0_TileDescriptor_in_data_format.of(a) | plain);
  store_config(cfg::THCON_SEC0_REG0_TileDescriptor_y_dim, faces);
  store_config(cfg::THCON_SEC1_REG0_TileDescriptor_in_data_format,
               cfg::THCON_SEC1_REG0_TileDescriptor_in_data_format.of(b) | plain |
                   cfg::THCON_SEC1_REG0_TileDescriptor_x_dim.of(kFaceDatums));
  store_config(cfg::THCON_SEC1_REG0_TileDescriptor_y_dim, faces);
  store_config(cfg::THCON_SEC0_REG5_Tile_x_dim_cntx0, cfg::THCON_SEC0_REG5_Tile_x_dim_cntx0.of(kFaceDatums) |
                                                          cfg::THCON_SEC0_REG5_Tile_x_dim_cntx1.of(kFaceDatums));
  constexpr uint32_t kFirstSourceDatum = 4 * 16;  // of SrcA: row 4
  store_config(cfg::THCON_SEC0_REG5_Dest_cntx0_address,
               cfg::THCON_SEC0_REG5_Dest_cntx0_address.of(kFirstSourceDatum) |
                   cfg::THCON_SEC0_REG5_Dest_cntx1_address.of(kFirstSourceDatum));
  const uint32_t contexts = kPlainContexts0To3.of(0xF) | kPlainContexts4To7.of(0xF);
  store_config(kPlainContexts0To3, contexts);
  store_config(of_unpacker(kPlainContexts0To3, 1), contexts);
  {
    const SharedConfigLock lock;
    set_config(joined(cfg::ALU_FORMAT_SPEC_REG_SrcA_val, cfg::ALU_FORMAT_SPEC_REG_Dstacc_override), 0);
    set_config(cfg::ALU_ROUNDING_MODE_Fpu_srnd_en, 0);
    set_config(cfg::ALU_ROUNDING_MODE_Gasket_srnd_en, 0);
    set_config(cfg::ALU_ROUNDING_MODE_Packer_srnd_en, 0);
    set_config(cfg::ALU_FORMAT_SPEC_REG0_SrcAUnsigned, is_unsigned_byte(to_a));
    set_config(cfg::ALU_FORMAT_SPEC_REG0_SrcBUnsigned, is_unsigned_byte(to_b));
    // Datums whose exponent is zero are zero, unless what lies there is no exponent.
    set_config(cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src,
               format_in_l1(to_a) == Format::Int16 || format_in_l1(to_b) == Format::Int16);
    set_config(cfg::THCON_SEC0_REG1_Unp_LF8_4b_exp, 0);
    set_config(cfg::THCON_SEC1_REG1_Unp_LF8_4b_exp, 0);
  }
  set_datums(1, kFaceDatums);
  set_datums(2, kFaceDatums);
  set_thread_config(thread_cfg::SRCA_SET_SetOvrdWithAddr.word, thread_cfg::SRCA_SET_SetOvrdWithAddr.of(1));
  unpack_state = {};
  select_context(0);
}

/// Another format of what goes to SrcA, or to SrcB, from now on.
template <uint32_t unpacker>
FORCE_INLINE void change_source_format(uint32_t buffer) {
  constexpr bool kSrcA = unpacker == kToSrcA;
  stall_wait(stall::kCfg, kSrcA ? until::kUnpack0 : until::kUnpack1);
  set_config(of_unpacker(cfg::THCON_SEC0_REG0_TileDescriptor_in_data_format, unpacker),
             arch::code_of(format_in_l1(buffer)));
  set_config(of_unpacker(cfg::THCON_SEC0_REG2_Out_data_format, unpacker), arch::code_of(format_in_source(buffer)));
  set_config(kSrcA ? cfg::UNP0_ADDR_CTRL_ZW_REG_1_Zstride : cfg::UNP1_ADDR_CTRL_ZW_REG_1_Zstride,
             kFaceDatums * arch::counted_bytes(format_in_source(buffer)));
  const SharedConfigLock lock;
  set_config(kSrcA ? cfg::ALU_FORMAT_SPEC_REG0_SrcAUnsigned : cfg::ALU_FORMAT_SPEC_REG0_SrcBUnsigned,
             is_unsigned_byte(buffer));
}

/// Rows of faces become columns on their way to SrcA, or no longer.
FORCE_INLINE void set_transposing(bool transposes) {
  if (unpack_state.transposes == transposes) return;
  unpack_state.transposes = transposes;
  stall_wait(stall::kCfg, until::kUnpack0);
  set_config(cfg::THCON_SEC0_REG2_Haloize_mode, transposes);
}

// Bits 15:8 of the address in Dst, or row of SrcA, where a context's datums go: they count 16 rows of Dst.
constexpr ConfigField dst_place(ConfigField address) {
  return {address.word, static_cast<uint8_t>(address.shift + 8), 8};
}

/// Unpacker 0 writes tiles of `buffer` straight to Dst, as they are, or again to SrcA.   docs/hardware/kernels.md 3.11
FORCE_INLINE void set_to_dst(bool to_dst, uint32_t buffer) {
  if (!kDst32 || unpack_state.to_dst == to_dst) return;
  unpack_state.to_dst = to_dst;
  const Format target = to_dst ? format_in_l1(buffer) : format_in_source(buffer);
  stall_wait(stall::kCfg, until::kUnpack0 | until::kUnpack1);
  set_config(cfg::THCON_SEC0_REG2_Out_data_format, arch::code_of(target));
  set_config(cfg::UNP0_ADDR_CTRL_ZW_REG_1_Zstride, kFaceDatums * arch::counted_bytes(target));
  set_config(cfg::THCON_SEC0_REG2_Unpack_if_sel_cntx0, to_dst);
  set_config(cfg::THCON_SEC0_REG2_Unpack_if_sel_cntx1, to_dst);
  if (!to_dst) {
    set_config(dst_place(cfg::THCON_SEC0_REG5_Dest_cntx0_address), 0);
    set_config(dst_place(cfg::THCON_SEC0_REG5_Dest_cntx1_address), 0);
  }
  set_thread_config(thread_cfg::SRCA_SET_SetOvrdWithAddr.word, thread_cfg::SRCA_SET_SetOvrdWithAddr.of(!to_dst));
}

/// The address of a page, counted from the first that has come, as the unpackers want it: in units of 16 bytes, minus
/// one.
FORCE_INLINE uint32_t page_address(uint32_t buffer, uint32_t page) {
  const CbInterface& cb = circular_buffer(buffer);
  return cb.fifo_rd_ptr + page * cb.fifo_page_size - 1;
}

/// Waits for a free context and gives it addresses; null: the context keeps the one it has. What follows unpacks; then
/// comes end_unpack().
FORCE_INLINE void begin_unpack(const uint32_t* to_a, const uint32_t* to_b) {
  issue(tensix::SETADCZW().bit_mask(0b1111).cnt_set_mask(kBothUnpackers));
  while (semaphore_value(Semaphore::UnpackSync) >= 2) {
  }
  const uint32_t context = unpack_state.context;
  if (to_a) mmio(arch::kConfigBase + 4u * kBaseOfSrcA.word + context) = *to_a;
  if (to_b) mmio(arch::kConfigBase + 4u * kBaseOfSrcB.word + context) = *to_b;
  post_semaphore_at_once(Semaphore::UnpackSync);
  stall_wait(stall::kUnpack, until::kTriscCfg);
}
FORCE_INLINE void end_unpack() {
  get_semaphore(Semaphore::UnpackSync);
  unpack_state.context ^= 4;
  select_context(unpack_state.context);
}

/// A tile, or what the MOP takes for one, to SrcA.
FORCE_INLINE void unpack_address(uint32_t to_a) {
  begin_unpack(&to_a, nullptr);
  run_mop();
  end_unpack();
}
FORCE_INLINE void unpack_one(uint32_t buffer, uint32_t page) { unpack_address(page_address(buffer, page)); }
/// A tile to SrcA and one to SrcB.
FORCE_INLINE void unpack_two(uint32_t buffer_a, uint32_t buffer_b, uint32_t page_a, uint32_t page_b) {
  const uint32_t to_a = page_address(buffer_a, page_a), to_b = page_address(buffer_b, page_b);
  begin_unpack(&to_a, &to_b);
  run_mop();
  end_unpack();
}

/// A tile to `tile` of the half of Dst that is calculated in, when the calculating hart has none of its own business
/// there.
FORCE_INLINE void unpack_address_to_dst(uint32_t address, uint32_t tile) {
  wait_semaphore(Semaphore::MathDone, kWhileZero, stall::kUnpack | stall::kSync | stall::kCfg);
  get_semaphore(Semaphore::MathDone);
  stall_wait(stall::kCfg, until::kUnpack0);
  // dst_place() of context 0 is byte 1 of its word, that of context 1 byte 3.
  const uint32_t opcode = unpack_state.context == 0 ? tensix::RMWCIB1{}.word() : tensix::RMWCIB3{}.word();
  const uint32_t place = (8 * unpack_state.dst_half + tile) << 10;
  push((opcode | 0xFFu << 16 | cfg::THCON_SEC0_REG5_Dest_cntx0_address.word) + place);
  unpack_address(address);
  stall_wait(stall::kSync, until::kUnpack0);
  post_semaphore(Semaphore::UnpackToDest);
}
FORCE_INLINE void unpack_to_dst(uint32_t buffer, uint32_t page, uint32_t tile) {
  unpack_address_to_dst(page_address(buffer, page), tile);
}

}  // namespace kerr::device
