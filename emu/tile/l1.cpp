#include "emu/tile/l1.hpp"

#include <sys/mman.h>

#include <new>

namespace kerr::emu {

L1::L1() {
  void* memory = ::mmap(nullptr, kBytes + kLines, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::uint8_t*>(memory);
  attributes_ = data_ + kBytes;
}

L1::~L1() { ::munmap(data_, kBytes + kLines); }

void L1::notify(std::uint32_t line) {
  if (listener_) listener_->before_write(line, attributes_[line]);
}

}  // namespace kerr::emu
