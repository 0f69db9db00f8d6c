// Lists as people write them in one word: "1,2,3".
#pragma once

#include <string_view>
#include <vector>

namespace kerr::isa::text {

/// What stands between the marks: one part more than there are marks, and parts may be empty.
std::vector<std::string_view> parts(std::string_view text, char mark);

}  // namespace kerr::isa::text
