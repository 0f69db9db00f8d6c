// TRISC2: finished halves of Dst to L1.   docs/hardware/kernels.md 3.7
#include "kernels/emit/compute.hpp"
#include "kernels/emit/frame.hpp"
#include "kernels/matmul/streams.hpp"

namespace kerr::kernels::matmul {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr Windows kWindows{s0, s1, s2};
constexpr isa::Reg kInterface = a0, kSubBlocks = a2, kHalf = a3, kAddress = a4, kTiles = a5, kTile = a6, kBlocks = a7;

constexpr std::uint32_t kPacker = 4;  // in the unit masks of the address counters
constexpr std::uint32_t kPage16 = kBf16TileBytes / 16;
constexpr std::uint32_t kBf16 = 5;

// Tensix GPRs: 4 and 8 the Dst offsets of the halves, 12 an address, 16 the tile size, 24 the pushed count, 28 and 29 strides
constexpr std::uint32_t kGprHalf0 = 4, kGprHalf1 = 8, kGprAddress = 12, kGprTileSize = 16, kGprCount = 24, kGprStrides = 28;
constexpr std::uint32_t kDstOffsets = 180;  // four words
constexpr std::uint32_t kOutputAddress = 69;

tx::SETDMAREG set_half(std::uint32_t gpr, bool high, std::uint32_t value) {
  return {.reg_index_16b = 2 * gpr + high, .payload_sig_sel = value & 0x3FFF, .payload_sig_sel_size = value >> 14};
}

// y, z and w strides of bf16 rows: a row 32 bytes, a face 512, a tile 2048.
void set_strides(isa::Assembler& a) {
  a.tensix(set_half(kGprStrides, false, 0));
  a.tensix(set_half(kGprStrides, true, 32));
  a.tensix(set_half(kGprStrides + 1, false, 512));
  a.tensix(set_half(kGprStrides + 1, true, 2048));
  a.tensix(tx::STALLWAIT{.wait_res = until::kThcon, .stall_res = stall::kCfg});
  a.tensix(tx::WRCFG{.cfg_reg = 12, .gpr_address = kGprStrides});
  a.tensix(tx::WRCFG{.cfg_reg = 13, .gpr_address = kGprStrides + 1});
  a.tensix(tx::NOP{});
  a.tensix(tx::NOP{});
}

void configure(isa::Assembler& a, bool fp32) {
  a.comment("packer: bf16 out");
  set_strides(a);
  a.tensix(tx::ATGETM{.mutex_index = 0});  // words that all three threads modify
  modify_config(a, 1, 0xFu << 25, kBf16 << 25);
  modify_config(a, 2, 0x3FFFFC, 0);  // no ReLU
  a.tensix(tx::ATRELM{.mutex_index = 0});
  modify_config(a, 71, 1u << 23 | 1u << 20 | 0xFFu << 24, 0);
  store_config(a, kWindows, 68, 4 << 16);
  store_config(a, kWindows, 70, 1 | kBf16 << 4 | kBf16 << 8);
  store_config(a, kWindows, 18, fp32 ? 1 : 0);  // read Dst as 32 bits
  store_config(a, kWindows, 28, 16 << 8);
  store_config(a, kWindows, 24, 0xFFFF);  // no edge mask
  store_config(a, kWindows, 20, 0);
  a.tensix(set_half(kGprTileSize, false, kPage16));
  a.tensix(tx::SETADCXX{.x_end2 = 15, .cnt_set_mask = kPacker});
  a.tensix(tx::SETC16{.setc16_value = 0x0104, .setc16_reg = 37});  // modifier 0: four rows on
  a.tensix(tx::SETC16{.setc16_value = 0x2820, .setc16_reg = 38});  // 1: back to the beginning
  a.tensix(tx::SETC16{.setc16_value = 0x1120, .setc16_reg = 39});  // 2: next face
  const std::uint32_t nop = tensix_nop();
  configure_mop(a, kWindows,
                {4, 4, nop, nop, nop, tx::PACR{.addr_mode = 0}.encode(), nop, tx::PACR{.last = 1, .addr_mode = 1}.encode(),
                 tx::PACR{.addr_mode = 2}.encode()});
  drain(a, kWindows);
  a.li(kHalf, 0);
  a.tensix(tx::STALLWAIT{.wait_res = until::kPack0, .stall_res = stall::kTdma | stall::kThcon});
  a.tensix(set_half(kGprHalf0, false, 0));
  a.tensix(set_half(kGprHalf1, false, 512));
  a.tensix(tx::STALLWAIT{.wait_res = until::kThcon, .stall_res = stall::kCfg});
  a.tensix(tx::WRCFG{.cfg_reg = kDstOffsets, .wr128b = 1, .gpr_address = kGprHalf0});
  a.tensix(tx::DMANOP{});
  a.tensix(tx::DMANOP{});
  a.tensix(tx::SETADCXY{.bit_mask = 0b1011, .cnt_set_mask = kPacker});
  a.tensix(tx::SETADCZW{.bit_mask = 0b1111, .cnt_set_mask = kPacker});
}

// Packs tile number kTile of the half to kAddress (units of 16 bytes, programmed minus one).
void pack_tile(isa::Assembler& a) {
  push_with_field(a, kWindows, tx::SETADC{.dimension = 3, .cnt_set_mask = kPacker}.encode(), kTile, 0);
  a.addi(t2, kAddress, -1);
  a.zext_h(t3, t2);
  push_with_field(a, kWindows, set_half(kGprAddress, false, 0).encode(), t3, 8);
  a.srli(t3, t2, 16);
  push_with_field(a, kWindows, set_half(kGprAddress, true, 0x8000).encode(), t3, 8);
  a.tensix(tx::STALLWAIT{.wait_res = until::kThcon, .stall_res = stall::kCfg});
  a.tensix(tx::WRCFG{.cfg_reg = kOutputAddress, .gpr_address = kGprAddress});
  push_with_field(a, kWindows, set_half(kGprAddress, true, 0).encode(), t3, 8);
  a.tensix(tx::DMANOP{});
  a.tensix(tx::MOP{.mop_type = 1});
  a.tensix(tx::SETADCZW{.bit_mask = 0b0101, .cnt_set_mask = kPacker});
}

// Adds to what lies in L1, or writes over it.
void accumulate_in_l1(isa::Assembler& a, bool on) {
  a.tensix(tx::STALLWAIT{.wait_res = until::kPack0, .stall_res = stall::kCfg});
  modify_config(a, 70, 1u << 2, on ? 1u << 2 : 0);
  modify_config(a, 71, 1u << 19, on ? 1u << 19 : 0);
}

// The next finished half of Dst.
void pack_sub_block(isa::Assembler& a, const MatmulPlan& p, const ComputeBuffer& buffer) {
  a.comment("a finished half of Dst");
  a.tensix(tx::SEMWAIT{.wait_sem_cond = 1, .sem_sel = 1u << kSemMathPack, .stall_res = stall::kTdma});
  buffer.reserve_back(a, p.sub_tiles());
  a.mv(kAddress, buffer.pointer);
  a.li(kTile, 0);
  repeat(a, kTiles, p.sub_tiles(), [&] {
    pack_tile(a);
    a.addi(kAddress, kAddress, kPage16);
    a.addi(kTile, kTile, 1);
  });
  buffer.push_back(a, kWindows, p.sub_tiles(), kPage16, kGprCount);
  a.tensix(tx::STALLWAIT{.wait_res = until::kPack0, .stall_res = stall::kMath});
  push_with_field(a, kWindows, tx::ZEROACC{.addr_mode = 1, .use_32_bit_mode = p.options.fp32_accumulate, .clear_mode = 2}.encode(),
                  kHalf, 0);
  a.tensix(tx::SEMGET{.sem_sel = 1u << kSemMathPack});
  a.xori(kHalf, kHalf, 1);
  a.slli(t2, kHalf, 2);  // GPR 4 or 8
  a.addi(t2, t2, kGprHalf0);
  push_with_field(a, kWindows, tx::WRCFG{.cfg_reg = kDstOffsets, .wr128b = 1}.encode(), t2, 16);
  a.tensix(tx::DMANOP{});
  a.tensix(tx::DMANOP{});
}

}  // namespace

isa::Code pack(const MatmulPlan& p) {
  isa::Assembler a;
  const ComputeBuffer product{kBufferC, pages_c(p), s3, s4, s5, kInterface};
  const ComputeBuffer partial{kBufferPartial, pages_c(p), s6, s7, s8, kInterface};

  a.function("matmul_pack");
  enter(a);
  a.mv(kInterface, a3);
  kWindows.open(a);
  product.open_for_writing(a);
  configure(a, p.options.fp32_accumulate);
  if (has_partials(p)) {
    partial.open_for_writing(a);
    repeat(a, kBlocks, p.k_blocks() - 1, [&] {
      repeat(a, kSubBlocks, p.sub_blocks(), [&] { pack_sub_block(a, p, partial); });
      accumulate_in_l1(a, true);
    });
    accumulate_in_l1(a, false);
  }
  repeat(a, kSubBlocks, p.sub_blocks(), [&] { pack_sub_block(a, p, product); });
  leave(a);
  return a.finish();
}

}  // namespace kerr::kernels::matmul
