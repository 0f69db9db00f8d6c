// TRISC0: A's tiles into SrcB, B's into SrcA: one is held, those of the other pass by.   docs/hardware/kernels.md 3.1, 3.2, 3.5
#include "kernels/emit/circular_buffer_layout.hpp"
#include "kernels/emit/compute.hpp"
#include "kernels/emit/frame.hpp"
#include "kernels/emit/unpacker.hpp"
#include "kernels/emit/zone.hpp"
#include "kernels/matmul/batch.hpp"
#include "kernels/matmul/streams.hpp"

namespace kerr::kernels::matmul {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr Windows kWindows{s0, s1, s2};
constexpr isa::Reg kInterface = a0, kContext = a1, kSubBlocks = a2, kBlocks = a3, kAddress = a4, kStepA = a5,
                   kHalf = a6;
constexpr isa::Reg kSteps = a7, kStepB = t3, kSubRowA = t4, kSubColumns = t5, kSubColumnB = t6;

// Tensix GPRs: 4 the popped count of a buffer, 12 an address under way, 36 and 37 the steps from tile to tile of B and A
constexpr std::uint32_t kGprCount = 4, kGprAddress = 12, kGprPageB = 36, kGprPageA = 37;

std::uint32_t page16(const MatmulPlan& p) { return p.in_bytes() / 16; }

constexpr Unpackers kUnpackers{kWindows, kContext};
constexpr std::uint32_t kUnpackB = kUnpackerOfSrcA;
constexpr std::uint32_t kUnpackA = kUnpackerOfSrcB;

void configure(Stream& a, const MatmulPlan& p) {
  a.comment("unpackers");
  kUnpackers.configure(a, p.options.in, info(p.options.in).source_code, 1024);  // a whole tile each
  a.tensix(tx::SETDMAREG{.reg_index_16b = 2 * kGprPageB, .payload_sig_sel = page16(p)});
  a.tensix(
      tx::SETDMAREG{.reg_index_16b = 2 * kGprPageA, .payload_sig_sel = holds_a(p) ? page16(p) : p.k_block * page16(p)});
}

// Slots 0..5 for context 0, 6..11 for context 1: unpack a tile of the passing operand and move the context's base address to the next.
void record_replay(Stream& a, const MatmulPlan& p) {
  const std::uint32_t unpacker = holds_a(p) ? kUnpackB : kUnpackA;
  const std::uint32_t base_address = holds_a(p) ? kUnpackBaseSrcA : kUnpackBaseSrcB;
  a.tensix(tx::REPLAY{.load_mode = 1, .len = 12, .start_idx = 0});
  for (std::uint32_t context = 0; context < 2; ++context) {
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
  const std::uint32_t nop = tensix_nop();
  configure_mop(a, kWindows,
                {0, 0, nop, tx::REPLAY{.len = 6, .start_idx = 0}.encode(), nop, nop, nop,
                 tx::REPLAY{.len = 6, .start_idx = 6}.encode(), nop});
}

// A tile that is held, and the `count` tiles of the other operand that it is multiplied with.
void unpack_group(Stream& a, std::uint32_t held_by, isa::Reg tile_a, isa::Reg tile_b, std::uint32_t count) {
  kUnpackers.begin(a, tile_b, &tile_a);
  a.tensix(unpack_datums(held_by));
  a.neg(t2, kContext);
  a.andi(t2, t2, 0xFF);  // the mask chooses between the two halves of the replay buffer
  push_with_field(a, kWindows, tx::MOP{.loop_count = count - 1, .mop_type = 0}.encode(), t2, 0);
  kUnpackers.end(a);
}

// What a sub-block needs of a K block. kStepA: A's tile of the first K step and row, kStepB: B's of the first column.
void unpack_k_block(Stream& a, const MatmulPlan& p) {
  a.repeat(kSteps, p.k_block, [&] {
    if (holds_a(p)) {
      a.mv(kAddress, kStepA);
      for (std::uint32_t row = 0; row < p.sub_rows; ++row) {
        unpack_group(a, kUnpackA, kAddress, kStepB, p.sub_columns);
        if (row + 1 != p.sub_rows) add_constant(a, kAddress, p.k_block * page16(p));
      }
    } else {
      a.mv(kAddress, kStepB);
      for (std::uint32_t column = 0; column < p.sub_columns; ++column) {
        unpack_group(a, kUnpackB, kStepA, kAddress, p.sub_rows);
        if (column + 1 != p.sub_columns) add_constant(a, kAddress, page16(p));
      }
    }
    a.addi(kStepA, kStepA, page16(p));
    add_constant(a, kStepB, block_columns(p) * page16(p));
  });
}

// From operands to tiles of `format` that go to Dst unchanged, face by face, and back.
void switch_format(Stream& a, const MatmulPlan& p, Format format, bool there) {
  const bool to_dst = p.options.dst32();
  const Format from = there ? format : p.options.in;
  const std::uint32_t target = there && to_dst ? info(from).code : info(from).source_code;
  const std::uint32_t usual = info(p.options.in).source_code;
  a.tensix(tx::SETADCXX{.x_end2 = there ? 255u : 1023u, .cnt_set_mask = 1});
  if (format == p.options.in && !to_dst) return;
  a.tensix(tx::STALLWAIT{.wait_res = until::kUnpack0 | until::kUnpack1, .stall_res = stall::kCfg});
  modify_config(a, 64, 0xF, info(from).code);
  modify_config(a, 72, 0xF, target);
  if (!to_dst) return;
  modify_config(a, 57, 0xFFFF, 256 * datum_bytes(there ? target : usual));
  modify_config(a, 73, 0x30, there ? 0x30 : 0);
  if (!there) modify_config(a, 84, 0xFF00FF00, 0);
  a.tensix(tx::SETC16{.setc16_value = there ? 0u : 4u, .setc16_reg = 5});
}

// A buffer that is used now and then: meanwhile its state is on the stack, and its registers are another's.
struct SeldomUsed {
  ComputeBuffer buffer;
  std::int32_t offset;

  void open(Stream& a) const {
    buffer.open_for_reading(a);
    put_away(a);
  }
  template <class Body>
  void use(Stream& a, Body&& body) const {
    a.li(buffer.counters, stream_base(buffer.id));
    a.lw(buffer.pointer, sp, offset);
    a.lw(buffer.moved, sp, offset + 4);
    body();
    put_away(a);
  }

 private:
  void put_away(Stream& a) const {
    a.sw(buffer.pointer, sp, offset);
    a.sw(buffer.moved, sp, offset + 4);
  }
};

SeldomUsed partials(const MatmulPlan& p) { return {{kBufferPartial, pages_partial(p), s9, s10, s11, kInterface}, 0}; }
SeldomUsed operands(const MatmulPlan& p) { return {{kBufferOperands, pages_operands(p), s9, s10, s11, kInterface}, 8}; }

// Tiles that go to Dst as they are: of 32 bits straight there, others into SrcA, a face at a time.
void set_copy_mop(Stream& a, const MatmulPlan& p) {
  const std::uint32_t nop = tensix_nop();
  if (p.options.dst32()) {
    const std::uint32_t face = unpack_face_to_dst().encode();
    return configure_mop(a, kWindows, {4, 1, nop, nop, nop, face, nop, face, face});
  }
  const std::uint32_t no_b = tx::UNPACR_NOP{.unpack_pop = 1, .set_dvalid = 1, .unpacker_select = 1}.encode();
  tx::UNPACR face = unpack_datums(kUnpackB);
  face.addr_mode = 1;  // the next face
  configure_mop(a, kWindows, {4, 1, face.encode(), nop, nop, no_b, nop, no_b, no_b});
}

// To tile `target` of Dst.
void copy_tile(Stream& a, const MatmulPlan& p, std::uint32_t target) {
  if (p.options.dst32()) point_to_dst_tile(a, kUnpackers, kHalf, target);
  kUnpackers.begin(a, kAddress, nullptr);
  a.tensix(tx::MOP{.mop_type = 1});
  kUnpackers.end(a);
}

// The partial sums of a sub-block.
void unpack_partials(Stream& a, const MatmulPlan& p) {
  a.comment("partial sums");
  const Format format = *partial_format(p.options);
  const std::uint32_t page = tile_bytes(format) / 16;
  const bool to_dst = p.options.dst32();
  partials(p).use(a, [&] {
    const ComputeBuffer& partial = partials(p).buffer;
    partial.wait_front(a, p.sub_tiles());
    switch_format(a, p, format, true);
    set_copy_mop(a, p);
    if (to_dst) unpack_to_dst_begin(a);
    a.mv(kAddress, partial.pointer);
    for (std::uint32_t tile = 0; tile < p.sub_tiles(); ++tile) {
      copy_tile(a, p, tile);
      a.addi(kAddress, kAddress, static_cast<std::int32_t>(page));
    }
    if (to_dst) unpack_to_dst_end(a);
    partial.pop_front(a, kWindows, p.sub_tiles(), page, kGprCount);
  });
  switch_format(a, p, format, false);
  set_product_mop(a);
}

// For each tile of a sub-block the operands of its epilogue.
void unpack_operands(Stream& a, const MatmulPlan& p) {
  a.comment("operands of the epilogue");
  const Format format = *operand_format(p.options);
  const std::uint32_t page = tile_bytes(format) / 16, pages = pages_operands(p) / 2;
  const bool to_dst = p.options.dst32();
  operands(p).use(a, [&] {
    const ComputeBuffer& buffer = operands(p).buffer;
    buffer.wait_front(a, pages);
    switch_format(a, p, format, true);
    set_copy_mop(a, p);
    for (std::uint32_t tile = 0; tile < p.sub_tiles(); ++tile) {
      if (to_dst) unpack_to_dst_begin(a);
      for (std::uint32_t operand = 0; operand < p.operands(); ++operand) {
        a.mv(kAddress, buffer.pointer);
        add_constant(a, kAddress, (operand * p.sub_tiles() + tile) * page);
        copy_tile(a, p, p.sub_tiles() + operand);
      }
      if (to_dst) unpack_to_dst_end(a);
    }
    buffer.pop_front(a, kWindows, pages, page, kGprCount);
  });
  switch_format(a, p, format, false);
  set_product_mop(a);
}

// What follows the last product of a sub-block.
void end_sub_block(Stream& a, const MatmulPlan& p) {
  if (p.operands() != 0) unpack_operands(a, p);
  if (p.options.dst32() && (p.operands() != 0 || p.has_partials())) a.xori(kHalf, kHalf, 1);
}

// Each sub-block over the whole of K, block after block.
void unpack_direct(Stream& a, const MatmulPlan& p, const ComputeBuffer& buffer_a, const ComputeBuffer& buffer_b) {
  const std::uint32_t tiles_a = pages_a(p) / 2, tiles_b = pages_b(p) / 2;
  a.repeat(kSubBlocks, p.sub_blocks(), [&] {
    a.repeat(kBlocks, p.k_blocks(), [&] {
      buffer_a.wait_front(a, tiles_a);
      buffer_b.wait_front(a, tiles_b);
      a.mv(kStepA, buffer_a.pointer);
      a.mv(kStepB, buffer_b.pointer);
      unpack_k_block(a, p);
      buffer_a.pop_front(a, kWindows, tiles_a, page16(p), kGprCount);
      buffer_b.pop_front(a, kWindows, tiles_b, page16(p), kGprCount);
    });
    end_sub_block(a, p);
  });
}

// All sub-blocks of a K block, K block after K block; before the last one goes on, what the others have left in L1.
void unpack_multicast(Stream& a, const MatmulPlan& p, const ComputeBuffer& buffer_a, const ComputeBuffer& buffer_b) {
  const std::uint32_t tiles_a = pages_a(p) / 2, tiles_b = pages_b(p) / 2;
  const auto k_block = [&](bool last) {
    buffer_a.wait_front(a, tiles_a);
    buffer_b.wait_front(a, tiles_b);
    a.mv(kSubRowA, buffer_a.pointer);
    a.repeat(kSubBlocks, p.core_rows / p.sub_rows, [&] {
      a.mv(kSubColumnB, buffer_b.pointer);
      a.repeat(kSubColumns, p.core_columns / p.sub_columns, [&] {
        if (last && p.has_partials()) unpack_partials(a, p);
        a.mv(kStepA, kSubRowA);
        a.mv(kStepB, kSubColumnB);
        unpack_k_block(a, p);
        if (last) end_sub_block(a, p);
        add_constant(a, kSubColumnB, p.sub_columns * page16(p));
      });
      add_constant(a, kSubRowA, p.sub_rows * p.k_block * page16(p));
    });
    buffer_a.pop_front(a, kWindows, tiles_a, page16(p), kGprCount);
    buffer_b.pop_front(a, kWindows, tiles_b, page16(p), kGprCount);
  };
  if (p.k_blocks() > 1) {
    a.repeat(kBlocks, p.k_blocks() - 1, [&] {
      k_block(false);
      if (!p.has_partials() || p.k_blocks() == 2) return;
      const auto but_the_last = a.turns_instead(p.k_blocks() - 2);
      const isa::Label stays = a.label();
      a.li(t0, 1);
      a.beq(kBlocks, t0, stays);
      partials(p).use(a, [&] {  // room for the sums of the next block, which is added in place
        const ComputeBuffer& partial = partials(p).buffer;
        partial.wait_front(a, pages_partial(p));
        partial.pop_front(a, kWindows, pages_partial(p), tile_bytes(*partial_format(p.options)) / 16, kGprCount);
      });
      a.bind(stays);
    });
    if (p.has_partials() && p.sub_blocks() * (p.k_blocks() - 1) % 2 != 0) a.xori(kHalf, kHalf, 1);
  }
  k_block(true);
}

}  // namespace

Kernel unpack(const MatmulPlan& p) {
  Stream a;
  const ComputeBuffer buffer_a{kBufferA, pages_a(p), s3, s4, s5, kInterface};
  const ComputeBuffer buffer_b{kBufferB, pages_b(p), s6, s7, s8, kInterface};

  a.function("matmul_unpack");
  const ZoneMarks zones{p.options.zones, arch::Hart::kTrisc0};
  enter(a);
  zones.begin(a, Zone::Kernel);
  open_products(a, p);
  a.mv(kInterface, a3);
  kWindows.open(a);
  buffer_a.open_for_reading(a);
  buffer_b.open_for_reading(a);
  configure(a, p);
  record_replay(a, p);
  set_product_mop(a);
  if (p.has_partials()) partials(p).open(a);
  if (p.operands() != 0) operands(p).open(a);
  a.li(kHalf, 0);
  for_each_product(a, p, [&] {
    p.multicast() ? unpack_multicast(a, p, buffer_a, buffer_b) : unpack_direct(a, p, buffer_a, buffer_b);
  });
  close_products(a);
  zones.end(a, Zone::Kernel);
  leave(a);
  return Kernel::from(a);
}

}  // namespace kerr::kernels::matmul
