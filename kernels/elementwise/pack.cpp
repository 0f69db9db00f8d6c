// TRISC2: results to L1.
#include "isa/tensix/instructions.hpp"
#include "kernels/blocks/compute.hpp"
#include "kernels/blocks/config.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/blocks/packer.hpp"
#include "kernels/elementwise/streams.hpp"

namespace kerr::kernels::elementwise {

using namespace isa::reg;

namespace {

namespace tx = isa::tensix;

constexpr uint32_t kPackerCounters = 4;
constexpr isa::Reg kRows = a6;

void select_row(Stream& a, uint32_t row) {
  a.tensix(tx::SETADC{.value = row, .dimension = 1, .cnt_set_mask = kPackerCounters});
}

// Dst holds a tile row by row, each row as two of 16. Packs face after face: even and odd rows of the upper, then lower
// half.
void pack_faces(Stream& a) {
  constexpr uint32_t kEven = 0b0101, kOdd = 0b1010, kFourOn = 0;
  for (const uint32_t first : {0u, 32u}) {
    for (const uint32_t rows : {kEven, kOdd}) {
      const bool last = first == 32 && rows == kOdd;
      select_row(a, first);
      a.repeat(kRows, last ? 7 : 8, [&] { a.tensix(tx::PACR{.read_intf_sel = rows, .addr_mode = kFourOn}); });
      if (last) a.tensix(tx::PACR{.last = 1, .read_intf_sel = rows, .addr_mode = kFourOn});
    }
  }
  select_row(a, 0);
}

// Row by row: one of the left face, one of the right.
void pack_rows(Stream& a) {
  constexpr uint32_t kRight = 1, kNext = 2, kOneRow = 1;
  const auto row = [&](uint32_t last) {
    a.tensix(tx::PACR{.read_intf_sel = kOneRow, .addr_mode = kRight});
    a.tensix(tx::PACR{.last = last, .read_intf_sel = kOneRow, .addr_mode = kNext});
  };
  select_row(a, 0);
  a.repeat(kRows, 16, [&] { row(0); });
  select_row(a, 32);  // past the upper faces
  a.repeat(kRows, 15, [&] { row(0); });
  row(1);
  select_row(a, 0);
}
void configure_rows(Stream& a) {
  set_thread_config(a, {// modifier 1: the next face
                        {thread_cfg::ADDR_MOD_PACK_SEC1_ZsrcIncr, 1},
                        // 2: the next row of the first one
                        {thread_cfg::ADDR_MOD_PACK_SEC2_YsrcIncr, 1},
                        {thread_cfg::ADDR_MOD_PACK_SEC2_ZsrcClear, 1}});
}

}  // namespace

Kernel pack(const Traffic& k) {
  constexpr Windows kWindows{t4, t5, t6};
  constexpr isa::Reg kInterface = a3, kTiles = a2, kClear = a4, kOffsets = a5;
  constexpr uint32_t kGprCount = 24;
  const ComputeBuffer buffer{kBufferOut, k.pages_out(), a7, a1, kInterface};
  const PackedFrom from = packed_from(k.out());
  const Packer packer{kWindows, kClear, kOffsets, k.out(), from.format, from.dst32};

  Stream a = begin_kernel("elementwise_pack");
  a.lw(kTiles, a0, kArgTiles);
  kWindows.open(a);
  buffer.open_for_writing(a);
  packer.configure(a);
  if (k.rows_out) configure_rows(a);
  a.repeat_argument(kTiles, kArgTiles, [&] {
    packer.acquire(a);
    buffer.reserve_back(a, 1);
    packer.begin(a, buffer.pointer);
    if (k.rows_in) {
      packer.pack_tile(a, [&] { pack_faces(a); });
    } else if (k.rows_out) {
      packer.pack_tile(a, [&] { pack_rows(a); });
    } else {
      packer.pack_tile(a);
    }
    buffer.push_back(a, kWindows, 1, packer.page16(), kGprCount);
    packer.release(a);
  });
  return end_kernel(a);
}

}  // namespace kerr::kernels::elementwise
