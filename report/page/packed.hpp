// Numbers as bytes, and bytes as text: how the page holds a run.   docs/architecture.md "The page"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kerr::report {

/// Appends `value` in groups of seven bits, the lowest first; the highest bit of a byte says that another follows.
void put_number(std::string& bytes, uint64_t value);

/// By zstd.
std::string compressed(std::string_view bytes);

std::string base64(std::string_view bytes);

}  // namespace kerr::report
