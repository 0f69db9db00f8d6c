#include "cli/progress.hpp"

#include <unistd.h>

#include <cstdio>

namespace kerr::cli {

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) != 0) {}
Progress::~Progress() { done(); }

void Progress::step(const std::string& what) {
  if (quiet_) return;
  if (terminal_) {
    std::fprintf(stderr, "\r\033[Kkerr: %s ...", what.c_str());
    open_ = true;
  } else {
    std::fprintf(stderr, "kerr: %s ...\n", what.c_str());
  }
  std::fflush(stderr);
}

void Progress::done() {
  if (open_) std::fprintf(stderr, "\r\033[K");
  open_ = false;
}

}  // namespace kerr::cli
