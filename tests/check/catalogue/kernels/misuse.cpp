// Requests, registers and addresses that are wrong by themselves.
#include "tests/check/catalogue/kernels/kernel.hpp"

namespace kerr::catalogue {

// Both ends of a read from DRAM must be equal modulo 64, of one from host memory too.
template <bool bug>
void dram_and_l1_not_congruent() {
  read(dram_page(0) + (bug ? 32 : 64), slot(1));  // 62: then
  noc_async_read_barrier();
  result(load(slot(1)));
}

template <bool bug>
void host_and_l1_not_congruent() {
  const uint64_t page = static_cast<uint64_t>(argument(kHostTile)) << 36 |
                        static_cast<uint64_t>(argument(kHostMid)) << 32 | argument(kHostLow);
  read(page + (bug ? 16 : 64), slot(1));  // 63: then
  noc_async_read_barrier();
  result(load(slot(1)));
}

// NoC 1 counts tiles the other way: its rectangles go from large to small coordinates.
template <bool bug>
void rectangle_that_wraps() {
  const uint64_t tiles = bug ? at_all(kB, kC, slot(1)) : at_all(kC, kB, slot(1));
  noc_async_write_multicast_one_packet(slot(0), tiles, kSlotBytes, 2, false, 1);  // 64: then
  noc_async_write_barrier(1);
  read(at(kC, slot(1)), slot(2));
  noc_async_read_barrier();
  result(load(slot(2)));
}

template <bool bug>
void one_acknowledgement_too_many() {
  noc_async_write_multicast_one_packet(slot(0), at_all(kB, kC, slot(1)), kSlotBytes, bug ? 3 : 2);  // 65: first
  noc_async_write_barrier();                                                                        // 65: then
  result(1);
}

template <bool bug>
void last_request_is_linked() {
  noc_async_write_multicast_one_packet(slot(0), at_all(kB, kC, slot(1)), kSlotBytes, 2, true);
  noc_async_write_multicast_one_packet(slot(2), at_all(kB, kC, slot(3)), kSlotBytes, 2, bug);  // 66: first
  noc_async_write_barrier();
  result(1);
}

// NCRISC does not see BRISC's requests: its barrier holds only if it comes first.
template <bool bug>
void two_harts_on_one_noc() {
  if (kHart == arch::Hart::Ncrisc) {
    pause();
    const uint8_t noc = bug ? 0 : 1;
    noc_async_read_set_trid(5, noc);
    read(at(kB, slot(0)), slot(1), kSlotBytes, noc);  // 67: then
    noc_async_read_barrier_with_trid(5, noc);
    noc_async_read_set_trid(0, noc);
    noc_semaphore_set(semaphore(0), 1);
  } else {
    read(at(kB, slot(0)), slot(2));
    noc_async_read_barrier();  // 67: first
    noc_semaphore_wait(semaphore(0), 1);
    result(load(slot(2)));
  }
}

// Each read has bytes of its own.
template <bool bug>
void too_many_requests_of_one_id() {
  noc_async_read_set_trid(1);
  for (uint32_t i = 0; i < 256; ++i) {
    if (!bug && i == 128) noc_async_read_barrier_with_trid(1);
    read(at(kB, slot(0)), argument(kUntouched) + 16 * i, 16);  // 68: then
  }
  noc_async_read_barrier();
  noc_async_read_set_trid(0);
  result(load(argument(kUntouched)));
}

template <bool bug>
void buffer_written_without_a_test() {
  const CommandBuffer buffer = free_buffer(noc_index, write_cmd_buf);
  for (uint32_t i = 0; i < 2; ++i) {
    if (!bug) free_buffer(noc_index, write_cmd_buf);
    buffer.set(niu::kCtrl, write_control(false, NOC_UNICAST_WRITE_VC));  // 69: then
    buffer.set(niu::kTargAddrLo, slot(2 * i));
    buffer.set_return(at(kB, slot(2 * i + 1)));
    buffer.set(niu::kAtLenBe, kSlotBytes);
    buffer.issue();  // 69: first
    count_writes(noc_index, false);
  }
  noc_async_write_barrier();
  report_what_arrived();
}

// Firmware's words for writes of single words.
template <bool bug>
void word_of_the_staging_area() {
  const uint32_t word = bug ? kLayout.inline_staging + 32 * static_cast<uint32_t>(kHart) : slot(1);
  store(word, 77u);    // 73: first
  result(load(word));  // 73: then
}

// Answers of atomics overwrite word 4.
template <bool bug>
void data_in_the_word_of_answers() {
  const uint32_t word = bug ? 4 : slot(1);
  store(word, 77u);  // 74: then
  noc_semaphore_inc(at(kB, slot(0)), 1);
  noc_async_atomic_barrier();
  result(load(word));
}

template <bool bug>
void store_behind_the_program() {
  const uint32_t word = bug ? argument(kEnd) + 256 : slot(1);
  store(word, 77u);  // 52: then
  result(1);
}

template <bool bug>
void argument_that_is_not_there() {
  uint32_t index = bug ? kArguments + 1 : kArguments - 1;
  asm volatile("" : "+r"(index));
  const uint32_t word = load(kerr_entry.arguments + 4 * index);  // 53: then
  result(word == argument(kSelector) ? 2 : 1);
}

// The stack grows over the kernel's variables.
template <bool bug>
void stack_over_variables() {
  static volatile uint32_t table[16];
  table[0] = 1;
  const uint32_t low = reinterpret_cast<uint32_t>(table) + 32;
  if (bug) {
    uint32_t saved;
    asm volatile("mv %0, sp\n mv sp, %1\n mv sp, %0" : "=&r"(saved) : "r"(low));  // 54: then
  }
  result(table[0]);
}

// What the last kernel left of the freed buffer is not its business.
template <bool bug>
void freed_buffer_is_written() {
  const uint64_t page = get_dram_noc_addr(0, kPageBytes, argument(kFreedPages));
  noc_async_write_one_packet(slot(0), page, kSlotBytes);  // 57: then
  noc_async_write_barrier();
  result(1);
}

inline constexpr uint32_t kNoDataCache = 1u << 3;

// With the data cache on, a loop without a fence sees the first value for ever.
template <bool bug>
void poll_without_a_fence() {
  if (on(kA)) {
    asm volatile("csrc 0x7C0, %0" ::"r"(kNoDataCache) : "memory");
    while (load(get_semaphore(0)) != 1) {  // 39: then
      if (!bug) fence();
    }
    fence();
    asm volatile("csrs 0x7C0, %0" ::"r"(kNoDataCache) : "memory");
    result(1);
  } else {
    noc_semaphore_set(semaphore(1), 1);
    noc_semaphore_set_remote(get_semaphore(1), at(kA, get_semaphore(0)));  // 39: first
    noc_async_write_barrier();
  }
}

// A hart's store and a NoC read of it: silicon was seen to keep their order, no document promises it.
template <bool bug>
void store_that_may_not_have_landed() {
  store(slot(0), 77u);  // 38: first
  if (!bug) {
    uint32_t back = load(slot(0));
    asm volatile("andi %0, %0, 0" : "+r"(back));
  }
  write(slot(0), at(kB, slot(1)));  // 38: then
  report_what_arrived();
}

// A function of two words. Stores of code are there before the caches are emptied.
constexpr uint32_t load_immediate(uint32_t value) { return 0x00000513u | value << 20; }  // into a0
constexpr uint32_t kReturn = 0x00008067;
FORCE_INLINE void empty_instruction_cache() {
  uint32_t back = load(slot(1) + 4);
  asm volatile("andi %0, %0, 0" : "+r"(back));
  store(arch::kIcInvalidateAll, 1u);
  pause(32);
}
template <bool bug>
void code_changed_without_invalidation() {
  const auto function = reinterpret_cast<uint32_t (*)()>(slot(1));
  store(slot(1), load_immediate(1));
  store(slot(1) + 4, kReturn);
  empty_instruction_cache();
  const uint32_t before = function();
  store(slot(1), load_immediate(2));  // 41: first
  if (!bug) empty_instruction_cache();
  result(before + function());
}

// What the host does while these run: row.cpp.
template <bool bug>
void word_written_behind_the_flag() {
  result(1);
  while (load(slot(2)) != 1) {
  }
  result(load(slot(1)));  // 44: then
}
template <bool bug>
void buffers_over_each_other() {
  result(1);
}
template <bool bug>
void word_written_by_the_host() {
  result(1);
  pause();
  result(load(slot(1)));  // 43: then
}
template <bool bug>
void buffer_freed_by_the_host() {
  pause();
  const uint64_t page = get_dram_noc_addr(0, kPageBytes, argument(kFreedPages));
  noc_async_write_one_packet(slot(0), page, kSlotBytes);  // 56: first
  noc_async_write_barrier();
  result(2);
}

void run_misuse(uint32_t selector) { run_row<File::Misuse, kMine>(selector); }

}  // namespace kerr::catalogue
