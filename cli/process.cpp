#include "cli/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "cli/messages.hpp"

namespace kerr::cli {

namespace {

constexpr rlim_t kStackBytes = 256 * 1024;              // twice what a matmul was seen to need
constexpr rlim_t kAddressSpaceBytes = rlim_t{2} << 30;  // small programs need less

constexpr const char* kNotWritten = "standard output cannot be written: the output above is not complete.";

// A file that is opened later must not get the number of a closed standard stream: what is said there would end up in
// it.
// Opened the wrong way round, so that using it still fails.
void hold_standard_streams() {
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) < 0) (void)::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
  }
}

std::string ensure_stack() {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0) return "";
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= kStackBytes) return "";
  const rlim_t given = limit.rlim_cur;
  limit.rlim_cur = kStackBytes;
  limit.rlim_max = std::max(limit.rlim_max, kStackBytes);
  if (setrlimit(RLIMIT_STACK, &limit) != 0) {
    return fmt::format(
        "the stack of this process is limited to {} KiB, and kerr needs {}.  Try 'ulimit -s {}' before it.",
        given / 1024, kStackBytes / 1024, kStackBytes / 1024);
  }
  // Threads take the limit that the process began with.
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
  return "";
}

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

std::string prepare_process() {
  hold_standard_streams();
  (void)std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error of writing it
  return ensure_stack();
}

bool flush_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return true;
  say(kNotWritten);
  return false;
}

std::string out_of_memory() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return "the system has no more memory for this run.  Try a smaller problem.";
  }
  return fmt::format(
      "this run needs more than the {} KiB of address space that the process may have; an emulated device and a small "
      "program need {} KiB.  Try 'ulimit -v unlimited' before it.",
      limit.rlim_cur / 1024, kAddressSpaceBytes / 1024);
}

std::string text_of(const std::exception& error) {
  if (dynamic_cast<const std::system_error*>(&error) == nullptr) return error.what();
  if (std::ferror(stdout) != 0) return kNotWritten;
  return fmt::format("the system refuses this run a thread ({}).  Try a higher 'ulimit -u', or 'unlimited'.",
                     error.what());
}

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
