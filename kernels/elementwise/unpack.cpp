// TRISC0: the operands of a tile into Dst: through SrcA if they have 16 bits, else straight.
// docs/hardware/kernels.md 3.3, 3.11
#include "kernels/blocks/compute.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/blocks/unpacker.hpp"
#include "kernels/elementwise/streams.hpp"

namespace kerr::kernels::elementwise {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr Windows kWindows{t3, t4, t5};
constexpr isa::Reg kInterface = a3, kTiles = a2, kAddress = a1, kHalf = a4, kPasses = a5;
constexpr Unpackers kUnpackers{kWindows, a6};
constexpr uint32_t kGprCount = 4;

// A face of a tile at a time into SrcA, or all of it; SrcB only comes along.
void configure_to_source(Stream& a, uint32_t faces) {
  const uint32_t nop = tensix_nop();
  tx::UNPACR face = unpack_datums(kUnpackerOfSrcA);
  face.addr_mode = 1;  // the next face
  const uint32_t no_b = tx::UNPACR_NOP{.unpack_pop = 1, .set_dvalid = 1, .unpacker_select = 1}.encode();
  configure_mop(a, kWindows, {faces, 1, face.encode(), nop, nop, no_b, nop, no_b, no_b});
}

// Faces 0, 2, 1, 3, each with its rows as columns.
void configure_to_source_transposed(Stream& a) {
  const uint32_t nop = tensix_nop();
  tx::UNPACR face = unpack_datums(kUnpackerOfSrcA);
  face.addr_mode = 2;  // the next face but one
  store_config(a, kWindows,
               {{cfg::THCON_SEC0_REG2_Out_data_format, info(Format::Bf16).in_source},
                {cfg::THCON_SEC0_REG2_Throttle_mode, 2},
                {cfg::THCON_SEC0_REG2_Haloize_mode, 1}});  // transposes
  a.tensix(tx::REPLAY{.load_mode = 1, .len = 2, .start_idx = 0});
  a.tensix(tx::UNPACR_NOP{.unpack_pop = 1, .set_dvalid = 1, .unpacker_select = 1});
  a.tensix(face);
  const uint32_t both = tx::REPLAY{.len = 2, .start_idx = 0}.encode();
  const uint32_t second_column = tx::SETADCZW{.bit_mask = 1, .ch0_z = 1, .cnt_set_mask = 1}.encode();
  configure_mop(a, kWindows, {2, 2, nop, second_column, nop, both, nop, both, both});
}

// 1024 datums in one go, 32 of each row; a row of them becomes two rows of SrcA or Dst.   docs/hardware/kernels.md 3.10
void configure_rows(Stream& a, const Traffic& k) {
  constexpr uint32_t kDatums = 1024;
  const arch::DataFormat format = info(k.format).in_l1;
  const uint32_t row16 = k.in_bytes() / 32 / 16;
  a.comment("blocks that lie row by row");
  store_config(a, kWindows,
               {{cfg::THCON_SEC0_REG0_TileDescriptor_in_data_format, format},
                {cfg::THCON_SEC0_REG0_TileDescriptor_is_uncompressed, 1},
                {cfg::THCON_SEC0_REG0_TileDescriptor_x_dim, kDatums},
                {cfg::THCON_SEC0_REG0_TileDescriptor_y_dim, 1},
                {cfg::THCON_SEC0_REG0_TileDescriptor_z_dim, 1},
                {cfg::THCON_SEC0_REG2_Out_data_format, format},
                {cfg::THCON_SEC0_REG2_Throttle_mode, 2},
                {cfg::THCON_SEC0_REG2_Tileize_mode, 1},
                {cfg::THCON_SEC0_REG2_Shift_amount_cntx0, row16},
                {cfg::THCON_SEC0_REG5_Tile_x_dim_cntx0, kDatums},
                {cfg::THCON_SEC0_REG5_Tile_x_dim_cntx1, kDatums}});
  a.tensix(tx::SETADCXX{.x_end2 = kDatums - 1, .cnt_set_mask = 1});
}

}  // namespace

Kernel unpack(const Traffic& k) {
  const ComputeBuffer buffer{kBufferIn, k.pages_in(), t6, a7, kInterface};
  const uint32_t page16 = k.in_bytes() / 16;
  const bool to_dst = k.dst32();

  Stream a = begin_kernel("elementwise_unpack");
  a.lw(kTiles, a0, kArgTiles);
  kWindows.open(a);
  buffer.open_for_reading(a);
  kUnpackers.configure(a, k.format, to_dst ? info(k.format).in_l1 : info(k.format).in_source, 256);
  if (k.rows_in) configure_rows(a, k);
  const uint32_t unpacks = k.rows_in ? 1 : 4;  // of a tile
  if (to_dst) {
    configure_unpack_to_dst(a, kUnpackers, unpacks);
    a.li(kHalf, 0);
  } else {
    k.transposed ? configure_to_source_transposed(a) : configure_to_source(a, unpacks);
  }
  const auto pass = [&] {
    buffer.wait_front(a, k.inputs);
    a.addi(kAddress, buffer.pointer, -1);  // as it is programmed
    if (to_dst) unpack_to_dst_begin(a);
    for (uint32_t input = 0; input < k.inputs; ++input) {
      if (to_dst) point_to_dst_tile(a, kUnpackers, kHalf, input);
      kUnpackers.begin(a, kAddress, nullptr);
      a.tensix(tx::MOP{.mop_type = 1});
      kUnpackers.end(a);
      a.addi(kAddress, kAddress, static_cast<int32_t>(page16));
    }
    if (to_dst) unpack_to_dst_end(a);
    buffer.pop_front(a, kWindows, k.inputs, page16, kGprCount);
  };
  a.repeat_argument(kTiles, kArgTiles, [&] {
    k.passes == 1 ? pass() : a.repeat(kPasses, k.passes, pass);
    if (to_dst) a.xori(kHalf, kHalf, 1);
  });
  return end_kernel(a);
}

}  // namespace kerr::kernels::elementwise
