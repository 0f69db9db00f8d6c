// The text of a print from its format and the words that a kernel has given.   docs/guide/prints.md
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "isa/print.hpp"

namespace kerr::prints {

/// The string at an address of the hart that prints, as far as there is one.
using StringAt = std::function<std::string(uint32_t address)>;

/// Format and words are a device's, so nothing of them is taken for granted: a format that is none is shown as it is, a
/// value that its place does not suit is shown as if the place said nothing, and one that is missing as "?".
std::string text_of(const isa::Print& print, std::span<const uint32_t> words, const StringAt& string_at);

}  // namespace kerr::prints
