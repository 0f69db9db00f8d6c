// Objects that lie on pages of their own.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

#include "emu/provide_pages.hpp"

namespace kerr::emu {

/// For classes of many kilobytes that are made by the hundred: `new` takes pages from the operating system and provides
/// them by one call, instead of one fault for each as the constructor comes to it. Throws std::bad_alloc.
struct OnOwnPages {
  static void* operator new(std::size_t bytes) {
    void* const memory = ::mmap(nullptr, whole(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    provide_pages(memory, whole(bytes));
    return memory;
  }
  static void operator delete(void* memory, std::size_t bytes) noexcept { ::munmap(memory, whole(bytes)); }

 private:
  static constexpr std::size_t whole(std::size_t bytes) { return (bytes + 4095) / 4096 * 4096; }
};

}  // namespace kerr::emu
