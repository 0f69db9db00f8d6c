#include "kernels/blocks/unpacker.hpp"

namespace kerr::kernels {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr uint32_t kBoth = 3;
// Which context UNPACR takes of each unpacker.
constexpr arch::ConfigField kContext0 = thread_cfg::UNPACK_MISC_CFG_CfgContextOffset_0;
constexpr arch::ConfigField kContext1 = thread_cfg::UNPACK_MISC_CFG_CfgContextOffset_1;
constexpr uint32_t kFaces = 4, kFaceDatums = 256;
constexpr uint32_t kFirstSourceDatum = 4 * 16;  // of SrcA: row 4

}  // namespace

tx::UNPACR unpack_datums(uint32_t unpacker) {
  return {.last = 1, .set_dat_valid = 1, .ovrd_thread_id = 1, .unpack_block_selection = unpacker};
}

void Unpackers::configure(Caller a, Format format, arch::DataFormat target, uint32_t datums) const {
  const arch::DataFormat in_l1 = info(format).in_l1;
  wait_semaphore_below(a, windows, kSemUnpackSync, 1);
  a->tensix(tx::SETADCXY{.bit_mask = 0b1011, .cnt_set_mask = kBoth});
  a->tensix(tx::SETADCZW{.bit_mask = 0b1111, .cnt_set_mask = kBoth});
  const uint32_t face_bytes = kFaceDatums * arch::counted_bytes(target);
  // In an order in which li() can reuse or adjust the value already in t0.
  store_config(a, windows,
               {{cfg::UNP0_ADDR_CTRL_ZW_REG_1_Zstride, face_bytes},
                {cfg::UNP1_ADDR_CTRL_ZW_REG_1_Zstride, face_bytes},
                {cfg::UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr, 1},
                {cfg::THCON_SEC0_REG2_Out_data_format, target},
                {cfg::THCON_SEC0_REG2_Throttle_mode, 2},
                {cfg::THCON_SEC1_REG2_Out_data_format, target},
                {cfg::THCON_SEC1_REG2_Throttle_mode, 2},
                {cfg::THCON_SEC0_REG0_TileDescriptor_in_data_format, in_l1},
                {cfg::THCON_SEC0_REG0_TileDescriptor_is_uncompressed, 1},
                {cfg::THCON_SEC0_REG0_TileDescriptor_y_dim, 1},
                {cfg::THCON_SEC0_REG0_TileDescriptor_z_dim, kFaces},
                {cfg::THCON_SEC1_REG0_TileDescriptor_y_dim, 1},
                {cfg::THCON_SEC1_REG0_TileDescriptor_z_dim, kFaces},
                {cfg::THCON_SEC1_REG0_TileDescriptor_in_data_format, in_l1},
                {cfg::THCON_SEC1_REG0_TileDescriptor_is_uncompressed, 1},
                {cfg::THCON_SEC1_REG0_TileDescriptor_x_dim, kFaceDatums},
                {cfg::THCON_SEC0_REG5_Tile_x_dim_cntx0, kFaceDatums},
                {cfg::THCON_SEC0_REG5_Tile_x_dim_cntx1, kFaceDatums},
                {cfg::THCON_SEC0_REG5_Dest_cntx0_address, kFirstSourceDatum},
                {cfg::THCON_SEC0_REG5_Dest_cntx1_address, kFirstSourceDatum},
                {kPlainContexts0To3, 0xF},
                {kPlainContexts4To7, 0xF},
                {of_unpacker(kPlainContexts0To3, 1), 0xF},
                {of_unpacker(kPlainContexts4To7, 1), 0xF}});
  a->tensix(tx::ATGETM{.mutex_index = 0});  // words that all three threads modify
  modify_config(a, {{joined(cfg::ALU_FORMAT_SPEC_REG_SrcA_val, cfg::ALU_FORMAT_SPEC_REG_Dstacc_override), 0},
                    {cfg::ALU_ROUNDING_MODE_Fpu_srnd_en, 0},
                    {cfg::ALU_ROUNDING_MODE_Gasket_srnd_en, 0},
                    {cfg::ALU_ROUNDING_MODE_Packer_srnd_en, 0},
                    {cfg::ALU_FORMAT_SPEC_REG0_SrcAUnsigned, format == Format::Uint8},
                    {cfg::ALU_FORMAT_SPEC_REG0_SrcBUnsigned, format == Format::Uint8},
                    // Datums whose exponent is zero are zero, unless what lies there is no exponent.
                    {cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src, format == Format::Int16 || format == Format::Uint16},
                    {cfg::THCON_SEC0_REG1_Unp_LF8_4b_exp, 0},
                    {cfg::THCON_SEC1_REG1_Unp_LF8_4b_exp, 0}});
  a->tensix(tx::ATRELM{.mutex_index = 0});
  a->tensix(tx::SETADCXX{.x_end2 = datums - 1, .cnt_set_mask = 1});
  a->tensix(tx::SETADCXX{.x_end2 = datums - 1, .cnt_set_mask = 2});
  set_thread_config(a, {{thread_cfg::SRCA_SET_SetOvrdWithAddr, 1}});
  const tx::SETC16 first = thread_word({{kContext0, 0}, {kContext1, 0}});
  a->li(select, first.encode());
  a->tensix(first);
}

void Unpackers::begin(Caller a, isa::Reg tile_a, const isa::Reg* tile_b) const {
  a->tensix(tx::SETADCZW{.bit_mask = 0b1111, .cnt_set_mask = kBoth});
  wait_semaphore_below(a, windows, kSemUnpackSync, 2);  // at most two contexts under way
  a->sw(tile_a, windows.config, 4 * kUnpackBaseSrcA);
  if (tile_b) a->sw(*tile_b, windows.config, 4 * kUnpackBaseSrcB);
  a->note(Effect::Kind::Post, kSemUnpackSync);
  a->sw(zero, windows.sync, in_sync_window(kSemUnpackSync));  // post
  a->tensix(tx::STALLWAIT{.wait_res = until::kTriscCfg, .stall_res = stall::kUnpack});
}

void Unpackers::end(Caller a) const {
  get_semaphore(a, kSemUnpackSync);
  a->xori(windows.config, windows.config, 4);
  a->xori(select, select, kContext0.of(1) | kContext1.of(1));
  a->sw(select, windows.push);
}

void configure_unpack_to_dst(Caller a, const Unpackers& unpackers, uint32_t faces) {
  const uint32_t nop = tensix_nop();
  const uint32_t face = unpack_face_to_dst().encode();
  store_config(a, unpackers.windows,
               {{kPlainContexts0To3, 0xF},
                {kPlainContexts4To7, 0xF},
                {cfg::THCON_SEC0_REG2_Unpack_if_sel_cntx0, 1},
                {cfg::THCON_SEC0_REG2_Unpack_if_sel_cntx1, 1}});
  set_thread_config(a, {{thread_cfg::SRCA_SET_SetOvrdWithAddr, 0}});
  configure_mop(a, unpackers.windows, {faces, 1, nop, nop, nop, face, nop, face, face});
}

tx::UNPACR unpack_face_to_dst() {
  tx::UNPACR face = unpack_datums(kUnpackerOfSrcA);
  face.set_dat_valid = 0;
  face.addr_mode = 0b10001;
  return face;
}

void unpack_to_dst_begin(Caller a) {
  a->comment("room in Dst");
  a->tensix(tx::SEMWAIT{
      .wait_sem_cond = 1, .sem_sel = 1u << kSemMathDone, .stall_res = stall::kUnpack | stall::kSync | stall::kCfg});
  get_semaphore(a, kSemMathDone);
}

void unpack_to_dst_end(Caller a) {
  a->tensix(tx::STALLWAIT{.wait_res = until::kUnpack0, .stall_res = stall::kSync});
  post_semaphore(a, kSemUnpackToDst);
}

void point_to_dst_tile(Caller a, const Unpackers& unpackers, isa::Reg half, uint32_t tile) {
  a->slli(t0, half, 3);
  a->addi(t0, t0, static_cast<int32_t>(tile));
  a->slli(t0, t0, 10);
  point_to_dst_place(a, unpackers, t0);
}

// dst_place() of context 0 is byte 1 of its word, that of context 1 byte 3.
void point_to_dst_place(Caller a, const Unpackers& unpackers, isa::Reg place) {
  a->tensix(tx::STALLWAIT{.wait_res = until::kUnpack0, .stall_res = stall::kCfg});
  a->andi(t1, unpackers.select, 1);
  a->slli(t1, t1, 25);  // RMWCIB3 instead of RMWCIB1
  a->or_(t0, place, t1);
  a->li(t1, tx::RMWCIB1{.cfg_reg_addr = cfg::THCON_SEC0_REG5_Dest_cntx0_address.word, .mask = 0xFF}.encode());
  a->add(t0, t0, t1);
  a->sw(t0, unpackers.windows.push);
}

}  // namespace kerr::kernels
