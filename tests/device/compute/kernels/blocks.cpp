// Blocks of four tiles side by side, from buffer 0 to buffer 16. What is done with them is chosen by argument 0.
#include <kerr/device/compute.hpp>

namespace {

constexpr uint32_t kIn = 0, kOut = 16, kTiles = 4;

void copy_to_dst() {
  copy_tile_init(kIn);
  tile_regs_acquire();
  copy_block_matmul_partials(kIn, 0, 0, kTiles);
  tile_regs_commit();
  tile_regs_wait();
}

void tilize() {
  tilize_init(kIn, kTiles, kOut);
  tilize_block(kIn, kTiles, kOut);
  tilize_uninit(kIn, kOut);
}
void untilize() {
  untilize_init(kIn);
  untilize_block(kIn, kTiles, kOut);
  untilize_uninit(kIn);
}
// Two blocks of two tiles, the right one first.
void untilize_in_blocks() {
  pack_untilize_init<2, kTiles>(kIn, kOut);
  for (uint32_t block = 2; block-- > 0;) {
    tile_regs_acquire();
    for (uint32_t i = 0; i < 2; ++i) copy_tile(kIn, 2 * block + i, i);
    tile_regs_commit();
    tile_regs_wait();
    pack_untilize_dest<2, kTiles>(kOut, 1, block);
    tile_regs_release();
  }
  pack_untilize_uninit(kOut);
}
void reverse() {
  copy_to_dst();
  for (uint32_t i = 0; i < kTiles; ++i) pack_tile<true>(i, kOut, kTiles - 1 - i);
  tile_regs_release();
}
void add_in_l1() {
  copy_to_dst();
  pack_tile_block(0, kOut, kTiles);
  tile_regs_release();
  pack_reconfig_l1_acc(1);
  copy_to_dst();
  for (uint32_t i = 0; i < kTiles; ++i) pack_tile<true>(i, kOut, i);
  tile_regs_release();
  pack_reconfig_l1_acc(0);
}
// Tiles again behind rows, and rows behind that.
void tilize_and_back() {
  tilize();
  tilize_init_short(kIn, kTiles);
  tilize_uninit(kIn);
  copy_to_dst();
  for (uint32_t i = 0; i < kTiles; ++i) pack_tile<true>(i, kOut, i);
  tile_regs_release();
}

}  // namespace

void kernel_main() {
  unary_op_init_common(kIn, kOut);
  cb_wait_front(kIn, kTiles);
  cb_reserve_back(kOut, kTiles);
  switch (get_arg_val<uint32_t>(0)) {
    case 0: tilize(); break;
    case 1: untilize(); break;
    case 2: untilize_in_blocks(); break;
    case 3: reverse(); break;
    case 4: add_in_l1(); break;
    case 5: tilize_and_back(); break;
  }
  cb_push_back(kOut, kTiles);
  cb_pop_front(kIn, kTiles);
}
