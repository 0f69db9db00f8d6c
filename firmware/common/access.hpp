#pragma once

#include <stdint.h>

// Loads, stores and fences of a baby RISC-V hart.
namespace kerr::firmware {

template <class T = uint32_t>
inline T load(uint32_t address) {
  return *reinterpret_cast<volatile T*>(address);
}
template <class T = uint32_t>
inline void store(uint32_t address, T value) {
  *reinterpret_cast<volatile T*>(address) = value;
}

// A word at any address: harts load aligned words only.
inline uint32_t load_unaligned(uint32_t address) {
  const uint32_t shift = 8 * (address & 3);
  const uint32_t low = load(address & ~3u);
  return shift == 0 ? low : low >> shift | load((address & ~3u) + 4) << (32 - shift);
}

// Copies words out of L1, four loads under way at a time: a hart waits for a load only where its result is used. Reads
// up to four words behind them.
inline void copy_words(uint32_t* to, uint32_t from, uint32_t words) {
  uint32_t a = load(from), b = load(from + 4), c = load(from + 8), d = load(from + 12);
  for (; words >= 4; words -= 4, to += 4) {
    from += 16;
    to[0] = a, a = load(from);
    to[1] = b, b = load(from + 4);
    to[2] = c, c = load(from + 8);
    to[3] = d, d = load(from + 12);
  }
  if (words >= 1) to[0] = a;
  if (words >= 2) to[1] = b;
  if (words == 3) to[2] = c;
}

// Flushes the L0 data cache and waits for the store queue. Every loop that polls L1 holds one.  tile.md 1.7, 1.8
inline void fence() { asm volatile("fence" ::: "memory"); }

// Returns when a store to `address` has happened: store, load back, consume. The last takes an instruction: a hart goes
// on behind a load until somebody uses its value.                                               tile.md 1.8
inline void drain_store(uint32_t address) {
  uint32_t value = load(address);
  asm volatile("andi %0, %0, 0" : "+r"(value));
}

// The end of a hart that has nothing more to do: no store, so that it is parked at no cost.
[[noreturn]] inline void stop_here() {
  for (;;) fence();
}

}  // namespace kerr::firmware
