// Text in SVG and HTML.
#pragma once

#include <string>
#include <string_view>

namespace kerr::report {

/// `text` so that it may stand between tags and between double quotes. Control characters become spaces.
inline std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return out;
}

}  // namespace kerr::report
