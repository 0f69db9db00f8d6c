// The catalogue's compute kernels: a page of bf16 from the first circular buffer to the packed one.
#include "tests/check/catalogue/kernels/compute.hpp"

namespace kerr::catalogue {

// A page from buffer to buffer, as it should be.
[[gnu::noinline]] void copy_page() {
  start();
  cb_wait_front(kFirstBuffer, 1);
  tile_regs_acquire();
  copy_tile(kFirstBuffer, 0, 0);  // 58: then, 59: then, 110: then
  tile_regs_commit();
  cb_pop_front(kFirstBuffer, 1);
  begin_to_pack();
  pack_tile(0, kPackedBuffer);
  cb_push_back(kPackedBuffer, 1);
  tile_regs_release();
}
template <bool bug>
void page_pushed_before_the_barrier() {
  copy_page();
}

template <bool bug>
void packed_page_pushed_by_a_store() {
  start();
  cb_wait_front(kFirstBuffer, 1);
  to_dst();
  cb_pop_front(kFirstBuffer, 1);
  begin_to_pack();
  pack_tile(0, kPackedBuffer);  // 23: first
  if (!bug) cb_push_back(kPackedBuffer, 1);
  if (bug) PACK((settle(), count(kPackedBuffer, kReceived)));  // 23: then
  tile_regs_release();
}

template <bool bug>
void unpacked_page_popped_by_a_store() {
  start();
  cb_wait_front(kFirstBuffer, 1);
  tile_regs_acquire();
  copy_tile(kFirstBuffer, 0, 0);  // 24: first
  tile_regs_commit();
  if (!bug) cb_pop_front(kFirstBuffer, 1);
  if (bug) UNPACK((settle(), count(kFirstBuffer, kAcked)));  // 24: then
  begin_to_pack();
  pack_tile(0, kPackedBuffer);
  cb_push_back(kPackedBuffer, 1);
  tile_regs_release();
}

template <bool bug>
void page_loaded_while_it_is_packed() {
  start();
  cb_wait_front(kFirstBuffer, 1);
  to_dst();
  cb_pop_front(kFirstBuffer, 1);
  begin_to_pack();
  pack_tile(0, kPackedBuffer);  // 36: first
  if constexpr (kPacks) {
    if (bug) settle();
    if (!bug) drain();
    const uint32_t word = load(16 * circular_buffer(kPackedBuffer).fifo_wr_ptr);  // 36: then
    store(get_arg_val<uint32_t>(kScratch), word);
  }
  cb_push_back(kPackedBuffer, 1);
  tile_regs_release();
}

// A hart's store and an unpacker that reads it: as row 38.
template <bool bug>
void page_stored_before_it_is_unpacked() {
  start();
  cb_wait_front(kFirstBuffer, 1);
  if constexpr (kUnpacks) {
    const uint32_t word = 16 * circular_buffer(kFirstBuffer).fifo_rd_ptr;
    store(word, 0x4000'4000u);  // 37: first
    if (!bug) {
      uint32_t back = load(word);
      asm volatile("andi %0, %0, 0" : "+r"(back));
    }
  }
  tile_regs_acquire();
  copy_tile(kFirstBuffer, 0, 0);  // 37: then
  tile_regs_commit();
  cb_pop_front(kFirstBuffer, 1);
  begin_to_pack();
  pack_tile(0, kPackedBuffer);
  cb_push_back(kPackedBuffer, 1);
  tile_regs_release();
}

template <bool bug>
void unpack_of_bytes_that_nobody_wrote() {
  copy_page();
}
template <bool bug>
void unpack_of_a_copy_of_such_bytes() {
  copy_page();
}

template <bool bug>
void page_of_the_program_before() {
  copy_page();
}

template <bool bug>
void drain_that_nobody_uses() {
  copy_page();
  if constexpr (kPacks) {
    if (bug) {
      mmio(arch::kTtSyncThreadIdle) = 0;
      [[maybe_unused]] const uint32_t idle = mmio(arch::kTtSyncThreadIdle);  // 89: then
      store(get_arg_val<uint32_t>(kScratch), 1u);
    } else {
      // A store that nobody else sees may come between, as compilers put it there.
      asm volatile("sw zero, 0(%0)\n\tlw t0, 0(%0)\n\tsw zero, -16(sp)\n\tmv t0, t0"
                   :
                   : "r"(arch::kTtSyncThreadIdle)
                   : "t0", "memory");
      store(get_arg_val<uint32_t>(kScratch), 1u);
    }
  }
}

}  // namespace kerr::catalogue

void kernel_main() {
  using namespace kerr::catalogue;
  run_row<File::Buffers, kTriscsOfA>(get_arg_val<uint32_t>(kSelector));
}
