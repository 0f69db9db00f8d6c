#include "cli/progress.hpp"

#include <unistd.h>

#include <cstdio>

#include "cli/messages.hpp"

namespace kerr::cli {

Progress::Progress() : terminal_(::isatty(STDERR_FILENO) != 0) {}
Progress::~Progress() { done(); }

void Progress::begins(const std::string& what) {
  if (terminal_) {
    std::fprintf(stderr, "\r\033[Kkerr: %s ...", what.c_str());
    open_ = true;
  } else {
    std::fprintf(stderr, "kerr: %s ...\n", what.c_str());
  }
  std::fflush(stderr);
}

void Progress::note(const std::string& sentence) {
  done();
  say(sentence);
}

void Progress::done() {
  if (open_) std::fprintf(stderr, "\r\033[K");
  open_ = false;
}

}  // namespace kerr::cli
