// Memory that comes zeroed from the operating system page by page, so that creating a chip touches none of it.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace kerr::emu::tensix {

/// Owns `bytes` of zeroed, page-aligned memory; throws std::bad_alloc.
class ZeroedPages {
 public:
  explicit ZeroedPages(size_t bytes) : bytes_(bytes) {
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(memory);
  }
  ~ZeroedPages() { ::munmap(data_, bytes_); }
  ZeroedPages(const ZeroedPages&) = delete;
  ZeroedPages& operator=(const ZeroedPages&) = delete;

  std::byte* data() { return data_; }

 private:
  std::byte* data_;
  size_t bytes_;
};

}  // namespace kerr::emu::tensix
