#include "cli/messages.hpp"

#include <cstddef>
#include <cstdio>

namespace kerr::cli {

namespace {

constexpr size_t kLongestLine = 400;

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

}  // namespace kerr::cli
