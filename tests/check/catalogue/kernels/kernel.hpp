// What kernels of the catalogue have in common. A row is a template <bool bug>: with its mistake, and mended. Comments
// name the two sites of the finding: "// 2: first" stands on the line of the first access of row 2, "// 2: then" on the
// line of the second. What a line calls must be inlined there, or its instructions have no such line.
#pragma once

#include <kerr/device/check.hpp>
#include <kerr/device/dataflow.hpp>

#include "tests/check/catalogue/kernels/selected_row.hpp"
#include "tests/check/catalogue/shared.hpp"

namespace kerr::catalogue {

using namespace kerr::device;

inline constexpr uint32_t kMine = kHart == arch::Hart::Ncrisc ? kNcriscOfA : kBriscs;
// Each in the file of its rows; they do nothing for rows of other files.
void run_transfers(uint32_t selector);
void run_signals(uint32_t selector);
void run_misuse(uint32_t selector);
void run_buffers(uint32_t selector);

FORCE_INLINE uint32_t argument(Argument which) { return get_arg_val<uint32_t>(static_cast<int>(which)); }
FORCE_INLINE bool on(Tile tile) { return argument(kTile) == tile; }
FORCE_INLINE uint32_t slot(uint32_t index) { return argument(kScratch) + kSlotBytes * index; }
FORCE_INLINE uint64_t at(uint32_t tile, uint32_t address) { return get_noc_addr(kFirstX + tile, kRow, address); }
FORCE_INLINE uint64_t at_all(uint32_t first, uint32_t last, uint32_t address) {
  return get_noc_multicast_addr(kFirstX + first, kRow, kFirstX + last, kRow, address);
}
FORCE_INLINE uint64_t dram_page(uint32_t page) { return get_dram_noc_addr(page, kPageBytes, argument(kDramPages)); }
FORCE_INLINE void result(uint32_t value) { store(argument(kResult), value); }
FORCE_INLINE volatile uint32_t* semaphore(uint32_t id) {
  return reinterpret_cast<volatile uint32_t*>(get_semaphore(id));
}
/// Time for what is under way to arrive.
FORCE_INLINE void pause(uint32_t turns = 2000) {
  for (uint32_t i = 0; i < turns; ++i) asm volatile("nop");
}
/// amoadd.w; the compiler is told of none.
FORCE_INLINE void add_atomically(uint32_t address, uint32_t value) {
  asm volatile(".insn r 0x2F, 2, 0, zero, %0, %1" ::"r"(address), "r"(value) : "memory");
}

// A slot read from another tile, and one written to it.
FORCE_INLINE void read(uint64_t from, uint32_t to, uint32_t bytes = kSlotBytes, uint8_t noc = noc_index) {
  noc_async_read_one_packet(from, to, bytes, noc);
}
FORCE_INLINE void write(uint32_t from, uint64_t to, uint32_t vc = NOC_UNICAST_WRITE_VC) {
  noc_async_write_one_packet(from, to, kSlotBytes, noc_index, vc);
}
inline constexpr uint32_t kOtherVc = 2;

// What B has got in its slot 1, as its writer sees it.
FORCE_INLINE void report_what_arrived() {
  noc_async_write_barrier();
  noc_async_posted_writes_flushed();
  read(at(kB, slot(1)), slot(15));
  noc_async_read_barrier();
  result(load(slot(15)));
}

}  // namespace kerr::catalogue
