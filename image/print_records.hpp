// The section of an ELF file in which kernels keep the formats of their prints.   device/print.hpp
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "image/image.hpp"

namespace kerr::image {

inline constexpr std::string_view kPrintSection = ".kerr.prints";

/// Its records, as remarks on the prints' instructions (isa/print.hpp), by address. Throws Error for a damaged one;
/// `name` is that of the file.
std::vector<Comment> print_records(std::span<const uint8_t> section, const std::string& name);

}  // namespace kerr::image
