// The table behind all handles. A handle is a place in it, a kind, and how often the place was used before: one that is
// stale, or of another kind, is found out, whatever became of its place.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace kerr::c {

enum class Kind : uint8_t { Device = 1, Buffer, Program, Tensor, Error };

/// Thread-safe; nobody is called under its lock. Objects live until they are taken out and nobody uses them any more.
class Handles {
 public:
  /// The one of this process. It is never destroyed: the last calls may come after this library's destructors.
  static Handles& all();

  /// `owner`: for those that go with it.
  uint64_t put(Kind kind, std::shared_ptr<void> object, const void* owner = nullptr);
  /// Null if it is none.
  std::shared_ptr<void> find(Kind kind, uint64_t handle);
  /// The same, and it is a handle no more.
  std::shared_ptr<void> take(Kind kind, uint64_t handle);
  std::vector<std::shared_ptr<void>> of(Kind kind, const void* owner);
  void drop_all_of(const void* owner);

  /// Across a fork: the child has a table that nobody holds.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  struct Place {
    std::shared_ptr<void> object;
    const void* owner = nullptr;
    uint32_t generation = 0;
    Kind kind{};
  };
  Place* at(Kind kind, uint64_t handle);
  std::shared_ptr<void> free_place(Place& place);

  std::mutex mutex_;
  std::vector<Place> places_;
  std::vector<uint32_t> free_;
};

}  // namespace kerr::c
