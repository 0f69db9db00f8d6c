#include "emu/process_mutex.hpp"

#include <pthread.h>

#include <utility>

namespace kerr::emu {

constinit ProcessMutex* ProcessMutex::all_ = nullptr;

ProcessMutex::ProcessMutex() : next_(std::exchange(all_, this)) {
  if (next_ == nullptr) pthread_atfork(lock_all, unlock_all, unlock_all);
}

void ProcessMutex::lock_all() {
  for (ProcessMutex* mutex = all_; mutex != nullptr; mutex = mutex->next_) mutex->lock();
}

void ProcessMutex::unlock_all() {
  for (ProcessMutex* mutex = all_; mutex != nullptr; mutex = mutex->next_) mutex->unlock();
}

}  // namespace kerr::emu
