// The numbers of a loop program's parameters, as command lines and files have them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loops/program.hpp"
#include "report/json.hpp"

namespace kerr::cli {

/// The bytes of a parameter: of a .npy file, or of "1,2,3", or of one number that all elements get. Throws
/// std::invalid_argument.
std::vector<std::byte> numbers_of(const loops::Parameter& parameter, const std::string& given);

/// Up to 200 of them as text, in lines that begin with `indent`.
std::string text_of_numbers(const loops::Parameter& parameter, std::span<const std::byte> bytes,
                            std::string_view indent);
/// All of them; infinities and NaN as text.
report::Json json_of_numbers(const loops::Parameter& parameter, std::span<const std::byte> bytes);
/// A .npy file of one axis. bf16 becomes float32.
std::vector<std::byte> npy_of_numbers(const loops::Parameter& parameter, std::span<const std::byte> bytes);

}  // namespace kerr::cli
