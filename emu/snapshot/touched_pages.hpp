// Which pages of anonymous memory have ever been touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kerr::emu {

inline constexpr size_t kPageBytes = 4096;

/// For each kPageBytes of memory from an anonymous private mapping (the last piece may be shorter) 0 if nobody has
/// touched it, so that it is zero, else 1. Looking at untouched memory would make the operating system provide it, page
/// by page. All are 1 where the operating system does not say (proc(5), /proc/self/pagemap).
std::vector<uint8_t> touched_pages(const void* memory, size_t bytes);

}  // namespace kerr::emu
