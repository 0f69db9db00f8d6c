#include "emu/noc/payload_memory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "emu/process_mutex.hpp"

namespace kerr::emu {

namespace {

constexpr size_t kLineBytes = PayloadMemory::kLineBytes;

// Sizes are a header of one line and 64, 128, ... 16384 bytes; what is larger comes from the heap.
constexpr size_t kSizes = 9;
constexpr size_t kMostKept = size_t{16} << 20;  // bytes of each size

constexpr size_t bytes_of(size_t size) { return kLineBytes + (kLineBytes << size); }
constexpr size_t size_of(size_t bytes) {
  const size_t lines = (std::max(bytes, kLineBytes + 1) - kLineBytes - 1) / kLineBytes;
  return static_cast<size_t>(std::bit_width(lines));
}
static_assert(size_of(1) == 0 && size_of(bytes_of(0)) == 0 && size_of(bytes_of(0) + 1) == 1);
static_assert(size_of(bytes_of(kSizes - 1)) == kSizes - 1 && size_of(bytes_of(kSizes - 1) + 1) == kSizes);

struct Block {
  Block* next;
};

// Blocks of one size. The lock is held for a few nanoseconds: a thread that finds it taken tries again before it
// sleeps.
class Kept {
 public:
  ~Kept() {
    while (void* memory = pop()) std::free(memory);
  }
  void* pop() {
    const std::lock_guard guard = lock();
    if (first_ == nullptr) return nullptr;
    --count_;
    return std::exchange(first_, first_->next);
  }
  bool push(void* memory, size_t most) {
    const std::lock_guard guard = lock();
    if (count_ >= most) return false;
    first_ = new (memory) Block{first_};
    ++count_;
    return true;
  }

 private:
  std::lock_guard<ProcessMutex> lock() {
    for (int tries = 0; tries < 100; ++tries) {
      if (mutex_.try_lock()) return std::lock_guard(mutex_, std::adopt_lock);
    }
    mutex_.lock();
    return std::lock_guard(mutex_, std::adopt_lock);
  }

  ProcessMutex mutex_;
  Block* first_ = nullptr;
  size_t count_ = 0;
};

bool gone = false;  // the end of the program, or of the library: messages may live longer

struct AllKept {
  std::array<Kept, kSizes> sizes;
  ~AllKept() { gone = true; }
};

AllKept& kept() {
  static AllKept all;
  return all;
}

[[maybe_unused]] const AllKept& made_early = kept();

void* from_heap(size_t bytes) {
  void* const memory = std::aligned_alloc(kLineBytes, (bytes + kLineBytes - 1) / kLineBytes * kLineBytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* PayloadMemory::take(size_t bytes) {
  const size_t size = size_of(bytes);
  if (size >= kSizes || gone) return from_heap(bytes);
  if (void* const memory = kept().sizes[size].pop()) return memory;
  return from_heap(bytes_of(size));
}

void PayloadMemory::give(void* memory, size_t bytes) noexcept {
  const size_t size = size_of(bytes);
  if (size < kSizes && !gone && kept().sizes[size].push(memory, kMostKept / bytes_of(size))) return;
  std::free(memory);
}

}  // namespace kerr::emu
