// What is computed is chosen by argument 0; tiles of the left and the right operand are in buffers 0 and 1.
#include <kerr/device/compute.hpp>

void kernel_main() {
  constexpr uint32_t kLeft = 0, kRight = 1, kOut = 16;
  const uint32_t rows = get_arg_val<uint32_t>(0), columns = get_arg_val<uint32_t>(1),
                 k_tiles = get_arg_val<uint32_t>(2);
  const bool by_tile = get_arg_val<uint32_t>(3) != 0;
  const uint32_t transpose = get_arg_val<uint32_t>(4);
  by_tile ? mm_init(kLeft, kRight, kOut, transpose)
          : mm_block_init(kLeft, kRight, kOut, transpose, columns, rows, k_tiles);
  cb_wait_front(kLeft, rows * k_tiles);
  cb_wait_front(kRight, k_tiles * columns);
  tile_regs_acquire();
  for (uint32_t k = 0; k < k_tiles; ++k) {
    if (!by_tile) {
      matmul_block(kLeft, kRight, k, k * columns, 0, 0, columns, rows, k_tiles);
      continue;
    }
    for (uint32_t row = 0; row < rows; ++row) {
      for (uint32_t column = 0; column < columns; ++column)
        matmul_tiles(kLeft, kRight, row * k_tiles + k, k * columns + column, row * columns + column, 0);
    }
  }
  tile_regs_commit();
  cb_pop_front(kLeft, rows * k_tiles);
  cb_pop_front(kRight, k_tiles * columns);
  tile_regs_wait();
  cb_reserve_back(kOut, rows * columns);
  for (uint32_t tile = 0; tile < rows * columns; ++tile) pack_tile(tile, kOut);
  cb_push_back(kOut, rows * columns);
  tile_regs_release();
}
