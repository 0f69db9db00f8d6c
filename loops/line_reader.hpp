// A text as lines of words, each with its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kerr::loops {

struct Word {
  std::string_view text;
  uint32_t column = 1;
  /// From the character `at` on, at most `length` of it.
  Word part(size_t at, size_t length = std::string_view::npos) const {
    return {text.substr(at, length), column + static_cast<uint32_t>(at)};
  }
};

/// For messages: quoted, cut if it is long, without what a terminal would obey.
std::string quoted(std::string_view text);

/// Words are separated by blanks, tabs and carriage returns; '#' begins a remark, which goes to the end of the line.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  /// To the next line. False behind the last one.
  bool next_line();
  uint32_t line() const { return line_; }

  /// The next word of the line: empty, and behind the last one, if there is none.
  Word word();

 private:
  std::string_view rest_;  // behind the line
  std::string_view line_text_;
  size_t position_ = 0;
  uint32_t line_ = 0;
};

}  // namespace kerr::loops
