#include "loops/line_reader.hpp"

#include <algorithm>

namespace kerr::loops {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

}  // namespace

std::string quoted(std::string_view text) {
  constexpr size_t kMost = 40;
  std::string out("'");
  out.append(text.substr(0, kMost)).append(text.size() > kMost ? "...'" : "'");
  for (char& c : out)
    if (c < ' ' || c > '~') c = '?';
  return out;
}

bool LineReader::next_line() {
  if (rest_.empty()) return false;
  const size_t length = std::min(rest_.find('\n'), rest_.size());
  line_text_ = rest_.substr(0, length);
  rest_.remove_prefix(std::min(length + 1, rest_.size()));
  line_text_ = line_text_.substr(0, line_text_.find('#'));
  while (!line_text_.empty() && is_blank(line_text_.back())) line_text_.remove_suffix(1);
  position_ = 0;
  ++line_;
  return true;
}

Word LineReader::word() {
  while (position_ < line_text_.size() && is_blank(line_text_[position_])) ++position_;
  const size_t begin = position_;
  while (position_ < line_text_.size() && !is_blank(line_text_[position_])) ++position_;
  // There is none: where it would stand.
  if (begin == position_) return {{}, static_cast<uint32_t>(begin + 1)};
  return {line_text_.substr(begin, position_ - begin), static_cast<uint32_t>(begin + 1)};
}

}  // namespace kerr::loops
