// Circular buffers as BRISC and NCRISC use them.
#pragma once

#include "device/circular_buffer_interface.hpp"
#include "device/formats.hpp"

namespace kerr::device {

FORCE_INLINE int32_t tile_size_at_run_time(uint32_t id) {
  if (__builtin_constant_p(id) && kFormats.said[id]) {
    const uint32_t bytes = tile_bytes(kFormats.of[id]);
    KERR_USES(Use::TileBytes, id | bytes << 8);
    return static_cast<int32_t>(bytes);
  }
  return static_cast<int32_t>(get_local_cb_interface(id).fifo_page_size);
}

}  // namespace kerr::device

/// Whether `pages` pages are free, or there.
FORCE_INLINE bool cb_pages_reservable_at_back(int32_t id, int32_t pages) {
  return kerr::device::pages_in(id) + static_cast<uint32_t>(pages) <=
         get_local_cb_interface(static_cast<uint32_t>(id)).fifo_num_pages;
}
FORCE_INLINE bool cb_pages_available_at_front(int32_t id, int32_t pages) {
  KERR_USES(kerr::device::Use::CircularBuffer, id);
  return kerr::device::pages_in(id) >= static_cast<uint32_t>(pages);
}

/// Waits until `pages` pages are free. A hart that waits for more than the buffer has waits for ever (Chip::run says
/// so).
FORCE_INLINE void cb_reserve_back(int32_t id, int32_t pages) {
  const uint32_t most = get_local_cb_interface(static_cast<uint32_t>(id)).fifo_num_pages - static_cast<uint32_t>(pages);
  const uint32_t pushed = *get_cb_tiles_received_ptr(id);
  do invalidate_l1_cache();
  while (static_cast<int32_t>((pushed - *get_cb_tiles_acked_ptr(id)) & 0xFFFF) > static_cast<int32_t>(most));
}

/// Hands `pages` pages on. Blocks should divide the buffer's pages: the pointer turns round only at the very end.
FORCE_INLINE void cb_push_back(int32_t id, int32_t pages) {
  LocalCBInterface& cb = get_local_cb_interface(static_cast<uint32_t>(id));
  volatile uint32_t* received = get_cb_tiles_received_ptr(id);
  *received = *received + static_cast<uint32_t>(pages);
  cb.fifo_wr_ptr += static_cast<uint32_t>(pages) * cb.fifo_page_size;
  if (cb.fifo_wr_ptr == cb.fifo_limit) cb.fifo_wr_ptr -= cb.fifo_size;
}

/// Waits until `pages` pages are there.
FORCE_INLINE void cb_wait_front(int32_t id, int32_t pages) {
  KERR_USES(kerr::device::Use::CircularBuffer, id);
  // This side alone pops, so that a hart which waits polls one register, which a report names.
  const uint32_t popped = *get_cb_tiles_acked_ptr(id);
  do invalidate_l1_cache();
  while (((*get_cb_tiles_received_ptr(id) - popped) & 0xFFFF) < static_cast<uint32_t>(pages));
}

/// Gives `pages` pages back.
FORCE_INLINE void cb_pop_front(int32_t id, int32_t pages) {
  LocalCBInterface& cb = get_local_cb_interface(static_cast<uint32_t>(id));
  volatile uint32_t* acked = get_cb_tiles_acked_ptr(id);
  *acked = *acked + static_cast<uint32_t>(pages);
  cb.fifo_rd_ptr += static_cast<uint32_t>(pages) * cb.fifo_page_size;
  if (cb.fifo_rd_ptr == cb.fifo_limit) cb.fifo_rd_ptr -= cb.fifo_size;
}

/// L1 addresses of the next page to fill, and of the next to read.
FORCE_INLINE uint32_t get_write_ptr(uint32_t id) { return get_local_cb_interface(id).fifo_wr_ptr; }
FORCE_INLINE uint32_t get_read_ptr(uint32_t id) { return get_local_cb_interface(id).fifo_rd_ptr; }

namespace kerr::device {

// Never defined: a constant expression that needs it does not compile, and the compiler prints this name.
int32_t say_FORMATS_of_this_circular_buffer_to_kerr_add_kernel();

}  // namespace kerr::device

/// Bytes of a tile of the buffer: those of its format where FORMATS of kerr_add_kernel says it, otherwise of its page,
/// which is known at run time only.
constexpr int32_t get_tile_size(int32_t id) {
  const auto index = static_cast<uint32_t>(id);
  if (__builtin_is_constant_evaluated()) {
    return kerr::device::kFormats.said[index]
               ? static_cast<int32_t>(kerr::device::tile_bytes(kerr::device::kFormats.of[index]))
               : kerr::device::say_FORMATS_of_this_circular_buffer_to_kerr_add_kernel();
  }
  return kerr::device::tile_size_at_run_time(index);
}

/// The format that FORMATS says, or bf16.
constexpr DataFormat get_dataformat(int32_t id) { return kerr::device::kFormats.of[static_cast<uint32_t>(id)]; }
constexpr uint32_t get_tile_hw(int32_t) { return 1024; }
constexpr uint32_t get_tile_num_faces(int32_t) { return 4; }
