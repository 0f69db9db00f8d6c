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
void wait_for_change(const std::atomic<uint32_t>& value, uint32_t old) {
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
  gate_.fetch_add(kOneRound, std::memory_order_release);
  gate_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::run(const std::function<void(int)>& work) {
  if (workers_ == 0) return work(0);
  work_ = &work;
  left_.store(0, std::memory_order_relaxed);
  const uint32_t round = gate_.load(std::memory_order_relaxed) / kOneRound + 1;
  gate_.store(round * kOneRound | kOpen, std::memory_order_release);
  if (threads_.empty()) {
    for (int worker = 1; worker <= workers_; ++worker) threads_.emplace_back([this, worker] { serve(worker); });
  } else {
    gate_.notify_all();
  }
  do_work(0);
  const uint32_t came = gate_.fetch_and(~kOpen, std::memory_order_acq_rel) % kOpen;
  for (uint32_t left = left_.load(std::memory_order_acquire); left != came;
       left = left_.load(std::memory_order_acquire)) {
    wait_for_change(left_, left);
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void WorkerPool::serve(int worker) {
  uint32_t seen = 0;
  uint32_t last_round = 0;
  for (;;) {
    wait_for_change(gate_, seen);
    if (stop_.load(std::memory_order_relaxed)) return;
    uint32_t gate = gate_.load(std::memory_order_acquire);
    seen = gate;
    if (!(gate & kOpen) || gate / kOneRound == last_round) continue;
    if (!gate_.compare_exchange_strong(gate, gate + 1, std::memory_order_acq_rel)) {
      seen = ~gate;  // somebody else came in, or it has closed: look again
      continue;
    }
    last_round = gate / kOneRound;
    seen = gate + 1;
    do_work(worker);
    left_.fetch_add(1, std::memory_order_release);
    left_.notify_one();
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
