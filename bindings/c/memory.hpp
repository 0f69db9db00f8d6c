// What the library hands out and gets back by kerr_free().
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace kerr::c {

/// At least one byte. Throws std::bad_alloc.
void* hand_out(size_t bytes);
char* hand_out(std::string_view text);
/// False if it was not handed out, or came back before.
bool take_back(void* memory);

/// Something that is handed out unless a later step of its call fails.
class HandedOut {
 public:
  explicit HandedOut(void* memory) : memory_(memory) {}
  ~HandedOut() {
    if (memory_ != nullptr) take_back(memory_);
  }
  HandedOut(const HandedOut&) = delete;
  HandedOut& operator=(const HandedOut&) = delete;
  HandedOut& operator=(HandedOut&& other) noexcept {
    std::swap(memory_, other.memory_);
    return *this;
  }
  void* get() const { return memory_; }
  void* release() {
    void* const memory = memory_;
    memory_ = nullptr;
    return memory;
  }

 private:
  void* memory_;
};

}  // namespace kerr::c
