#include "bindings/c/memory.hpp"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_set>

#include <pthread.h>

namespace kerr::c {

namespace {

struct Out {
  std::mutex mutex;
  std::unordered_set<void*> memory;
};

Out& out() {
  static Out* const all = [] {  // never destroyed, as Handles
    pthread_atfork([] { out().mutex.lock(); }, [] { out().mutex.unlock(); }, [] { out().mutex.unlock(); });
    return new Out;
  }();
  return *all;
}

[[maybe_unused]] const Out& made_early = out();

}  // namespace

void* hand_out(size_t bytes) {
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  try {
    std::lock_guard lock(out().mutex);
    out().memory.insert(memory);
  } catch (...) {
    std::free(memory);
    throw;
  }
  return memory;
}

char* hand_out(std::string_view text) {
  char* const memory = static_cast<char*>(hand_out(text.size() + 1));
  std::memcpy(memory, text.data(), text.size());
  memory[text.size()] = 0;
  return memory;
}

bool take_back(void* memory) {
  {
    std::lock_guard lock(out().mutex);
    if (out().memory.erase(memory) == 0) return false;
  }
  std::free(memory);
  return true;
}

}  // namespace kerr::c
