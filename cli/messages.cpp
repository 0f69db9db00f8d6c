#include "cli/messages.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>

#include "jobs/device.hpp"

namespace kerr::cli {

namespace {

constexpr size_t kLongestLine = 400;
constexpr size_t kMostRemarks = 32;

bool obeyed(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F; }

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  size_t line_bytes = 0;
  for (const char c : text) {
    line_bytes = c == '\n' ? 0 : line_bytes + 1;
    if (line_bytes == kLongestLine + 1) out += " ...";
    if (line_bytes <= kLongestLine) out += obeyed(c) ? '?' : c;
  }
  return out;
}

void say(std::string_view text) { std::fprintf(stderr, "kerr: %s\n", printable(text).c_str()); }

void say_remarks(const jobs::Remarks& remarks) {
  const size_t shown = std::min(remarks.kinds.size(), kMostRemarks);
  for (size_t i = 0; i < shown; ++i) say("remark: " + remarks.kinds[i]);
  if (const size_t left = remarks.kinds.size() - shown; left != 0 || remarks.further != 0) {
    say(fmt::format("remark: {} more kinds, and {} times of others that a tile had no room for", left,
                    remarks.further));
  }
}

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
