#include "kernels/blocks/packer.hpp"

#include "isa/tensix/instructions.hpp"
#include "kernels/blocks/config.hpp"

namespace kerr::kernels {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr uint32_t kCounters = 4;  // the packer in the unit masks of the address counters
constexpr uint32_t kFaces = 4;     // of a tile

// Tensix GPRs: 4 and 8 the Dst offsets of the halves, 12 an address, 13 the page size, 28 and 29 strides
constexpr uint32_t kGprHalf0 = 4, kGprHalf1 = 8, kGprAddress = 12, kGprPage = 13, kGprStrides = 28;

tx::SETDMAREG set_half(uint32_t gpr, bool high, uint32_t value) {
  return {.reg_index_16b = 2 * gpr + high, .payload_sig_sel = value & 0x3FFF, .payload_sig_sel_size = value >> 14};
}

tx::WRCFG take_from(uint32_t half) {
  return {.cfg_reg = cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset.word, .wr128b = 1, .gpr_address = half};
}

void set_page(Stream& a, uint32_t page16) {
  a.tensix(set_half(kGprPage, false, page16));
  a.tensix(set_half(kGprPage, true, 0));
}

// y, z and w strides of rows, faces and tiles, in bytes of the packer's input format.
void set_strides(Stream& a, uint32_t bytes) {
  a.tensix(set_half(kGprStrides, false, 0));
  a.tensix(set_half(kGprStrides, true, 16 * bytes));
  a.tensix(set_half(kGprStrides + 1, false, 256 * bytes));
  a.tensix(set_half(kGprStrides + 1, true, 1024 * bytes));
  a.tensix(tx::STALLWAIT{.wait_res = until::kThcon, .stall_res = stall::kCfg});
  a.tensix(tx::WRCFG{.cfg_reg = cfg::PCK0_ADDR_CTRL_XY_REG_0_Ystride.word, .gpr_address = kGprStrides});
  a.tensix(tx::WRCFG{.cfg_reg = cfg::PCK0_ADDR_CTRL_ZW_REG_0_Zstride.word, .gpr_address = kGprStrides + 1});
  a.tensix(tx::NOP{});
  a.tensix(tx::NOP{});
}

}  // namespace

void Packer::configure(Caller a) const {
  set_strides(a, arch::counted_bytes(from));
  a->tensix(tx::ATGETM{.mutex_index = 0});  // words that all three threads modify
  modify_config(
      a,
      {{cfg::ALU_FORMAT_SPEC_REG2_Dstacc, from}, {cfg::STACC_RELU_ApplyRelu, 0}, {cfg::STACC_RELU_ReluThreshold, 0}});
  a->tensix(tx::ATRELM{.mutex_index = 0});
  modify_config(a, {{cfg::THCON_SEC0_REG1_Pac_LF8_4b_exp, 0},
                    {cfg::THCON_SEC0_REG1_Exp_threshold_en, 0},
                    {cfg::THCON_SEC0_REG1_Exp_threshold, 0}});
  // Bytes have no exponents; the packer would leave room for some.
  const bool bytes = format == Format::Int8 || format == Format::Uint8;
  store_config(a, windows,
               {{cfg::THCON_SEC0_REG1_Exp_section_size, bytes ? 0 : kFaces},
                {cfg::THCON_SEC0_REG1_Disable_zero_compress, 1},
                {cfg::THCON_SEC0_REG1_Out_data_format, info(format).in_l1},
                {cfg::THCON_SEC0_REG1_In_data_format, from},
                {cfg::PCK_DEST_RD_CTRL_Read_32b_data, dst32},
                {cfg::PCK_DEST_RD_CTRL_Read_unsigned, format == Format::Uint8},
                {cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 16},
                {cfg::PCK_EDGE_OFFSET_SEC0_mask, 0xFFFF},  // all columns
                {cfg::TILE_ROW_SET_MAPPING_0_row_set_mapping_0, 0}});
  set_page(a, page16());
  a->tensix(tx::SETADCXX{.x_end2 = 15, .cnt_set_mask = kCounters});
  set_thread_config(a, {// modifier 0: four rows on
                        {thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr, 4},
                        {thread_cfg::ADDR_MOD_PACK_SEC0_YdstIncr, 4},
                        // 1: back to the beginning
                        {thread_cfg::ADDR_MOD_PACK_SEC1_YsrcClear, 1},
                        {thread_cfg::ADDR_MOD_PACK_SEC1_YdstClear, 1},
                        {thread_cfg::ADDR_MOD_PACK_SEC1_ZsrcClear, 1},
                        // 2: the next face
                        {thread_cfg::ADDR_MOD_PACK_SEC2_YsrcClear, 1},
                        {thread_cfg::ADDR_MOD_PACK_SEC2_YdstIncr, 4},
                        {thread_cfg::ADDR_MOD_PACK_SEC2_ZsrcIncr, 1}});
  const uint32_t nop = tensix_nop();
  configure_mop(a, windows,
                {4, 4, nop, nop, nop, tx::PACR{.addr_mode = 0}.encode(), nop,
                 tx::PACR{.last = 1, .addr_mode = 1}.encode(), tx::PACR{.addr_mode = 2}.encode()});
  drain(a, windows);
  a->li(clear, tx::ZEROACC{.addr_mode = 1, .use_32_bit_mode = dst32, .clear_mode = 2}.encode());
  a->li(offsets, take_from(kGprHalf0).encode());
  a->tensix(set_half(kGprHalf0, false, 0));
  a->tensix(set_half(kGprHalf1, false, 512));
  a->tensix(tx::STALLWAIT{.wait_res = until::kThcon, .stall_res = stall::kCfg});
  a->tensix(take_from(kGprHalf0));
  a->tensix(tx::DMANOP{});
  a->tensix(tx::DMANOP{});
  a->tensix(tx::SETADCXY{.bit_mask = 0b1011, .cnt_set_mask = kCounters});
}

void Packer::change_format(Caller a) const {
  a->tensix(tx::STALLWAIT{.wait_res = until::kPack0, .stall_res = stall::kCfg | stall::kThcon});
  set_strides(a, arch::counted_bytes(from));
  set_page(a, page16());
  a->tensix(tx::ATGETM{.mutex_index = 0});
  modify_config(a, {{cfg::ALU_FORMAT_SPEC_REG2_Dstacc, from}});
  a->tensix(tx::ATRELM{.mutex_index = 0});
  modify_config(
      a, {{cfg::THCON_SEC0_REG1_Out_data_format, info(format).in_l1}, {cfg::THCON_SEC0_REG1_In_data_format, from}});
}

void Packer::select_half(Caller a, uint32_t half) const {
  const uint32_t gpr = half == 0 ? kGprHalf0 : kGprHalf1;
  a->li(clear, tx::ZEROACC{.where = half, .addr_mode = 1, .use_32_bit_mode = dst32, .clear_mode = 2}.encode());
  a->li(offsets, take_from(gpr).encode());
  a->sw(offsets, windows.push);
  a->tensix(tx::DMANOP{});
  a->tensix(tx::DMANOP{});
}

void Packer::accumulate_in_l1(Caller a, bool on) const {
  a->tensix(tx::STALLWAIT{.wait_res = until::kPack0, .stall_res = stall::kCfg});
  modify_config(a, {{cfg::THCON_SEC0_REG1_Disable_pack_zero_flags, on}, {cfg::THCON_SEC0_REG1_Pack_L1_Acc, on}});
}

void Packer::acquire(Caller a) const {
  a->comment("a finished half of Dst");
  a->tensix(tx::SEMWAIT{.wait_sem_cond = 1, .sem_sel = 1u << kSemMathPack, .stall_res = stall::kTdma});
}

void Packer::begin(Caller a, isa::Reg address) const {
  a->addi(t2, address, -1);  // programmed minus one
  a->zext_h(t3, t2);
  push_with_field(a, windows, set_half(kGprAddress, false, 0).encode(), t3, 8);
  a->srli(t3, t2, 16);
  push_with_field(a, windows, set_half(kGprAddress, true, 0x8000).encode(), t3, 8);
  a->tensix(tx::SETADCZW{.bit_mask = 0b1111, .cnt_set_mask = kCounters});
}

void Packer::pack_tile(Caller a) const {
  pack_tile(a, [&] { a->tensix(tx::MOP{.mop_type = 1}); });
}

void Packer::pack_tile(Caller a, const std::function<void()>& rows) const {
  a->tensix(tx::STALLWAIT{.wait_res = until::kThcon, .stall_res = stall::kCfg});
  a->tensix(tx::WRCFG{.cfg_reg = cfg::THCON_SEC0_REG1_L1_Dest_addr.word, .gpr_address = kGprAddress});
  a->tensix(tx::DMANOP{});
  rows();
  a->tensix(tx::SETADCZW{.bit_mask = 0b0101, .cnt_set_mask = kCounters});
}

// Both as packs that untilize do it (docs/hardware/kernels.md 3.10).
void Packer::next(Caller a) const {
  a->tensix(tx::INCADCZW{.ch0_w = 1, .cnt_set_mask = kCounters});
  a->tensix(tx::ADDDMAREG{.op_a_reg_index = kGprPage, .op_b_reg_index = kGprAddress, .result_reg_index = kGprAddress});
}

void Packer::release(Caller a) const {
  a->tensix(tx::STALLWAIT{.wait_res = until::kPack0, .stall_res = stall::kMath});
  a->sw(clear, windows.push);
  get_semaphore(a, kSemMathPack);
  a->xori(clear, clear, 1);
  a->li(t0, take_from(kGprHalf0).encode() ^ take_from(kGprHalf1).encode());
  a->xor_(offsets, offsets, t0);
  a->sw(offsets, windows.push);
  a->tensix(tx::DMANOP{});
  a->tensix(tx::DMANOP{});
}

void Packer::release_same(Caller a) const {
  a->tensix(tx::STALLWAIT{.wait_res = until::kPack0, .stall_res = stall::kSync});
  get_semaphore(a, kSemMathPack);
}

void Packer::clear_all(Caller a) const {
  a->tensix(tx::STALLWAIT{.wait_res = until::kPack0, .stall_res = stall::kMath});
  a->tensix(tx::ZEROACC{.clear_mode = 3});
}

}  // namespace kerr::kernels
