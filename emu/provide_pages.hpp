// Memory of the operating system before it is touched.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace kerr::emu {

// The first write to a page costs a fault: a fraction of a microsecond, or twenty where a hypervisor keeps page tables
// of its own. These make it fewer faults. They change nothing else, and do nothing where the operating system does not
// know of them.

inline constexpr size_t kLargePageBytes = size_t{2} << 20;

namespace pages {

/// The whole units that lie in [memory, memory + bytes), to madvise().
inline bool advise(void* memory, size_t bytes, size_t unit, int advice) {
  const uintptr_t first = (reinterpret_cast<uintptr_t>(memory) + unit - 1) / unit * unit;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(memory) + bytes) / unit * unit;
  return first < end && ::madvise(reinterpret_cast<void*>(first), end - first, advice) == 0;
}

}  // namespace pages

/// The pages in [memory, memory + bytes) are about to be written: provides them at once.
inline void provide_pages([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  pages::advise(memory, bytes, 4096, MADV_POPULATE_WRITE);
#endif
}

/// Most of [memory, memory + bytes) will be written: what is not touched yet comes by large pages, if aligned to them.
inline void prefer_large_pages(void* memory, size_t bytes) {
#ifdef MADV_HUGEPAGE
  pages::advise(memory, bytes, 4096, MADV_HUGEPAGE);
#endif
}

/// The same of a large page of which some parts were touched already: it becomes one.
inline void make_large_page([[maybe_unused]] void* memory) {
  prefer_large_pages(memory, kLargePageBytes);
#ifdef MADV_COLLAPSE
  pages::advise(memory, kLargePageBytes, kLargePageBytes, MADV_COLLAPSE);
#endif
}

}  // namespace kerr::emu
