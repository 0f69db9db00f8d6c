// Objects of all tiles side by side in large pages.
#pragma once

#include <cstddef>

namespace kerr::emu {

/// A base of what each tile has one of and uses from its first cycle on: new takes such objects one after the other
/// from pieces of 2 MiB, which the operating system provides as large pages if it can. One of these costs about as much
/// as a dozen small ones, and holds twenty tiles.
///
/// A piece goes back when the last object in it is gone; the one that is being filled is kept. Memory is not zeroed.
/// Thread-safe.
struct InLargePages {
  /// Aligned to 64 bytes. Throws std::bad_alloc, also for what does not fit into a piece.
  static void* operator new(size_t bytes);
  static void* operator new(size_t, void* place) { return place; }
  static void operator delete(void* memory) noexcept;
};

}  // namespace kerr::emu
