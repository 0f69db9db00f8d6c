// A part of the tiles that are active in a window.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "emu/machine/machine.hpp"

namespace kerr::emu {

/// Filled between windows; in the window any thread takes from it.
struct Machine::Shard {
  std::vector<size_t> tiles;  // indices of Machine::active_
  std::atomic<size_t> taken{0};

  void clear() {
    tiles.clear();
    taken.store(0, std::memory_order_relaxed);
  }
  /// An index of `tiles` that nobody else has, or something beyond its end.
  size_t take() { return taken.fetch_add(1, std::memory_order_relaxed); }
};

/// Threads beside the calling one. More shards than CPUs are allowed, more threads are not.
inline int worker_count(int shards) {
  const int cpus = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return std::clamp(shards, 1, cpus) - 1;
}

}  // namespace kerr::emu
