// Reads the JSON that the command prints. Compiled once, which takes seconds.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace kerr::cli {

/// Throws where the text is no JSON.
nlohmann::json parsed(const std::string& text);

}  // namespace kerr::cli
