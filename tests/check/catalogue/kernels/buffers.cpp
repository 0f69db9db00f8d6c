// Circular buffers of tile A, by BRISC and NCRISC. Rows with a compute kernel have their TRISCs in compute.cpp.
#include "tests/check/catalogue/kernels/kernel.hpp"

namespace kerr::catalogue {

inline constexpr bool kIsBrisc = kHart == arch::Hart::Brisc;

// A page of the first buffer is read from DRAM and pushed.
FORCE_INLINE void feed() {
  cb_reserve_back(kFirstBuffer, 1);
  read(dram_page(0), get_write_ptr(kFirstBuffer), kPageBytes);
  noc_async_read_barrier();
  cb_push_back(kFirstBuffer, 1);
}
// A page is taken, and its first word kept.
FORCE_INLINE void drain(uint32_t buffer) {
  cb_wait_front(static_cast<int32_t>(buffer), 1);
  result(load(get_read_ptr(buffer)));
  cb_pop_front(static_cast<int32_t>(buffer), 1);
}
FORCE_INLINE void feed_and_drain() {
  if (kIsBrisc) {
    drain(kPackedBuffer);
  } else {
    feed();
  }
}

template <bool bug>
void page_pushed_before_the_barrier() {
  if (kIsBrisc) {
    drain(kPackedBuffer);
    return;
  }
  cb_reserve_back(kFirstBuffer, 1);
  read(dram_page(0), get_write_ptr(kFirstBuffer), kPageBytes);  // 1: first
  if (!bug) noc_async_read_barrier();
  cb_push_back(kFirstBuffer, 1);  // 1: then
  noc_async_read_barrier();
}

template <bool bug>
void packed_page_pushed_by_a_store() {
  feed_and_drain();
}
template <bool bug>
void unpacked_page_popped_by_a_store() {
  feed_and_drain();
}
template <bool bug>
void page_loaded_while_it_is_packed() {
  feed_and_drain();
}
template <bool bug>
void page_stored_before_it_is_unpacked() {
  feed_and_drain();
}
template <bool bug>
void drain_that_nobody_uses() {
  feed_and_drain();
}

template <bool bug>
void unpack_of_bytes_that_nobody_wrote() {
  if (kIsBrisc) {
    drain(kPackedBuffer);
    return;
  }
  cb_reserve_back(kFirstBuffer, 1);
  if (!bug) {
    read(dram_page(0), get_write_ptr(kFirstBuffer), kPageBytes);
    noc_async_read_barrier();
  }
  cb_push_back(kFirstBuffer, 1);
}

// The page is a copy of bytes that nobody wrote.
template <bool bug>
void unpack_of_a_copy_of_such_bytes() {
  if (kIsBrisc) {
    drain(kPackedBuffer);
    return;
  }
  cb_reserve_back(kFirstBuffer, 1);
  if (!bug) {
    read(dram_page(0), argument(kUntouched), kPageBytes);
    noc_async_read_barrier();
  }
  read(at(kA, argument(kUntouched)), get_write_ptr(kFirstBuffer), kPageBytes);  // 59: first
  noc_async_read_barrier();
  cb_push_back(kFirstBuffer, 1);
}

// The second launch finds what the first one has left.
template <bool bug>
void page_of_the_program_before() {
  if (kIsBrisc) {
    drain(kPackedBuffer);
    return;
  }
  cb_reserve_back(kFirstBuffer, 1);
  if (!bug || argument(kPhase) == 0) {
    read(dram_page(0), get_write_ptr(kFirstBuffer), kPageBytes);  // 110: first
    noc_async_read_barrier();
  }
  cb_push_back(kFirstBuffer, 1);
}

// Three pages of one word each, through two pages.
template <bool bug>
void push_without_a_reserve() {
  for (uint32_t i = 0; i < 3; ++i) {
    if (kIsBrisc) {
      if (!bug || i < 2) cb_reserve_back(kFirstBuffer, 1);
      cb_push_back(kFirstBuffer, 1);  // 45: then
    } else {
      if (i == 0) pause();
      cb_wait_front(kFirstBuffer, 1);
      cb_pop_front(kFirstBuffer, 1);
    }
  }
  result(1);
}

template <bool bug>
void pop_without_a_wait() {
  if (kIsBrisc) {
    pause();
    cb_push_back(kFirstBuffer, 1);
  } else {
    if (!bug) cb_wait_front(kFirstBuffer, 1);
    cb_pop_front(kFirstBuffer, 1);  // 46: then
  }
  result(1);
}

// NCRISC only looks at the first page.
template <bool bug>
void two_harts_push() {
  if (kIsBrisc) {
    cb_reserve_back(kFirstBuffer, 1);
    cb_push_back(kFirstBuffer, 1);  // 47: first
  } else {
    pause();
    if (bug) cb_push_back(kFirstBuffer, 1);  // 47: then
  }
  result(1);
}

// BRISC fills the second page when NCRISC has looked at the first one.
template <bool bug>
void page_read_that_is_not_pushed() {
  if (kIsBrisc) {
    for (uint32_t i = 0; i < 2; ++i) {
      store(get_write_ptr(kFirstBuffer), 100 + i);
      cb_push_back(kFirstBuffer, 1);
      if (i == 0) noc_semaphore_wait(semaphore(0), 1);
    }
    return;
  }
  const uint32_t page = get_read_ptr(kFirstBuffer);
  cb_wait_front(kFirstBuffer, 1);
  uint32_t sum = bug ? load(page + kPageBytes) : 0;  // 48: then
  sum += load(page);
  noc_semaphore_set(semaphore(0), 1);
  cb_wait_front(kFirstBuffer, 2);
  if (!bug) sum += load(page + kPageBytes);
  cb_pop_front(kFirstBuffer, 2);
  result(sum);
}

template <bool bug>
void second_page_waited_for_as_the_first() {
  if (kIsBrisc) {
    for (uint32_t i = 0; i < 2; ++i) {
      store(get_write_ptr(kFirstBuffer), 100 + i);  // 86: first
      cb_push_back(kFirstBuffer, 1);
    }
    return;
  }
  pause();
  cb_wait_front(kFirstBuffer, bug ? 1 : 2);
  result(load(get_read_ptr(kFirstBuffer) + kPageBytes));  // 86: then
  cb_pop_front(kFirstBuffer, 2);
}

// Through two pages. The first one is sent while NCRISC takes it.
template <bool bug>
void page_refilled_while_it_is_sent() {
  for (uint32_t i = 0; i < kPages + 1; ++i) {
    if (!kIsBrisc) {
      cb_wait_front(kFirstBuffer, 1);
      cb_pop_front(kFirstBuffer, 1);
      continue;
    }
    cb_reserve_back(kFirstBuffer, 1);
    const uint32_t page = get_write_ptr(kFirstBuffer);
    if (!bug && i == kPages) noc_async_writes_flushed();
    store(page, 100 + i);  // 119: then
    cb_push_back(kFirstBuffer, 1);
    if (i == 0) write(page, at(kB, slot(1)));  // 119: first
  }
  if (!kIsBrisc) return;
  noc_async_write_barrier();
  result(1);
}

template <bool bug>
void buffer_that_the_program_has_not() {
  uint32_t buffer = bug ? kNoBuffer : kFirstBuffer;
  asm volatile("" : "+r"(buffer));
  volatile uint32_t* pushed = get_cb_tiles_received_ptr(static_cast<int>(buffer));
  *pushed = *pushed + 1;  // 49: then
  result(1);
}

// BRISC's page of the second buffer waits to be popped; BRISC fills a page of the first one, by a wrong pointer.
template <bool bug>
void page_of_another_buffer() {
  if (kIsBrisc) {
    const uint32_t page = get_write_ptr(kSecondBuffer);
    store(page, 100u);
    cb_push_back(kSecondBuffer, 1);                         // 50: first
    store(bug ? page : get_write_ptr(kFirstBuffer), 200u);  // 50: then
    cb_push_back(kFirstBuffer, 1);
    result(1);
    return;
  }
  cb_wait_front(kSecondBuffer, 1);
  cb_wait_front(kFirstBuffer, 1);
}

template <bool bug>
void read_longer_than_its_buffer() {
  read(dram_page(0), get_write_ptr(kFirstBuffer), bug ? 3 * kPageBytes : kPages * kPageBytes);  // 51: then
  noc_async_read_barrier();
  result(load(get_write_ptr(kFirstBuffer)));
}

void run_buffers(uint32_t selector) { run_row<File::Buffers, kMine>(selector); }

}  // namespace kerr::catalogue
