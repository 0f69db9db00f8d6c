// Numbers of a loop program as text: the part of "f32:1.5" behind the colon.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "loops/types.hpp"

namespace kerr::loops {

/// The bits of the number, which floats have to the nearest, of two the even one. Nothing for what is no number of the
/// type.
std::optional<uint64_t> number_of_text(Type type, std::string_view text);
/// What number_of_text() takes, for messages: "a whole number from -128 to 127".
std::string numbers_of(Type type);
/// As Python prints the number: "True", "-7", "1.0", "1e-05", "-inf".
std::string text_of_number(Type type, uint64_t bits);

}  // namespace kerr::loops
