// TRISC1: the expression, 32 elements at a time.   docs/hardware/kernels.md 3.8, 3.11
#include "kernels/blocks/compute.hpp"
#include "kernels/blocks/config.hpp"
#include "kernels/blocks/dst_section.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/blocks/vector_unit.hpp"
#include "kernels/elementwise/streams.hpp"

namespace kerr::kernels::elementwise {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr Windows kWindows{zero, t4, t5};
constexpr isa::Reg kTiles = a2, kGroups = a3, kRows = a4, kTile = a5, kFirst = a6;
constexpr DstSection kDst{kWindows, a7};

// The number of the tile's first element, row by row.
void locate_tile(Stream& a, const ElementwiseShape& shape) {
  a.li(t0, shape.tile_columns);
  a.divu(t1, kTile, t0);
  a.remu(t2, kTile, t0);
  a.li(t0, 32 * shape.columns);
  a.mul(t1, t1, t0);
  a.slli(t2, t2, 5);
  a.add(kFirst, t1, t2);
  a.addi(kTile, kTile, 1);
}

// Puts the number of the next group's first element into the vector unit. Group n is in face n / 8; there it begins in
// row n % 8 / 2 * 4 and column n % 2.
void locate_group(Stream& a, const ElementwiseShape& shape) {
  a.comment("where the group is");
  a.li(t0, kGroupsOfTile);
  a.sub(t0, t0, kGroups);
  a.srli(t1, t0, 4);
  a.slli(t1, t1, 4);
  a.slli(t2, t0, 1);
  a.andi(t3, t2, 12);
  a.add(t1, t1, t3);  // row
  a.andi(t2, t2, 16);
  a.andi(t0, t0, 1);
  a.add(t2, t2, t0);  // column
  a.li(t0, shape.columns);
  a.mul(t1, t1, t0);
  a.add(t2, t2, t1);
  a.add(t2, t2, kFirst);
  constexpr uint32_t kLow = 10, kHigh = 8;
  const auto half = [](uint32_t mode) {
    return tx::SFPLOADI{.instr_mod0 = mode, .lreg_ind = vector::Code::kPlaceRegister}.encode();
  };
  a.zext_h(t3, t2);
  push_with_field(a, kWindows, half(kLow), t3, 0);
  a.srli(t3, t2, 16);
  push_with_field(a, kWindows, half(kHigh), t3, 0);
}

void compute_tile(Stream& a, const vector::Emitted& code, const ElementwiseShape& shape) {
  if (code.uses_place) locate_tile(a, shape);
  a.repeat(kGroups, kGroupsOfTile, [&] {
    if (code.uses_place) locate_group(a, shape);
    if (code.replays()) {
      a.tensix(tx::REPLAY{.len = static_cast<uint32_t>(code.words.size()) + 1, .start_idx = 0});
    } else {
      compute_group(a, code);
    }
  });
  a.tensix(tx::SETRWC{.bit_mask = kDstCounter});
}

}  // namespace

void configure_math(Stream& a, const Traffic& k, const DstSection& dst) {
  if (!k.dst32()) configure_copy(a, dst.windows, k.rows_in ? 4 : 1);
  dst.configure(a, k.dst32());
  if (k.format == Format::Fp16) {
    modify_config(a, {{cfg::ALU_FORMAT_SPEC_REG1_SrcB, arch::DataFormat::Fp16}});  // DstMode::Configured
  }
  if (k.dst32() && k.inputs != 0) configure_unpacked(a);
  configure_vector_unit(a);
}

void take_operands(Stream& a, const Traffic& k, const DstSection& dst) {
  if (k.dst32()) {
    if (k.inputs != 0) take_unpacked(a, 0, k.inputs);
  } else {
    for (uint32_t input = 0; input < k.inputs; ++input) {
      dst.select_tile(a, first_operand({k.format, k.out()}) + input);
      copy_tile(a);
    }
  }
  dst.select_tile(a, 0);
  a.tensix(tx::STALLWAIT{.wait_res = until::kMath, .stall_res = stall::kSfpu});
}

Kernel math(const Traffic& k, const vector::Emitted& code, const ElementwiseShape& shape) {
  Stream a = begin_kernel("elementwise_math");
  a.lw(kTiles, a0, kArgTiles);
  if (code.uses_place) a.lw(kTile, a0, kArgFirst);
  kWindows.open(a);
  configure_math(a, k, kDst);
  if (code.replays()) {
    a.tensix(tx::REPLAY{.load_mode = 1, .len = static_cast<uint32_t>(code.words.size()) + 1, .start_idx = 0});
    compute_group(a, code);
  }
  a.repeat_argument(kTiles, kArgTiles, [&] {
    kDst.acquire(a);
    take_operands(a, k, kDst);
    for (uint32_t input = 0; input < k.inputs; ++input)
      repeat_elements(a, k, input, shape.repeat(input), kGroups, kRows);
    compute_tile(a, code, shape);
    kDst.release(a);
  });
  return end_kernel(a);
}

}  // namespace kerr::kernels::elementwise
