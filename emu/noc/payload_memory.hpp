// Memory for payloads, used again while it is still in the caches.
#pragma once

#include <cstddef>

namespace kerr::emu {

/// Blocks aligned to a line of the cache; what was given back last is taken next, by whichever thread. Thread-safe.
///
/// The heap would return its end to the operating system at once, whose pages would have to be touched anew. It gets
/// back what is more than 16 MiB of one size.
class PayloadMemory {
 public:
  static constexpr size_t kLineBytes = 64;

  /// Throws std::bad_alloc.
  static void* take(size_t bytes);
  /// `bytes` as it was taken.
  static void give(void* memory, size_t bytes) noexcept;
};

}  // namespace kerr::emu
