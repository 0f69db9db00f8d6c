#include "bindings/c/process.hpp"

#include <pthread.h>

#include <atomic>

namespace kerr::c {

namespace {

std::atomic<uint32_t> number{0};

// Registered when the library is loaded: no device is older.
[[maybe_unused]] const int registered =
    pthread_atfork(nullptr, nullptr, [] { number.fetch_add(1, std::memory_order_relaxed); });

}  // namespace

uint32_t process_number() { return number.load(std::memory_order_relaxed); }

}  // namespace kerr::c
