#include "loops/line_reader.hpp"

#include <algorithm>

namespace kerr::loops {

std::string quoted(std::string_view text) {
  constexpr size_t kMost = 40;
  std::string out = "'" + std::string(text.substr(0, kMost)) + (text.size() > kMost ? "...'" : "'");
  for (char& c : out)
    if (c < ' ' || c > '~') c = '?';
  return out;
}

bool LineReader::next_line() {
  if (rest_.empty()) return false;
  const size_t length = std::min(rest_.find('\n'), rest_.size());
  line_text_ = rest_.substr(0, length);
  rest_.remove_prefix(std::min(length + 1, rest_.size()));
  if (line_text_.ends_with('\r')) line_text_.remove_suffix(1);
  line_text_ = line_text_.substr(0, line_text_.find('#'));
  position_ = 0;
  ++line_;
  return true;
}

Word LineReader::word() {
  constexpr std::string_view kBlanks = " \t";
  const size_t end_of_words = line_text_.find_last_not_of(kBlanks) + 1;
  const size_t begin = line_text_.find_first_not_of(kBlanks, position_);
  if (begin == std::string_view::npos) return {{}, static_cast<uint32_t>(end_of_words + 1)};
  const size_t end = std::min(line_text_.find_first_of(kBlanks, begin), line_text_.size());
  position_ = end;
  return {line_text_.substr(begin, end - begin), static_cast<uint32_t>(begin + 1)};
}

}  // namespace kerr::loops
