// Brings the K blocks of one operand to a core. The first core of a row (of A), of a column (of B), reads them from
// DRAM and multicasts them to the others, once all of them have room. The hart of B then writes the core's part of C.
#include <kerr/device/dataflow.hpp>

constexpr uint32_t kOperand = OPERAND, kProduct = 2;  // circular buffers

void kernel_main() {
  const auto arg = [](uint32_t i) { return get_arg_val<uint32_t>(i); };  // host::multicast_args(), then where it begins
  const auto size = [](uint32_t i) { return get_common_arg_val<uint32_t>(i); };
  const uint32_t sends = arg(0), x0 = arg(1), y0 = arg(2), x1 = arg(3), y1 = arg(4), receivers = arg(5);
  const uint32_t rows = size(1), columns = size(2), stride = size(3), blocks = size(4), block_stride = size(5);
  const uint32_t bytes = get_tile_size(kOperand), tiles = rows * columns;
  const InterleavedAddrGenFast<true> matrix = {size(0), bytes, get_dataformat(kOperand)};
  const uint32_t ready_at = get_semaphore(2 * kOperand), valid_at = get_semaphore(2 * kOperand + 1);
  auto* const ready = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ready_at);
  auto* const valid = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(valid_at);
  for (uint32_t block = 0, first = arg(6); block < blocks; ++block, first += block_stride) {
    cb_reserve_back(kOperand, tiles);
    const uint32_t start = get_write_ptr(kOperand);
    if (sends) {
      noc_async_read_tile_block(first, rows, columns, stride, matrix, start);
      noc_async_read_barrier();
      noc_semaphore_wait(ready, receivers);
      noc_semaphore_set(ready, 0);
      noc_semaphore_set(valid, 1);
      if (receivers != 0) {
        noc_async_write_multicast(start, get_noc_multicast_addr(x0, y0, x1, y1, start), tiles * bytes, receivers);
        noc_async_writes_flushed();
        noc_semaphore_set_multicast(valid_at, get_noc_multicast_addr(x0, y0, x1, y1, valid_at), receivers);
      }
    } else {
      noc_semaphore_set(valid, 0);
      noc_semaphore_inc(get_noc_addr(x0, y0, ready_at), 1);
      noc_semaphore_wait(valid, 1);
    }
    cb_push_back(kOperand, tiles);
  }
  if (kOperand == 1) {
    const InterleavedAddrGenFast<true> product = {size(6), bytes, get_dataformat(kProduct)};
    const uint32_t down = size(7), across = size(8), sub_rows = size(9), sub_columns = size(10);
    for (uint32_t i = 0; i < down * across; ++i) {
      cb_wait_front(kProduct, sub_rows * sub_columns);
      const uint32_t corner = (arg(7) + i / across * sub_rows) * stride + arg(6) + i % across * sub_columns;
      noc_async_write_tile_block(corner, sub_rows, sub_columns, stride, product, get_read_ptr(kProduct));
      noc_async_write_barrier();
      cb_pop_front(kProduct, sub_rows * sub_columns);
    }
  }
  noc_async_full_barrier();
}
