#include "cli/interrupt.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace kerr::cli {

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

// Read by the handler, which may allocate nothing.
std::array<std::atomic<const char*>, 16> unfinished{};
std::atomic<bool> deferring{false};
std::atomic<int> noted{0};

void handle(int signal) {
  int none = 0;
  if (deferring && noted.compare_exchange_strong(none, signal)) return;
  end_by(signal);
}

// A signal that is ignored, as of a command in the background, stays so.
void watch() {
  static const bool once = [] {
    for (const int signal : kSignals) {
      struct sigaction old {};
      if (::sigaction(signal, nullptr, &old) != 0 || old.sa_handler == SIG_IGN) continue;
      struct sigaction action {};
      action.sa_handler = handle;
      ::sigaction(signal, &action, nullptr);
    }
    return true;
  }();
  (void)once;
}

}  // namespace

void remove_when_interrupted(const std::string& path) {
  for (auto& place : unfinished) {
    if (place != nullptr) continue;
    place = ::strdup(path.c_str());
    break;
  }
  watch();
}

DeferInterrupts::DeferInterrupts() {
  deferring = true;
  watch();
}

DeferInterrupts::~DeferInterrupts() { deferring = false; }

int DeferInterrupts::signal() const { return noted; }

void end_by(int signal) {
  for (const auto& place : unfinished) {
    if (const char* path = place) ::unlink(path);
  }
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  ::sigaction(signal, &action, nullptr);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

}  // namespace kerr::cli
