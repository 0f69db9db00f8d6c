// For the source files of CommandQueue.
#pragma once

#include "host/cq/command_queue.hpp"

namespace kerr::host {

// Runs under the lock; whatever is wrong with the device ends the queue's life.
template <class Body>
auto CommandQueue::guarded(Body&& body) {
  std::lock_guard lock(mutex_);
  if (!dead_.empty()) throw DeviceError(Category::kProtocol, "the command queue is dead since: " + dead_);
  try {
    return body();
  } catch (const DeviceError& error) {
    if (error.category() != Category::kHostError) die(error);
    throw;
  }
}

}  // namespace kerr::host
