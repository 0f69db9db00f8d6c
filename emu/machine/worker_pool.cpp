#include "emu/machine/worker_pool.hpp"

#include <chrono>
#include <utility>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace kerr::emu {

namespace {

constexpr std::chrono::microseconds kLongestSpin{2};

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#endif
}

// Returns when `value` is no longer `old`.
void wait_for_change(const std::atomic<int>& value, int old) {
  const auto give_up = std::chrono::steady_clock::now() + kLongestSpin;
  do {
    for (int i = 0; i < 8; ++i) {
      if (value.load(std::memory_order_acquire) != old) return;
      relax();
    }
  } while (std::chrono::steady_clock::now() < give_up);
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

WorkerPool::~WorkerPool() {
  stop_.store(true, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::start() {
  for (int worker = 1; worker <= workers_; ++worker) threads_.emplace_back([this, worker] { serve(worker); });
}

void WorkerPool::run(const std::function<void(int)>& work) {
  if (workers_ == 0) return work(0);
  work_ = &work;
  busy_.store(workers_, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  if (threads_.empty()) {
    start();
  } else {
    round_.notify_all();
  }
  do_work(0);
  for (int busy = busy_.load(std::memory_order_acquire); busy != 0; busy = busy_.load(std::memory_order_acquire)) {
    wait_for_change(busy_, busy);
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void WorkerPool::serve(int worker) {
  for (int seen = 0;;) {
    wait_for_change(round_, seen);
    seen = round_.load(std::memory_order_acquire);
    if (stop_.load(std::memory_order_relaxed)) return;
    do_work(worker);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

void WorkerPool::do_work(int worker) {
  try {
    (*work_)(worker);
  } catch (...) {
    const std::lock_guard lock(failure_mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

}  // namespace kerr::emu
