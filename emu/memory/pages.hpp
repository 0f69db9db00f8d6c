// Memory of the operating system: anonymous pages, zero until somebody writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kerr::emu {

inline constexpr size_t kSmallPageBytes = 4096;
inline constexpr size_t kLargePageBytes = size_t{2} << 20;

/// Owns zeroed memory, or none. The operating system provides it page by page as it is touched.
class ZeroedPages {
 public:
  ZeroedPages() = default;
  /// `alignment` is a multiple of kSmallPageBytes. Throws std::bad_alloc.
  explicit ZeroedPages(size_t bytes, size_t alignment = kSmallPageBytes);
  ZeroedPages(ZeroedPages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  ZeroedPages& operator=(ZeroedPages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~ZeroedPages();

  explicit operator bool() const { return data_ != nullptr; }
  uint8_t* data() const { return data_; }

 private:
  uint8_t* data_ = nullptr;
  size_t bytes_ = 0;
};

// The first write to a page costs a fault: a fraction of a microsecond, or twenty where a hypervisor keeps page tables
// of its own. These make it fewer faults. They change nothing else, and do nothing where the operating system does not
// know of them.

/// The pages in [memory, memory + bytes) are about to be written: provides them at once.
void provide_pages(void* memory, size_t bytes);
/// Most of [memory, memory + bytes) will be written: what is not touched yet comes by large pages, if aligned to them.
void prefer_large_pages(void* memory, size_t bytes);
/// The same of a large page of which some parts were touched already: it becomes one.
void make_large_page(void* memory);

/// For each kSmallPageBytes of memory from an anonymous private mapping (the last ones may be fewer) 0 if nobody has
/// touched the pages in which they lie, so that they are zero, else 1. Looking at untouched memory would make the
/// operating system provide it, page by page. All are 1 where it does not say (proc(5), /proc/self/pagemap).
std::vector<uint8_t> touched_pages(const void* memory, size_t bytes);

}  // namespace kerr::emu
