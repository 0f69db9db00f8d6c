#include "emu/memory/pages.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace kerr::emu {

ZeroedPages::ZeroedPages(size_t bytes, size_t alignment)
    : bytes_((bytes + kSmallPageBytes - 1) / kSmallPageBytes * kSmallPageBytes) {
  const size_t spare = alignment - kSmallPageBytes;
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const memory = ::mmap(nullptr, bytes_ + spare, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  const size_t before = -reinterpret_cast<uintptr_t>(memory) % alignment;
  data_ = static_cast<uint8_t*>(memory) + before;
  if (before != 0) ::munmap(memory, before);
  if (before != spare) ::munmap(data_ + bytes_, spare - before);
}

ZeroedPages::~ZeroedPages() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

namespace {

// madvise() of the whole units that lie in [memory, memory + bytes).
[[maybe_unused]] void advise(void* memory, size_t bytes, size_t unit, int advice) {
  const uintptr_t first = (reinterpret_cast<uintptr_t>(memory) + unit - 1) / unit * unit;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(memory) + bytes) / unit * unit;
  if (first < end) ::madvise(reinterpret_cast<void*>(first), end - first, advice);
}

constexpr uint64_t kInMemory = uint64_t{1} << 63, kSwappedOut = uint64_t{1} << 62;

bool read_page_map(size_t first_page, std::vector<uint64_t>& entries) {
  // Opened each time: an open file describes the process that opened it, even after a fork.
  const int file = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const size_t bytes = entries.size() * sizeof entries[0];
  const ssize_t n = ::pread(file, entries.data(), bytes, static_cast<off_t>(first_page * sizeof entries[0]));
  ::close(file);
  return n == static_cast<ssize_t>(bytes);
}

}  // namespace

void provide_pages([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  advise(memory, bytes, kSmallPageBytes, MADV_POPULATE_WRITE);
#endif
}

void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#ifdef MADV_HUGEPAGE
  advise(memory, bytes, kSmallPageBytes, MADV_HUGEPAGE);
#endif
}

void make_large_page(void* memory) {
  prefer_large_pages(memory, kLargePageBytes);
#ifdef MADV_COLLAPSE
  advise(memory, kLargePageBytes, kLargePageBytes, MADV_COLLAPSE);
#endif
}

std::vector<uint8_t> touched_pages(const void* memory, size_t bytes) {
  std::vector<uint8_t> touched((bytes + kSmallPageBytes - 1) / kSmallPageBytes, 1);
  if (bytes == 0 || ::sysconf(_SC_PAGESIZE) != static_cast<long>(kSmallPageBytes)) return touched;
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  const size_t first = begin / kSmallPageBytes, end = (begin + bytes + kSmallPageBytes - 1) / kSmallPageBytes;
  std::vector<uint64_t> entries(end - first);
  if (!read_page_map(first, entries)) return touched;
  const auto is_touched = [&](size_t page) {
    return page < entries.size() && (entries[page] & (kInMemory | kSwappedOut)) != 0;
  };
  const bool aligned = begin % kSmallPageBytes == 0;  // else each reaches into two
  for (size_t page = 0; page < touched.size(); ++page)
    touched[page] = is_touched(page) || (!aligned && is_touched(page + 1));
  return touched;
}

}  // namespace kerr::emu
