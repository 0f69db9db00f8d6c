// Children of a process whose threads are at work.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

namespace kerr::emu {

/// Forks `children` times while another thread calls `work` without pause. Whether each child gets through one call.
inline bool children_get_through(int children, const std::function<void()>& work) {
  std::atomic<bool> stop = false, started = false;
  std::thread busy([&] {
    while (!stop) {
      work();
      started = true;
    }
  });
  while (!started) std::this_thread::yield();
  bool through = true;
  for (int i = 0; i < children && through; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      work();
      _exit(0);
    }
    int status = 0;
    through = child > 0 && waitpid(child, &status, 0) == child && status == 0;
  }
  stop = true;
  busy.join();
  return through;
}

}  // namespace kerr::emu
