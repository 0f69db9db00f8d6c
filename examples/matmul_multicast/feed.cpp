// Brings the K blocks of one operand to a core. The first core of a row (of A), of a column (of B), reads them from
// DRAM and multicasts them to the others, once all of them have room. The hart of B then writes the core's part of C.
#include <kerr/device/dataflow.hpp>

constexpr uint32_t kOperand = OPERAND, kProduct = 2;  // circular buffers

void kernel_main() {
  uint32_t next = 0;
  const auto arg = [&next] { return get_arg_val<uint32_t>(next++); };
  const uint32_t address = arg(), rows = arg(), columns = arg(), stride = arg(), block_stride = arg(), blocks = arg();
  const uint32_t sends = arg(), x0 = arg(), y0 = arg(), x1 = arg(), y1 = arg(), receivers = arg();
  uint32_t first = arg();
  const uint32_t bytes = get_tile_size(kOperand), tiles = rows * columns;
  const InterleavedAddrGenFast<true> matrix = {address, bytes, get_dataformat(kOperand)};
  const uint32_t ready_at = get_semaphore(2 * kOperand), valid_at = get_semaphore(2 * kOperand + 1);
  auto* const ready = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ready_at);
  auto* const valid = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(valid_at);
  for (uint32_t block = 0; block < blocks; ++block, first += block_stride) {
    cb_reserve_back(kOperand, tiles);
    const uint32_t start = get_write_ptr(kOperand);
    if (sends) {
      for (uint32_t row = 0, to = start; row < rows; ++row) {
        for (uint32_t i = 0; i < columns; ++i, to += bytes) noc_async_read_tile(first + row * stride + i, matrix, to);
      }
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
    const InterleavedAddrGenFast<true> product = {arg(), bytes, get_dataformat(kProduct)};
    const uint32_t corner = arg(), down = arg(), across = arg(), sub_rows = arg(), sub_columns = arg();
    for (uint32_t i = 0; i < down * across; ++i) {
      cb_wait_front(kProduct, sub_rows * sub_columns);
      uint32_t from = get_read_ptr(kProduct), to = corner + i / across * sub_rows * stride + i % across * sub_columns;
      for (uint32_t row = 0; row < sub_rows; ++row, to += stride) {
        for (uint32_t j = 0; j < sub_columns; ++j, from += bytes) noc_async_write_tile(to + j, product, from);
      }
      noc_async_write_barrier();
      cb_pop_front(kProduct, sub_rows * sub_columns);
    }
  }
  noc_async_write_barrier();
  noc_async_atomic_barrier();
}
