// Kernels of BRISC and NCRISC that hang.
#include <kerr/device/dataflow.hpp>

#include "tests/hang/hangs.hpp"

using namespace kerr::device;
using kerr::hangs::Hang;
using kerr::hangs::kBuffer;
using kerr::hangs::kPages;

inline constexpr bool kIsBrisc = kHart == kerr::arch::Hart::Brisc;

FORCE_INLINE uint32_t argument(int index) { return get_arg_val<uint32_t>(index); }
FORCE_INLINE volatile uint32_t* flag() { return reinterpret_cast<volatile uint32_t*>(get_semaphore(0)); }
FORCE_INLINE uint64_t flag_of(uint32_t x, uint32_t y) { return get_noc_addr(x, y, get_semaphore(0)); }

[[gnu::noinline]] void wait_for_flag() { noc_semaphore_wait(flag(), 1); }

// Arguments 1 and 2: the right neighbour.
[[gnu::noinline]] void ring() {
  wait_for_flag();
  noc_semaphore_inc(flag_of(argument(1), argument(2)), 1);
}

// Arguments 1 to 5: whether it sends, and the rectangle.
[[gnu::noinline]] void send_or_wait() {
  if (argument(1) == 0) return wait_for_flag();
  noc_semaphore_set(flag(), 1);
  const uint64_t all = get_noc_multicast_addr(argument(2), argument(3), argument(4), argument(5), get_semaphore(0));
  noc_semaphore_set_multicast(get_semaphore(0), all, argument(4) - argument(2) + 1);
  noc_async_write_barrier();
}

// Arguments 1 to 4: whether it sends, the receiver, and how much.
[[gnu::noinline]] void add_or_wait() {
  if (argument(1) == 0) return wait_for_flag();
  noc_semaphore_inc(flag_of(argument(2), argument(3)), argument(4));
  noc_async_atomic_barrier();
}

// NCRISC pushes `pushed` pages, BRISC waits for `wanted`.
[[gnu::noinline]] void pages(int32_t pushed, int32_t wanted) {
  if (!kIsBrisc) {
    for (int32_t i = 0; i < pushed; ++i) {
      cb_reserve_back(kBuffer, 1);
      cb_push_back(kBuffer, 1);
    }
  } else {
    cb_wait_front(kBuffer, wanted);
    cb_pop_front(kBuffer, wanted);
  }
}

// Each wants its own word to be ahead of the other's.
[[gnu::noinline]] void count_round_each_other() {
  const uint32_t own = get_semaphore(kIsBrisc ? 0 : 1), other = get_semaphore(kIsBrisc ? 1 : 0);
  while (true) {
    invalidate_l1_cache();
    const uint32_t theirs = load(other);
    if (theirs > 0x7FFF'FFFF) return;
    store(own, (theirs + 1) & 0xFFFF);
  }
}

[[gnu::noinline]] void wait_for_acknowledgements() {
  noc_semaphore_set(flag(), 1);
  noc_semaphore_set_remote(get_semaphore(0), flag_of(argument(1), argument(2)));
  ++issued(kWriteAcks, noc_index);
  noc_async_write_barrier();
}

FORCE_INLINE void delay(uint32_t turns) {
  for (uint32_t i = 0; i < turns; ++i) asm volatile("nop");
}

[[gnu::noinline]] void send_increment(uint64_t to) {
  noc_semaphore_inc(to, 1);
  noc_async_atomic_barrier();
}

// Arguments 1 to 3: whether it sends, and the receiver.
[[gnu::noinline]] void reset_too_late() {
  if (argument(1) != 0) return send_increment(flag_of(argument(2), argument(3)));
  delay(2000);
  noc_semaphore_set(flag(), 0);
  wait_for_flag();
}

// Likewise.
[[gnu::noinline]] void overwrite() {
  if (argument(1) != 0) {
    if (!kIsBrisc) return;
    send_increment(flag_of(argument(2), argument(3)));
    delay(4000);
    return send_increment(flag_of(argument(2), argument(3)));
  }
  if (kIsBrisc) return noc_semaphore_wait(flag(), 2);
  delay(2000);
  noc_semaphore_set(flag(), 0);
}

// Likewise: 32 zeros from the semaphores of the sender.
[[gnu::noinline]] void cover() {
  if (argument(1) != 0) {
    send_increment(flag_of(argument(2), argument(3)));
    noc_async_write(get_semaphore(0), flag_of(argument(2), argument(3)), 32);
    return noc_async_write_barrier();
  }
  delay(2000);
  wait_for_flag();
}

// Arguments 1 to 4: what it does (0 waits, 1 sends, 2 nothing), the receiver, and how many are waited for.
[[gnu::noinline]] void count_increments() {
  if (argument(1) == 1) return send_increment(flag_of(argument(2), argument(3)));
  if (argument(1) == 0) noc_semaphore_wait(flag(), argument(4));
}

// Arguments 1 to 3: whether it sends, and the receiver.
[[gnu::noinline]] void send_to_next_word() {
  if (argument(1) != 0) return send_increment(flag_of(argument(2), argument(3)) + 4);
  wait_for_flag();
}

void kernel_main() {
  switch (static_cast<Hang>(argument(0))) {
    case Hang::Ring: return ring();
    case Hang::RectangleTooSmall: return send_or_wait();
    case Hang::OtherTile:
    case Hang::Overshot: return add_or_wait();
    case Hang::TooManyPages: return pages(kPages, kPages + 1);
    case Hang::TooFewPages: return pages(kPages - 1, kPages);
    case Hang::OneOfMany:
      if (argument(1) != 0) wait_for_flag();
      return;
    case Hang::Livelock: return count_round_each_other();
    case Hang::Equal: return cb_wait_front(kBuffer, 1);
    case Hang::TooManyReserved: return cb_reserve_back(kBuffer, kPages + 1);
    case Hang::Breakpoint: asm volatile("ebreak"); return;
    case Hang::Acknowledgements: return wait_for_acknowledgements();
    case Hang::ResetTooLate: return reset_too_late();
    case Hang::Overwritten: return overwrite();
    case Hang::Covered: return cover();
    case Hang::TooFewIncrements: return count_increments();
    case Hang::WrongOffset: return send_to_next_word();
    case Hang::FewerThanTwins: return pages(static_cast<int32_t>(argument(1)), kPages);
    default: return;
  }
}
