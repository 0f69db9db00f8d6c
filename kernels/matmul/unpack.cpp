// TRISC0: A's tiles into SrcB, B's into SrcA: one is held, those of the other pass by.   docs/hardware/kernels.md 3.1, 3.2, 3.5
#include "kernels/emit/compute.hpp"
#include "kernels/emit/frame.hpp"
#include "kernels/emit/unpacker.hpp"
#include "kernels/emit/zone.hpp"
#include "kernels/matmul/streams.hpp"

namespace kerr::kernels::matmul {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr Windows kWindows{s0, s1, s2};
constexpr isa::Reg kInterface = a0, kContext = a1, kSubBlocks = a2, kBlocks = a3, kAddressA = a4, kStepA = a5,
                   kAddressB = a6;
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
      a.mv(kAddressA, kStepA);
      for (std::uint32_t row = 0; row < p.sub_rows; ++row) {
        unpack_group(a, kUnpackA, kAddressA, kStepB, p.sub_columns);
        if (row + 1 != p.sub_rows) add_constant(a, kAddressA, p.k_block * page16(p));
      }
    } else {
      a.mv(kAddressB, kStepB);
      for (std::uint32_t column = 0; column < p.sub_columns; ++column) {
        unpack_group(a, kUnpackB, kStepA, kAddressB, p.sub_rows);
        if (column + 1 != p.sub_columns) add_constant(a, kAddressB, page16(p));
      }
    }
    a.addi(kStepA, kStepA, page16(p));
    add_constant(a, kStepB, block_columns(p) * page16(p));
  });
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
  });
}

// The partial sums of a sub-block, face by face into SrcA.
void unpack_partials(Stream& a, const MatmulPlan& p, const ComputeBuffer& partial) {
  a.comment("partial sums");
  const std::uint32_t nop = tensix_nop();
  const std::uint32_t no_b = tx::UNPACR_NOP{.unpack_pop = 1, .set_dvalid = 1, .unpacker_select = 1}.encode();
  tx::UNPACR face = unpack_datums(kUnpackB);
  face.addr_mode = 1;  // the next face
  partial.wait_front(a, p.sub_tiles());
  a.tensix(tx::SETADCXX{.x_end2 = 255, .cnt_set_mask = 1});
  configure_mop(a, kWindows, {4, 1, face.encode(), nop, nop, no_b, nop, no_b, no_b});
  a.mv(kAddressB, partial.pointer);
  a.repeat(kSteps, p.sub_tiles(), [&] {
    kUnpackers.begin(a, kAddressB, nullptr);
    a.tensix(tx::MOP{.mop_type = 1});
    kUnpackers.end(a);
    a.addi(kAddressB, kAddressB, page16(p));
  });
  partial.pop_front(a, kWindows, p.sub_tiles(), page16(p), kGprCount);
  a.tensix(tx::SETADCXX{.x_end2 = 1023, .cnt_set_mask = 1});
  set_product_mop(a);
}

// All sub-blocks of a K block, K block after K block; before the last one goes on, what the others have left in L1.
void unpack_multicast(Stream& a, const MatmulPlan& p, const ComputeBuffer& buffer_a, const ComputeBuffer& buffer_b) {
  const ComputeBuffer partial{kBufferPartial, pages_c(p), s9, s10, s11, kInterface};
  const std::uint32_t tiles_a = pages_a(p) / 2, tiles_b = pages_b(p) / 2;
  const auto k_block = [&](bool with_partials) {
    buffer_a.wait_front(a, tiles_a);
    buffer_b.wait_front(a, tiles_b);
    a.mv(kSubRowA, buffer_a.pointer);
    a.repeat(kSubBlocks, p.core_rows / p.sub_rows, [&] {
      a.mv(kSubColumnB, buffer_b.pointer);
      a.repeat(kSubColumns, p.core_columns / p.sub_columns, [&] {
        if (with_partials) unpack_partials(a, p, partial);
        a.mv(kStepA, kSubRowA);
        a.mv(kStepB, kSubColumnB);
        unpack_k_block(a, p);
        add_constant(a, kSubColumnB, p.sub_columns * page16(p));
      });
      add_constant(a, kSubRowA, p.sub_rows * p.k_block * page16(p));
    });
    buffer_a.pop_front(a, kWindows, tiles_a, page16(p), kGprCount);
    buffer_b.pop_front(a, kWindows, tiles_b, page16(p), kGprCount);
  };
  if (has_partials(p)) {
    partial.open_for_reading(a);
    a.repeat(kBlocks, p.k_blocks() - 1, [&] {
      k_block(false);
      const auto but_the_last = a.turns_instead(p.k_blocks() - 2);
      const isa::Label stays = a.label();
      a.li(t0, 1);
      a.beq(kBlocks, t0, stays);
      partial.wait_front(a, pages_c(p));  // room for the sums of the next block, which is added in place
      partial.pop_front(a, kWindows, pages_c(p), page16(p), kGprCount);
      a.bind(stays);
    });
  }
  k_block(has_partials(p));
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
  a.mv(kInterface, a3);
  kWindows.open(a);
  buffer_a.open_for_reading(a);
  buffer_b.open_for_reading(a);
  configure(a, p);
  record_replay(a, p);
  set_product_mop(a);
  if (p.multicast()) {
    unpack_multicast(a, p, buffer_a, buffer_b);
  } else {
    unpack_direct(a, p, buffer_a, buffer_b);
  }
  zones.end(a, Zone::Kernel);
  leave(a);
  return Kernel::from(a);
}

}  // namespace kerr::kernels::matmul
