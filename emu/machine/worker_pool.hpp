// Threads that run one piece of work together and then wait for the next.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kerr::emu {

/// One barrier a round. Who waits spins for at most 2 us, then sleeps: rounds follow each other within microseconds
/// while there is work, and cost nothing when there is none. Not fork-safe once a round has run with workers.
class WorkerPool {
 public:
  /// `workers` threads beside the calling one; they are started by the first round.
  explicit WorkerPool(int workers) : workers_(workers) {}
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Calls work(0) on this thread and work(1..workers) on the others; returns when all have returned. What one of
  /// them throws is thrown again here.
  void run(const std::function<void(int)>& work);

 private:
  void start();
  void serve(int worker);
  void do_work(int worker);

  const int workers_;
  std::vector<std::thread> threads_;
  const std::function<void(int)>* work_ = nullptr;
  std::atomic<int> round_{0};
  std::atomic<int> busy_{0};
  std::atomic<bool> stop_{false};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
};

}  // namespace kerr::emu
