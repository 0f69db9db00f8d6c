// Texts of the library are UTF-8, whatever a program or a file has in its names.
#pragma once

#include <string>

namespace kerr::c {

/// Bytes that are no UTF-8 become U+FFFD.
std::string valid_utf8(const std::string& text);

}  // namespace kerr::c
