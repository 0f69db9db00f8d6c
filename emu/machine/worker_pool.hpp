// Threads that run one piece of work together and then wait for the next.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kerr::emu {

/// One barrier a round. Waiting threads spin for at most 2 us, then sleep: rounds follow each other within microseconds
/// while there is work, and cost nothing when there is none. A worker that has not woken up when the caller has
/// finished is not waited for: the round closes without it, so a busy CPU slows the others down by nothing. Not
/// fork-safe once a round has run with workers.
class WorkerPool {
 public:
  /// `workers` threads beside the calling one; they are started by the first round.
  explicit WorkerPool(int workers) : workers_(workers) {}
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Calls work(0) on this thread and work(1..workers) on those others that come in time; returns when all that were
  /// called have returned. work(0) alone must be able to do everything. What one of them throws is thrown again here.
  void run(const std::function<void(int)>& work);

 private:
  void serve(int worker);
  void do_work(int worker);

  static constexpr uint32_t kOpen = 1u << 15;
  static constexpr uint32_t kOneRound = 1u << 16;

  const int workers_;
  std::vector<std::thread> threads_;
  const std::function<void(int)>* work_ = nullptr;
  std::atomic<uint32_t> gate_{0};  // round << 16, kOpen, number of workers that came in
  std::atomic<uint32_t> left_{0};  // workers that came in and are done
  std::atomic<bool> stop_{false};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
};

}  // namespace kerr::emu
