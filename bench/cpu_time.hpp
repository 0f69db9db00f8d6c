// Time that does not count what other programs do meanwhile.
#pragma once

#include <ctime>

namespace kerr::bench {

/// CPU seconds of this process so far, of all its threads.
inline double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace kerr::bench
