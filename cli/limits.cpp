#include "cli/limits.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>

namespace kerr::cli {

namespace {

constexpr rlim_t kStackBytes = 256 * 1024;  // twice what a matmul was seen to need
constexpr rlim_t kAddressSpaceBytes = rlim_t{2} << 30;  // small programs need less

}  // namespace

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

}  // namespace kerr::cli
