// For the source files of CommandQueue.
#pragma once

#include <type_traits>

#include "host/runtime/cq/command_queue.hpp"

namespace kerr::host {

// Runs under the lock, and sends what the call has to say; whatever is wrong with the device ends the queue's life.
template <class Body>
auto CommandQueue::guarded(Body&& body) {
  std::lock_guard lock(mutex_);
  if (!dead_.empty()) {
    throw DeviceError(Category::Protocol, "the command queue is dead since: " + dead_, dead_report_);
  }
  try {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      flush();
    } else {
      auto result = body();
      flush();
      return result;
    }
  } catch (const DeviceError& error) {
    batch_.clear();
    if (error.category() != Category::HostError) die(error);
    throw;
  }
}

}  // namespace kerr::host
