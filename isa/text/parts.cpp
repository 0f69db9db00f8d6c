#include "isa/text/parts.hpp"

#include <algorithm>

namespace kerr::isa::text {

std::vector<std::string_view> parts(std::string_view text, char mark) {
  std::vector<std::string_view> all;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(mark, at), text.size());
    all.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

}  // namespace kerr::isa::text
