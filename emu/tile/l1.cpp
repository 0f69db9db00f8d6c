#include "emu/tile/l1.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "emu/provide_pages.hpp"

namespace kerr::emu {

namespace {

constexpr std::size_t kFirmwareBytes = 0x8000;  // base firmware and its messages: a tile that is made gets them

}  // namespace

L1::L1() {
  void* const memory = ::mmap(nullptr, kBeforeData + kBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  attributes_ = static_cast<std::uint8_t*>(memory) + kLocalBytes;
  data_ = attributes_ + kLines;
  provide_pages(memory, kLocalBytes + 4096);
  provide_pages(data_, kFirmwareBytes);
}

L1::~L1() { ::munmap(data_ - kBeforeData, kBeforeData + kBytes); }

void L1::check() {
  checked_ = true;
  for (std::uint32_t line = 0; line < kLines; ++line) attributes_[line] |= kChecked;
}

void L1::notify(std::uint32_t line, std::uint32_t address, std::uint32_t bytes) {
  if (!listener_) return;
  if (attributes_[line] & kChecked) {
    const std::uint32_t from = std::max(address, line * kLineBytes);
    const std::uint32_t to = std::min(address + bytes, (line + 1) * kLineBytes);
    listener_->accessed(AccessKind::Store, from, to - from);
  }
  listener_->before_write(line, attributes_[line], bytes_of_line(line, address, bytes));
}

}  // namespace kerr::emu
