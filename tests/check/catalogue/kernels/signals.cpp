// Signals that do not order what they are meant to order.
#include "tests/check/catalogue/kernels/kernel.hpp"

namespace kerr::catalogue {

FORCE_INLINE void wait_for_all() {
  noc_async_write_barrier();
  noc_async_atomic_barrier();
}

template <bool bug>
void signal_on_another_vc() {
  if (on(kA)) {
    write(slot(0), at(kB, slot(1)));  // 10: first
    noc_semaphore_inc(at(kB, get_semaphore(0)), 1, noc_index, bug ? kOtherVc : NOC_UNICAST_WRITE_VC);
    wait_for_all();
  } else {
    noc_semaphore_wait(semaphore(0), 1);
    result(load(slot(1)));  // 10: then
  }
}

template <bool bug>
void signal_on_the_other_noc() {
  if (on(kA)) {
    write(slot(0), at(kB, slot(1)));  // 11: first
    if (!bug) noc_async_write_barrier();
    noc_semaphore_inc(at(kB, get_semaphore(0)), 1, 1 - noc_index);
    noc_async_write_barrier();
    noc_async_atomic_barrier(1 - noc_index);
  } else {
    noc_semaphore_wait(semaphore(0), 1);
    result(load(slot(1)));  // 11: then
  }
}

template <bool bug>
void signal_to_another_tile() {
  if (on(kA)) {
    write(slot(0), at(kB, slot(1)));  // 12: first
    if (!bug) noc_async_write_barrier();
    noc_semaphore_inc(at(kC, get_semaphore(0)), 1);
    wait_for_all();
  } else if (on(kC)) {
    noc_semaphore_wait(semaphore(0), 1);
    read(at(kB, slot(1)), slot(2));  // 12: then
    noc_async_read_barrier();
    result(load(slot(2)));
  }
}

template <bool bug>
void unicast_flag_behind_a_multicast() {
  if (on(kA)) {
    noc_async_write_multicast_one_packet(slot(0), at_all(kB, kC, slot(1)), kSlotBytes, 2);  // 13: first
    noc_semaphore_set(semaphore(0), 1);
    if (bug) {
      noc_semaphore_set_remote(get_semaphore(0), at(kB, get_semaphore(0)));
    } else {
      noc_semaphore_set_multicast(get_semaphore(0), at_all(kB, kC, get_semaphore(0)), 2);
    }
    noc_async_write_barrier();
  } else if (on(kB)) {
    noc_semaphore_wait(semaphore(0), 1);
    result(load(slot(1)));  // 13: then
  }
}

template <bool bug>
void flag_to_a_larger_rectangle() {
  if (on(kA)) {
    noc_async_write_multicast_one_packet(slot(0), at_all(kB, kB, slot(1)), kSlotBytes, 1);  // 14: first
    noc_semaphore_set(semaphore(0), 1);
    const uint64_t flags = at_all(kB, bug ? kC : kB, get_semaphore(0));
    noc_semaphore_set_multicast(get_semaphore(0), flags, bug ? 2 : 1);
    noc_async_write_barrier();
  } else if (on(kB)) {
    noc_semaphore_wait(semaphore(0), 1);
    result(load(slot(1)));  // 14: then
  }
}

// Both data movers of a tile count in one word. BRISC signals NCRISC nothing, and looks when it must have ended.
template <bool bug>
void two_harts_count_by_load_and_store() {
  for (uint32_t i = 0; i < 4; ++i) {
    if (bug) {
      store(slot(0), load(slot(0)) + 1);  // 20: first, 20: then
    } else {
      add_atomically(slot(0), 1);
    }
  }
  if (kHart == arch::Hart::Ncrisc) {
    add_atomically(get_semaphore(0), 1);
  } else {
    noc_semaphore_wait(semaphore(0), 1);
    result(load(slot(0)));
  }
}

// BRISC only shows how far NCRISC is.
template <bool bug>
void progress_that_is_not_declared() {
  if (!bug) check_is_monotonic(slot(0));
  if (kHart == arch::Hart::Ncrisc) {
    for (uint32_t i = 0; i < 4; ++i) store(slot(0), i);  // 111: first
    noc_semaphore_set(semaphore(1), 1);
    noc_semaphore_wait(semaphore(0), 1);
  } else {
    pause();
    store(slot(1), load(slot(0)));  // 111: then
    noc_semaphore_set(semaphore(0), 1);
    noc_semaphore_wait(semaphore(1), 1);
    result(load(slot(0)));
  }
}

template <bool bug>
void plain_store_among_atomics() {
  if (on(kB)) {
    noc_semaphore_inc(at(kA, get_semaphore(0)), 1);  // 21: first
    noc_async_atomic_barrier();
    noc_semaphore_inc(at(kA, get_semaphore(1)), 1);
    noc_async_atomic_barrier();
  } else {
    pause();
    if (bug) {
      noc_semaphore_set(semaphore(0), load(get_semaphore(0)) + 1);  // 21: then
    } else {
      add_atomically(get_semaphore(0), 1);
    }
    noc_semaphore_wait(semaphore(1), 1);
    result(load(get_semaphore(0)));
  }
}

template <bool bug>
void flag_reset_behind_the_request() {
  if (on(kA)) {
    if (!bug) noc_semaphore_set(semaphore(0), 0);
    noc_semaphore_inc(at(kB, get_semaphore(1)), 1);
    if (bug) noc_semaphore_set(semaphore(0), 0);  // 22: first
    noc_semaphore_wait(semaphore(0), 1);
    noc_async_atomic_barrier();
    result(1);
  } else {
    noc_semaphore_wait(semaphore(1), 1);
    noc_semaphore_set(semaphore(2), 1);
    noc_semaphore_set_remote(get_semaphore(2), at(kA, get_semaphore(0)));  // 22: then
    noc_async_write_barrier();
  }
}

template <bool bug>
void multicast_behind_one_of_two_signals() {
  if (on(kA)) {
    pause();
    noc_semaphore_wait_min(semaphore(0), bug ? 1 : 2);
    noc_async_write_multicast_one_packet(slot(0), at_all(kB, kC, slot(1)), kSlotBytes, 2);  // 88: then
    noc_async_write_barrier();
  } else {
    const uint32_t word = load(slot(1));  // 88: first
    noc_semaphore_inc(at(kA, get_semaphore(0)), 1);
    noc_async_atomic_barrier();
    result(word);
  }
}

template <bool bug>
void wait_for_one_of_two_increments() {
  if (on(kA)) {
    pause();
    noc_semaphore_wait_min(semaphore(0), bug ? 1 : 2);
    result(load(slot(1)) + load(slot(2)));  // 91: then
  } else {
    write(slot(0), at(kA, slot(argument(kTile))));  // 91: first
    noc_semaphore_inc(at(kA, get_semaphore(0)), 1);
    wait_for_all();
  }
}

template <bool bug>
void entry_rewritten_before_it_is_taken() {
  if (on(kA)) {
    write(slot(0), at(kB, slot(1)));
    noc_semaphore_inc(at(kB, get_semaphore(0)), 1);
    if (!bug) noc_semaphore_wait(semaphore(1), 1);
    write(slot(2), at(kB, slot(1)));  // 42: first
    noc_semaphore_inc(at(kB, get_semaphore(0)), 1);
    wait_for_all();
  } else {
    noc_semaphore_wait_min(semaphore(0), 1);
    const uint32_t entry = load(slot(1));  // 42: then
    noc_semaphore_inc(at(kA, get_semaphore(1)), 1);
    noc_semaphore_wait_min(semaphore(0), 2);
    result(entry + load(slot(1)));
    noc_async_atomic_barrier();
  }
}

// Code of its own lines of L1, the same on A and B, as both run one image.
template <bool bug>
[[gnu::noinline, gnu::aligned(64)]] void code_that_is_written() {
  noc_semaphore_wait(semaphore(0), 1);  // 40: first
  for (uint32_t i = 0; i < 16; ++i) asm volatile("nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop");
}

template <bool bug>
void code_written_while_it_runs() {
  const bool writes = on(kB) && argument(kPhase) == (bug ? 0u : 1u);
  if (on(kA)) {
    if (argument(kPhase) == 0) code_that_is_written<bug>();
    result(1);
    return;
  }
  const auto code = reinterpret_cast<uint32_t>(&code_that_is_written<bug>);
  if (writes) {
    write(code, at(kA, code));  // 40: then
    noc_async_write_barrier();
  }
  if (argument(kPhase) == 0) {
    noc_semaphore_inc(at(kA, get_semaphore(0)), 1);
    noc_async_atomic_barrier();
  }
}

// The receiver counts.
template <bool bug>
void request_that_has_only_come() {
  if (on(kA)) {
    noc_semaphore_wait(semaphore(0), 1);
    write(slot(0), at(kB, slot(1)));  // 115: first
    wait_for_all();
  } else {
    using namespace arch::niu;
    const uint32_t counter = arch::niu_counter_address(noc_index, bug ? kSlvNonpostedWrReqReceived : kSlvWrAckSent);
    const uint32_t wanted = load(counter) + 1;
    noc_semaphore_inc(at(kA, get_semaphore(0)), 1);
    while (load(counter) != wanted) {
    }
    result(load(slot(1)) + 1);  // 115: then
    wait_for_all();
  }
}

void run_signals(uint32_t selector) { run_row<File::Signals, kMine>(selector); }

}  // namespace kerr::catalogue
