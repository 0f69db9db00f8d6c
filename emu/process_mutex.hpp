// A mutex round what all machines of a process share.
#pragma once

#include <mutex>

namespace kerr::emu {

/// Free in a child of fork(), whatever the parent's threads were doing: a fork first waits until it holds every
/// ProcessMutex. Therefore no thread may take another one while it holds one.
///
/// For static objects: made before threads are.
class ProcessMutex {
 public:
  ProcessMutex();
  ProcessMutex(const ProcessMutex&) = delete;
  ProcessMutex& operator=(const ProcessMutex&) = delete;

  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  static void lock_all();
  static void unlock_all();

  static ProcessMutex* all_;  // the one made last
  std::mutex mutex_;
  ProcessMutex* const next_;
};

}  // namespace kerr::emu
