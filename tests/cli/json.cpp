#include "tests/cli/json.hpp"

namespace kerr::cli {

nlohmann::json parsed(const std::string& text) { return nlohmann::json::parse(text); }

}  // namespace kerr::cli
