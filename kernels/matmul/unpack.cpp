// TRISC0: A's tiles into SrcB, B's into SrcA. One tile stays while those of the other operand are multiplied with it.
// docs/hardware/kernels.md 3.1, 3.2, 3.5
#include <algorithm>

#include "kernels/blocks/compute.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/blocks/unpacker.hpp"
#include "kernels/matmul/batch.hpp"
#include "kernels/matmul/streams.hpp"

namespace kerr::kernels::matmul {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

// Registers that some plans do not use come last, because s registers have to be saved.
constexpr isa::Reg kInterface = a3, kMop = a4, kStepA = a5, kStepB = a6, kAddress = a7, kSteps = t3;
constexpr isa::Reg kSubColumns = s3, kBlocks = s4, kHalf = s5, kPlace = s10;
constexpr isa::Reg kTiles = kSteps;  // copied, while there are no steps
constexpr Windows kWindows{a0, a1, a2};

// With a single block of K the place in A's buffer becomes the step, and nobody asks where buffers end.
struct PlanRegisters {
  isa::Reg pointer_a, groups, sub_blocks;
};
PlanRegisters registers(const MatmulPlan& p) {
  const bool once = flow_of_operands(p) == Flow::Once && !p.has_partials() && p.operands() == 0;
  return once ? PlanRegisters{kStepA, kInterface, t5} : PlanRegisters{t5, s11, s2};
}

// Tensix GPRs: 4 the popped count of a buffer, 12 an address under way, 36 and 37 the steps from tile to tile of B and
// A
constexpr uint32_t kGprCount = 4, kGprAddress = 12, kGprPageB = 36, kGprPageA = 37;

uint32_t page16(const MatmulPlan& p) { return p.in_bytes() / 16; }

constexpr Unpackers kUnpackers{kWindows, t4};
constexpr uint32_t kUnpackB = kUnpackerOfSrcA;
constexpr uint32_t kUnpackA = kUnpackerOfSrcB;

void configure(Stream& a, const MatmulPlan& p) {
  a.comment("unpackers");
  kUnpackers.configure(a, p.options.in, info(p.options.in).in_source, 1024);  // a whole tile each
  a.tensix(tx::SETDMAREG{.reg_index_16b = 2 * kGprPageB, .payload_sig_sel = page16(p)});
  a.tensix(
      tx::SETDMAREG{.reg_index_16b = 2 * kGprPageA, .payload_sig_sel = holds_a(p) ? page16(p) : p.k_block * page16(p)});
}

// Slots 0..5 for context 0, 6..11 for context 1: unpack a tile of the passing operand, advance the context's base
// address.
void record_replay(Stream& a, const MatmulPlan& p) {
  const uint32_t unpacker = holds_a(p) ? kUnpackB : kUnpackA;
  const uint32_t base_address = holds_a(p) ? kUnpackBaseSrcA : kUnpackBaseSrcB;
  a.tensix(tx::REPLAY{.load_mode = 1, .len = 12, .start_idx = 0});
  for (uint32_t context = 0; context < 2; ++context) {
    a.tensix(unpack_datums(unpacker));
    a.tensix(tx::RDCFG{.cfg_reg = base_address + context, .gpr_address = kGprAddress});
    a.tensix(tx::ADDDMAREG{.op_a_reg_index = holds_a(p) ? kGprPageB : kGprPageA,
                           .op_b_reg_index = kGprAddress,
                           .result_reg_index = kGprAddress});
    a.tensix(tx::STALLWAIT{.wait_res = until::kThcon, .stall_res = stall::kCfg});
    a.tensix(tx::WRCFG{.cfg_reg = base_address + context, .gpr_address = kGprAddress});
    a.tensix(tx::NOP{});
  }
}

void set_product_mop(Stream& a) {
  configure_masked_mop(a, kWindows, tx::REPLAY{.len = 6, .start_idx = 0}.encode(),
                       tx::REPLAY{.len = 6, .start_idx = 6}.encode());
}

// MOP 0 for as many tiles as are multiplied with a held one. Its mask chooses between the halves of the replay buffer,
// so it changes with the context.
uint32_t passing_tiles(const MatmulPlan& p) {
  return tx::MOP{.loop_count = std::max(p.sub_rows, p.sub_columns) - 1, .mop_type = 0}.encode();
}

void end_context(Stream& a) {
  kUnpackers.end(a);
  a.xori(kMop, kMop, 0xFF);
}

// A tile that is held, and those of the other operand that it is multiplied with.
void unpack_group(Stream& a, uint32_t held_by, isa::Reg tile_a, isa::Reg tile_b) {
  kUnpackers.begin(a, tile_b, &tile_a);
  a.tensix(unpack_datums(held_by));
  a.sw(kMop, kWindows.push);
  end_context(a);
}

// What a sub-block needs of a K block. kStepA: A's tile of the first K step and row, kStepB: B's of the first column,
// as they are programmed; both go on to the next K block's, if it follows in L1.
void unpack_k_block(Stream& a, const MatmulPlan& p) {
  a.repeat(kSteps, p.k_block, [&] {
    const bool rows = holds_a(p);
    a.mv(kAddress, rows ? kStepA : kStepB);
    a.repeat(registers(p).groups, rows ? p.sub_rows : p.sub_columns, [&] {
      rows ? unpack_group(a, kUnpackA, kAddress, kStepB) : unpack_group(a, kUnpackB, kStepA, kAddress);
      if (std::min(p.sub_rows, p.sub_columns) > 1) add_constant(a, kAddress, (rows ? p.k_block : 1) * page16(p));
    });
    add_constant(a, kStepA, page16(p));
    add_constant(a, kStepB, block_columns(p) * page16(p));
  });
}

// From operands to tiles of `format` that go to Dst unchanged, face by face, and back.
void switch_format(Stream& a, const MatmulPlan& p, Format format, bool there) {
  const bool to_dst = p.options.dst32();
  const Format from = there ? format : p.options.in;
  const arch::DataFormat target = there && to_dst ? info(from).in_l1 : info(from).in_source;
  const arch::DataFormat usual = info(p.options.in).in_source;
  a.tensix(tx::SETADCXX{.x_end2 = there ? 255u : 1023u, .cnt_set_mask = 1});
  if (format == p.options.in && !to_dst) return;
  a.tensix(tx::STALLWAIT{.wait_res = until::kUnpack0 | until::kUnpack1, .stall_res = stall::kCfg});
  modify_config(a, {{cfg::THCON_SEC0_REG0_TileDescriptor_in_data_format, info(from).in_l1},
                    {cfg::THCON_SEC0_REG2_Out_data_format, target}});
  if (!to_dst) return;
  modify_config(a, {{cfg::UNP0_ADDR_CTRL_ZW_REG_1_Zstride, 256 * arch::counted_bytes(there ? target : usual)},
                    {cfg::THCON_SEC0_REG2_Unpack_if_sel_cntx0, there},
                    {cfg::THCON_SEC0_REG2_Unpack_if_sel_cntx1, there}});
  if (!there) {
    modify_config(a, {{dst_place(cfg::THCON_SEC0_REG5_Dest_cntx0_address), 0},
                      {dst_place(cfg::THCON_SEC0_REG5_Dest_cntx1_address), 0}});
  }
  set_thread_config(a, {{thread_cfg::SRCA_SET_SetOvrdWithAddr, !there}});
}

ComputeBuffer partials(const MatmulPlan& p) { return {kBufferPartial, pages_partial(p), s6, s7, kInterface}; }
ComputeBuffer operands(const MatmulPlan& p) { return {kBufferOperands, pages_operands(p), s8, s9, kInterface}; }

// The tile at kAddress to Dst as it is: of 32 bits straight to where the context points, others into SrcA, a face at a
// time, with a SrcB that only comes along. Without the MOP, which remains that of products.
void copy_tile(Stream& a, const MatmulPlan& p) {
  kUnpackers.begin(a, kAddress, nullptr);
  for (int face = 0; face < 4; ++face) {
    if (p.options.dst32()) {
      a.tensix(unpack_face_to_dst());
    } else {
      tx::UNPACR to_source = unpack_datums(kUnpackB);
      to_source.addr_mode = 1;  // the next face
      a.tensix(to_source);
      a.tensix(tx::UNPACR_NOP{.unpack_pop = 1, .set_dvalid = 1, .unpacker_select = 1});
    }
  }
  end_context(a);
}

// The partial sums of a sub-block.
void unpack_partials(Stream& a, const MatmulPlan& p) {
  a.comment("partial sums");
  const Format format = *partial_format(p.options);
  const uint32_t page = tile_bytes(format) / 16;
  const bool to_dst = p.options.dst32();
  const ComputeBuffer partial = partials(p);
  partial.wait_front(a, p.sub_tiles());
  switch_format(a, p, format, true);
  if (to_dst) {
    unpack_to_dst_begin(a);
    a.slli(kPlace, kHalf, 13);
  }
  a.addi(kAddress, partial.pointer, -1);
  a.repeat(kTiles, p.sub_tiles(), [&] {
    if (to_dst) {
      point_to_dst_place(a, kUnpackers, kPlace);
      a.addi(kPlace, kPlace, 1 << 10);
    }
    copy_tile(a, p);
    add_constant(a, kAddress, page);
  });
  if (to_dst) unpack_to_dst_end(a);
  partial.pop_front(a, kWindows, p.sub_tiles(), page, kGprCount);
  switch_format(a, p, format, false);
}

// For each tile of a sub-block the operands of its epilogue.
void unpack_operands(Stream& a, const MatmulPlan& p) {
  a.comment("operands of the epilogue");
  const Format format = *operand_format(p.options);
  const uint32_t page = tile_bytes(format) / 16, pages = pages_operands(p) / 2;
  const bool to_dst = p.options.dst32();
  const ComputeBuffer buffer = operands(p);
  buffer.wait_front(a, pages);
  switch_format(a, p, format, true);
  a.addi(kAddress, buffer.pointer, -1);
  a.repeat(kTiles, p.sub_tiles(), [&] {
    if (to_dst) unpack_to_dst_begin(a);
    for (uint32_t operand = 0; operand < p.operands(); ++operand) {
      if (to_dst) point_to_dst_tile(a, kUnpackers, kHalf, p.sub_tiles() + operand);
      copy_tile(a, p);
      add_constant(a, kAddress, p.sub_tiles() * page);
    }
    if (to_dst) unpack_to_dst_end(a);
    add_constant(a, kAddress, page - p.operands() * p.sub_tiles() * page);
  });
  buffer.pop_front(a, kWindows, pages, page, kGprCount);
  switch_format(a, p, format, false);
}

// Whether kHalf is needed: tiles go straight to Dst.
bool follows_halves(const MatmulPlan& p) { return p.options.dst32() && (p.operands() != 0 || p.has_partials()); }

// What follows the last product of a sub-block.
bool ends_sub_blocks(const MatmulPlan& p) { return p.operands() != 0 || follows_halves(p); }
void end_sub_block(Stream& a, const MatmulPlan& p) {
  if (p.operands() != 0) unpack_operands(a, p);
  if (follows_halves(p)) a.xori(kHalf, kHalf, 1);
}

// Each sub-block over the whole of K, block after block.
void unpack_direct(Stream& a, const MatmulPlan& p, const ComputeBuffer& buffer_a, const ComputeBuffer& buffer_b) {
  const uint32_t tiles_a = pages_a(p) / 2, tiles_b = pages_b(p) / 2;
  a.repeat(registers(p).sub_blocks, p.sub_blocks(), [&] {
    a.repeat(kBlocks, p.k_blocks(), [&] {
      buffer_a.wait_front(a, tiles_a);
      buffer_b.wait_front(a, tiles_b);
      a.addi(kStepA, buffer_a.pointer, -1);
      a.addi(kStepB, buffer_b.pointer, -1);
      unpack_k_block(a, p);
      buffer_a.pop_front(a, kWindows, tiles_a, page16(p), kGprCount);
      buffer_b.pop_front(a, kWindows, tiles_b, page16(p), kGprCount);
    });
    end_sub_block(a, p);
  });
}

// All sub-blocks of a K block, K block after K block; before the last, the sums that the others have left in L1.
void unpack_multicast(Stream& a, const MatmulPlan& p, const ComputeBuffer& buffer_a, const ComputeBuffer& buffer_b) {
  const uint32_t tiles_a = pages_a(p) / 2, tiles_b = pages_b(p) / 2, page = page16(p);
  const uint32_t down = p.core_rows / p.sub_rows, across = p.core_columns / p.sub_columns;
  const Times product = a.times();
  const bool many_blocks = p.k_blocks() > 1;
  // kBlocks: how many come after this one.
  const auto in_last_block = [&](const auto& body) {
    if (!many_blocks) return body();
    const auto turns = a.turns_instead(p.sub_blocks(), product);
    const isa::Label not_yet = a.label();
    a.bnez(kBlocks, not_yet);
    body();
    a.bind(not_yet);
  };
  const auto sub_block = [&] {
    if (p.has_partials()) in_last_block([&] { unpack_partials(a, p); });
    unpack_k_block(a, p);
    if (ends_sub_blocks(p)) in_last_block([&] { end_sub_block(a, p); });
    if (across > 1) {
      add_constant(a, kStepA, -p.k_block * page);
      add_constant(a, kStepB, (p.sub_columns - p.k_block * p.core_columns) * page);
    }
  };
  const auto block = [&] {
    buffer_a.wait_front(a, tiles_a);
    buffer_b.wait_front(a, tiles_b);
    a.addi(kStepA, buffer_a.pointer, -1);
    a.repeat(registers(p).sub_blocks, down, [&] {
      a.addi(kStepB, buffer_b.pointer, -1);
      a.repeat(kSubColumns, across, sub_block);
      if (down > 1) add_constant(a, kStepA, (p.sub_rows - (across > 1 ? 0 : 1)) * p.k_block * page);
    });
    buffer_a.pop_front(a, kWindows, tiles_a, page, kGprCount);
    buffer_b.pop_front(a, kWindows, tiles_b, page, kGprCount);
  };
  if (!many_blocks) return block();

  if (p.has_partials() && p.sub_blocks() * (p.k_blocks() - 1) % 2 != 0 && follows_halves(p)) a.xori(kHalf, kHalf, 1);
  const auto turns = a.turns(p.k_blocks());
  a.li(kBlocks, p.k_blocks() - 1);
  const isa::Label next = a.here();
  block();
  if (p.has_partials() && p.k_blocks() > 2) {
    const auto but_the_last_two = a.turns_instead(p.k_blocks() - 2, product);
    const isa::Label stays = a.label();
    a.li(t0, 1);
    a.bgeu(t0, kBlocks, stays);
    const ComputeBuffer partial = partials(p);  // room for the sums of the next block, which is added in place
    partial.wait_front(a, pages_partial(p));
    partial.pop_front(a, kWindows, pages_partial(p), tile_bytes(*partial_format(p.options)) / 16, kGprCount);
    a.bind(stays);
  }
  a.addi(kBlocks, kBlocks, -1);
  a.bgez(kBlocks, next);
}

}  // namespace

Kernel unpack(const MatmulPlan& p) {
  const ComputeBuffer buffer_a{kBufferA, pages_a(p), registers(p).pointer_a, s0, kInterface, flow_of_operands(p)};
  const ComputeBuffer buffer_b{kBufferB, pages_b(p), t6, s1, kInterface, flow_of_operands(p)};
  return kernel_of_products(p, arch::Hart::Trisc0, "matmul_unpack", [&](Stream& a) {
    kWindows.open(a);
    buffer_a.open_for_reading(a);
    buffer_b.open_for_reading(a);
    configure(a, p);
    record_replay(a, p);
    set_product_mop(a);
    a.li(kMop, passing_tiles(p));
    if (p.has_partials()) partials(p).open_for_reading(a);
    if (p.operands() != 0) operands(p).open_for_reading(a);
    if (follows_halves(p)) a.li(kHalf, 0);
    for_each_product(a, p, [&] {
      p.multicast() ? unpack_multicast(a, p, buffer_a, buffer_b) : unpack_direct(a, p, buffer_a, buffer_b);
    });
  });
}

}  // namespace kerr::kernels::matmul
