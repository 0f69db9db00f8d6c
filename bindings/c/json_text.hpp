// JSON of whatever text: bytes that are no UTF-8 become U+FFFD.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace kerr::c {

inline std::string text_of(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

inline std::string valid_utf8(const std::string& text) {
  const std::string quoted = text_of(nlohmann::ordered_json(text));
  return nlohmann::ordered_json::parse(quoted).get<std::string>();
}

}  // namespace kerr::c
