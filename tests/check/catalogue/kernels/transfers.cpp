// Transfers whose end nobody waits for.
#include "tests/check/catalogue/kernels/kernel.hpp"

namespace kerr::catalogue {

template <bool bug>
void load_before_the_barrier() {
  read(at(kB, slot(0)), slot(1));  // 2: first
  if (!bug) noc_async_read_barrier();
  result(load(slot(1)));  // 2: then
  noc_async_read_barrier();
}

template <bool bug>
void wait_for_one_of_two_ids() {
  noc_async_read_set_trid(1);
  read(at(kB, slot(0)), slot(1));
  noc_async_read_set_trid(2);
  read(at(kC, slot(0)), slot(2));  // 3: first
  noc_async_read_barrier_with_trid(1);
  if (!bug) noc_async_read_barrier_with_trid(2);
  const uint32_t sum = load(slot(1)) + load(slot(2));  // 3: then
  noc_async_read_barrier();
  noc_async_read_set_trid(0);
  result(sum);
}

// Until at least `reads` of the eight that a row has issued have come.
FORCE_INLINE void wait_for_reads_of_eight(uint32_t reads) {
  const uint32_t enough = issued(kReads, noc_index) - 8 + reads;
  while (static_cast<int32_t>(counter(noc_index, niu::kMstRdRespReceived) - enough) < 0) {
  }
  invalidate_l1_cache();
}

template <bool bug>
void wait_for_four_of_eight() {
  for (uint32_t i = 0; i < 8; ++i) {
    if (i == 4) pause();
    read(at(kB, slot(i)), slot(i));  // 4: first
  }
  wait_for_reads_of_eight(bug ? 4 : 8);
  const uint32_t sum = load(slot(0)) + load(slot(3));  // 4: then
  noc_async_read_barrier();
  result(sum);
}

template <bool bug>
void wait_for_at_least_four_of_eight() {
  for (uint32_t i = 0; i < 8; ++i) read(at(kB, slot(i)), slot(i));  // 90: first
  pause();
  wait_for_reads_of_eight(bug ? 4 : 8);
  const uint32_t sum = load(slot(0)) + load(slot(7));  // 90: then
  noc_async_read_barrier();
  result(sum);
}

template <bool bug>
void barrier_of_the_other_noc() {
  read(at(kB, slot(0)), slot(1));  // 5: first
  noc_async_read_barrier(bug ? 1 - noc_index : noc_index);
  const uint32_t word = load(slot(1));  // 5: then
  noc_async_read_barrier();
  result(word);
}

template <bool bug>
void count_read_and_not_tested() {
  read(at(kB, slot(0)), slot(1));  // 87: first
  if (bug) {
    (void)counter(noc_index, niu::kMstRdRespReceived);
  } else {
    noc_async_read_barrier();
  }
  result(load(slot(1)));  // 87: then
  noc_async_read_barrier();
}

template <bool bug>
void two_reads_into_one_page() {
  read(at(kB, slot(0)), slot(1));  // 85: first
  if (!bug) noc_async_read_barrier();
  read(at(kC, slot(0)), slot(1));  // 85: then
  noc_async_read_barrier();
  result(load(slot(1)));
}

template <bool bug>
void source_refilled_at_once() {
  write(slot(0), at(kB, slot(1)));  // 6: first
  if (!bug) noc_async_writes_flushed();
  store(slot(0), 77u);  // 6: then
  report_what_arrived();
}

template <bool bug>
void flush_of_posted_writes() {
  write(slot(0), at(kB, slot(1)));  // 7: first
  if (bug) {
    noc_async_posted_writes_flushed();
  } else {
    noc_async_writes_flushed();
  }
  store(slot(0), 77u);  // 7: then
  report_what_arrived();
}

template <bool bug>
void flush_of_another_id() {
  noc_async_write_one_packet_with_trid(slot(0), at(kB, slot(1)), kSlotBytes, 3);  // 8: first
  noc_async_write_flushed_with_trid(bug ? 4 : 3);
  store(slot(0), 77u);  // 8: then
  noc_async_write_set_trid(0);
  report_what_arrived();
}

template <bool bug>
void flag_rewritten_behind_its_multicast() {
  if (on(kA)) {
    noc_semaphore_set(semaphore(0), 1);
    noc_semaphore_set_multicast(get_semaphore(0), at_all(kB, kC, get_semaphore(0)), 2);  // 9: first
    if (!bug) noc_async_writes_flushed();
    noc_semaphore_set(semaphore(0), 0);  // 9: then
    noc_async_write_barrier();
  } else {
    noc_semaphore_wait(semaphore(0), 1);
    result(1);
  }
}

template <bool bug>
void read_back_over_another_vc() {
  write(slot(0), at(kB, slot(1)), kOtherVc);  // 15: first
  if (!bug) noc_async_write_barrier();
  read(at(kB, slot(1)), slot(2));  // 15: then
  noc_async_read_barrier();
  noc_async_write_barrier();
  result(load(slot(2)));
}

template <bool bug>
void write_behind_a_read() {
  read(at(kB, slot(0)), slot(1));  // 16: first
  if (!bug) noc_async_read_barrier();
  write(slot(2), at(kB, slot(0)));  // 16: then
  noc_async_read_barrier();
  noc_async_write_barrier();
  result(load(slot(1)));
}

// An atomic's answer goes to RET_ADDR, which usually is word 4 of L1.
template <bool bug>
void returned_value_used_at_once() {
  const CommandBuffer buffer = free_buffer(noc_index, write_at_cmd_buf);
  const uint32_t usual = load(buffer.base + niu::kRetAddrLo);
  buffer.set(niu::kRetAddrLo, slot(1));
  noc_semaphore_inc(at(kB, slot(0)), 5);  // 17: first
  if (!bug) noc_async_atomic_barrier();
  result(load(slot(1)));  // 17: then
  noc_async_atomic_barrier();
  free_buffer(noc_index, write_at_cmd_buf).set(niu::kRetAddrLo, usual);
}

template <bool bug>
void atomic_left_at_the_end() {
  if (!on(kA)) return;
  noc_semaphore_inc(at(kB, get_semaphore(0)), 1);  // 18: first
  if (bug) {
    noc_async_write_barrier();
  } else {
    noc_async_atomic_barrier();
  }
  result(1);
}

template <bool bug>
void write_left_at_the_end() {
  if (argument(kPhase) == 0) {
    noc_async_write_one_packet(slot(0), dram_page(0), kSlotBytes);  // 19: first
    if (!bug) noc_async_write_barrier();
  } else {
    // Not by the way of the write, where it could not pass it.
    constexpr uint8_t kOtherNoc = 1 - noc_index;
    read(dram_page(0), slot(1), kSlotBytes, kOtherNoc);  // 19: then
    noc_async_read_barrier(kOtherNoc);
    result(load(slot(1)));
  }
}

void run_transfers(uint32_t selector) { run_row<File::Transfers, kMine>(selector); }

}  // namespace kerr::catalogue
