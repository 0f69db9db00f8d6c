#include "kernels/emit/packer.hpp"

#include "isa/tensix/instructions.hpp"

namespace kerr::kernels {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr uint32_t kCounters = 4;  // the packer in the unit masks of the address counters

// Tensix GPRs: 4 and 8 the Dst offsets of the halves, 12 an address, 13 the page size, 28 and 29 strides
constexpr uint32_t kGprHalf0 = 4, kGprHalf1 = 8, kGprAddress = 12, kGprPage = 13, kGprStrides = 28;
constexpr uint32_t kDstOffsets = 180;  // four words
constexpr uint32_t kOutputAddress = 69;

tx::SETDMAREG set_half(uint32_t gpr, bool high, uint32_t value) {
  return {.reg_index_16b = 2 * gpr + high, .payload_sig_sel = value & 0x3FFF, .payload_sig_sel_size = value >> 14};
}

tx::WRCFG take_from(uint32_t half) { return {.cfg_reg = kDstOffsets, .wr128b = 1, .gpr_address = half}; }

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
  a.tensix(tx::WRCFG{.cfg_reg = 12, .gpr_address = kGprStrides});
  a.tensix(tx::WRCFG{.cfg_reg = 13, .gpr_address = kGprStrides + 1});
  a.tensix(tx::NOP{});
  a.tensix(tx::NOP{});
}

}  // namespace

void Packer::configure(Caller caller) const {
  Stream& a = caller;
  set_strides(a, datum_bytes(from));
  a.tensix(tx::ATGETM{.mutex_index = 0});  // words that all three threads modify
  modify_config(a, 1, 0xFu << 25, from << 25);
  modify_config(a, 2, 0x3FFFFC, 0);  // no ReLU
  a.tensix(tx::ATRELM{.mutex_index = 0});
  modify_config(a, 71, 1u << 23 | 1u << 20 | 0xFFu << 24, 0);
  const bool bytes =
      format == Format::Int8 || format == Format::Uint8;  // would leave room for exponents, though they have none
  store_config(a, windows, 68, bytes ? 0 : 4 << 16);
  store_config(a, windows, 70, 1 | info(format).code << 4 | from << 8);
  store_config(a, windows, 18,
               (dst32 ? 1 : 0) | (format == Format::Uint8 ? 2 : 0));  // read Dst as 32 bits, as unsigned
  store_config(a, windows, 28, 16 << 8);
  store_config(a, windows, 24, 0xFFFF);  // no edge mask
  store_config(a, windows, 20, 0);
  set_page(a, page16());
  a.tensix(tx::SETADCXX{.x_end2 = 15, .cnt_set_mask = kCounters});
  a.tensix(tx::SETC16{.setc16_value = 0x0104, .setc16_reg = 37});  // modifier 0: four rows on
  a.tensix(tx::SETC16{.setc16_value = 0x2820, .setc16_reg = 38});  // 1: back to the beginning
  a.tensix(tx::SETC16{.setc16_value = 0x1120, .setc16_reg = 39});  // 2: next face
  const uint32_t nop = tensix_nop();
  configure_mop(a, windows,
                {4, 4, nop, nop, nop, tx::PACR{.addr_mode = 0}.encode(), nop,
                 tx::PACR{.last = 1, .addr_mode = 1}.encode(), tx::PACR{.addr_mode = 2}.encode()});
  drain(a, windows);
  a.li(clear, tx::ZEROACC{.addr_mode = 1, .use_32_bit_mode = dst32, .clear_mode = 2}.encode());
  a.li(offsets, take_from(kGprHalf0).encode());
  a.tensix(tx::STALLWAIT{.wait_res = until::kPack0, .stall_res = stall::kTdma | stall::kThcon});
  a.tensix(set_half(kGprHalf0, false, 0));
  a.tensix(set_half(kGprHalf1, false, 512));
  a.tensix(tx::STALLWAIT{.wait_res = until::kThcon, .stall_res = stall::kCfg});
  a.tensix(take_from(kGprHalf0));
  a.tensix(tx::DMANOP{});
  a.tensix(tx::DMANOP{});
  a.tensix(tx::SETADCXY{.bit_mask = 0b1011, .cnt_set_mask = kCounters});
}

void Packer::change_format(Caller caller) const {
  Stream& a = caller;
  a.tensix(tx::STALLWAIT{.wait_res = until::kPack0, .stall_res = stall::kCfg | stall::kThcon});
  set_strides(a, datum_bytes(from));
  set_page(a, page16());
  a.tensix(tx::ATGETM{.mutex_index = 0});
  modify_config(a, 1, 0xFu << 25, from << 25);
  a.tensix(tx::ATRELM{.mutex_index = 0});
  modify_config(a, 70, 0xFF0, info(format).code << 4 | from << 8);
}

void Packer::accumulate_in_l1(Caller caller, bool on) const {
  Stream& a = caller;
  a.tensix(tx::STALLWAIT{.wait_res = until::kPack0, .stall_res = stall::kCfg});
  modify_config(a, 70, 1u << 2, on ? 1u << 2 : 0);
  modify_config(a, 71, 1u << 19, on ? 1u << 19 : 0);
}

void Packer::acquire(Caller caller) const {
  Stream& a = caller;
  a.comment("a finished half of Dst");
  a.tensix(tx::SEMWAIT{.wait_sem_cond = 1, .sem_sel = 1u << kSemMathPack, .stall_res = stall::kTdma});
}

void Packer::begin(Caller caller, isa::Reg address) const {
  Stream& a = caller;
  a.addi(t2, address, -1);  // programmed minus one
  a.zext_h(t3, t2);
  push_with_field(a, windows, set_half(kGprAddress, false, 0).encode(), t3, 8);
  a.srli(t3, t2, 16);
  push_with_field(a, windows, set_half(kGprAddress, true, 0x8000).encode(), t3, 8);
  a.tensix(tx::SETADCZW{.bit_mask = 0b1111, .cnt_set_mask = kCounters});
}

void Packer::pack_tile(Caller caller) const {
  Stream& a = caller;
  pack_tile(a, [&] { a.tensix(tx::MOP{.mop_type = 1}); });
}

void Packer::pack_tile(Caller caller, const std::function<void()>& rows) const {
  Stream& a = caller;
  a.tensix(tx::STALLWAIT{.wait_res = until::kThcon, .stall_res = stall::kCfg});
  a.tensix(tx::WRCFG{.cfg_reg = kOutputAddress, .gpr_address = kGprAddress});
  a.tensix(tx::DMANOP{});
  rows();
  a.tensix(tx::SETADCZW{.bit_mask = 0b0101, .cnt_set_mask = kCounters});
}

// Both as packs that untilize do it (docs/hardware/kernels.md 3.10).
void Packer::next(Caller caller) const {
  Stream& a = caller;
  a.tensix(tx::INCADCZW{.ch0_w = 1, .cnt_set_mask = kCounters});
  a.tensix(tx::ADDDMAREG{.op_a_reg_index = kGprPage, .op_b_reg_index = kGprAddress, .result_reg_index = kGprAddress});
}

void Packer::release(Caller caller) const {
  Stream& a = caller;
  a.tensix(tx::STALLWAIT{.wait_res = until::kPack0, .stall_res = stall::kMath});
  a.sw(clear, windows.push);
  get_semaphore(a, kSemMathPack);
  a.xori(clear, clear, 1);
  a.li(t0, take_from(kGprHalf0).encode() ^ take_from(kGprHalf1).encode());
  a.xor_(offsets, offsets, t0);
  a.sw(offsets, windows.push);
  a.tensix(tx::DMANOP{});
  a.tensix(tx::DMANOP{});
}

}  // namespace kerr::kernels
