#include "emu/snapshot/touched_pages.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace kerr::emu {

namespace {

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

std::vector<uint8_t> touched_pages(const void* memory, size_t bytes) {
  std::vector<uint8_t> touched((bytes + kPageBytes - 1) / kPageBytes, 1);
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  if (bytes == 0 || begin % kPageBytes != 0 || ::sysconf(_SC_PAGESIZE) != static_cast<long>(kPageBytes)) return touched;
  std::vector<uint64_t> entries(touched.size());
  if (!read_page_map(begin / kPageBytes, entries)) return touched;
  for (size_t page = 0; page < touched.size(); ++page) touched[page] = (entries[page] & (kInMemory | kSwappedOut)) != 0;
  return touched;
}

}  // namespace kerr::emu
