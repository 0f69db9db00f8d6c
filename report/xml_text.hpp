// Text in SVG and HTML.
#pragma once

#include <string>
#include <string_view>

namespace kerr::report {

/// `text` so that it may stand between tags and between double quotes.
inline std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace kerr::report
