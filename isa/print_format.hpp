// The formats of prints: text with places for values.   docs/guide/prints.md
//
//   "block {} of {:4}"   {{ and }} are braces;  {[:[<>^][+][#][0][width][.precision][type]]}, width and precision up to
//   99, type one of d u x X o b f e g c s p
// Kernels check them when they are compiled, so nothing of the standard library is used.
#pragma once

#include <cstdint>

namespace kerr::isa {

struct PrintPlace {
  char align = 0;
  bool plus = false, alternate = false, zeros = false;
  int width = 0, precision = -1;
  char type = 0;
};

/// The place at `at`, which points behind its '{'. Moves `at` behind its '}'. False: it is none.
constexpr bool parse_place(const char*& at, const char* end, PrintPlace& place) {
  const auto next = [&](char c) {
    if (at == end || *at != c) return false;
    ++at;
    return true;
  };
  const auto number = [&](int& value) {
    int digits = 0;
    for (value = 0; at != end && *at >= '0' && *at <= '9' && digits < 3; ++at, ++digits) value = 10 * value + *at - '0';
    return digits > 0 && digits < 3;
  };
  if (next('}')) return true;
  if (!next(':')) return false;
  if (at != end && (*at == '<' || *at == '>' || *at == '^')) place.align = *at++;
  place.plus = next('+');
  place.alternate = next('#');
  place.zeros = next('0');
  if (at != end && *at >= '1' && *at <= '9' && !number(place.width)) return false;
  if (next('.') && !number(place.precision)) return false;
  if (at != end && *at != '}') {
    place.type = *at++;
    bool known = false;
    for (const char* t = "duxXobfegcsp"; *t != 0; ++t) known |= *t == place.type;
    if (!known) return false;
  }
  return next('}');
}

/// How many values a format takes; -1: it is none.
constexpr int print_places(const char* format, const char* end) {
  int places = 0;
  while (format != end) {
    const char c = *format++;
    if (c != '{' && c != '}') continue;
    if (format != end && *format == c) {
      ++format;
    } else if (PrintPlace place; c == '}' || !parse_place(format, end, place)) {
      return -1;
    } else {
      ++places;
    }
  }
  return places;
}
template <uint32_t n>
constexpr int print_places(const char (&format)[n]) {
  return print_places(format, format + n - 1);
}

/// What a value is, as a letter: unsigned and signed words, fp32, bool, char, the address of a string, another address,
/// unsigned and signed 64 bits (two words, the low one first).
enum class PrintType : char {
  Unsigned = 'u',
  Signed = 'i',
  Float = 'f',
  Bool = 'b',
  Char = 'c',
  String = 's',
  Pointer = 'p',
  Unsigned64 = 'U',
  Signed64 = 'I',
};
inline constexpr PrintType kPrintTypes[] = {PrintType::Unsigned, PrintType::Signed,     PrintType::Float,
                                            PrintType::Bool,     PrintType::Char,       PrintType::String,
                                            PrintType::Pointer,  PrintType::Unsigned64, PrintType::Signed64};
constexpr bool is_print_type(char letter) {
  for (const PrintType type : kPrintTypes)
    if (static_cast<char>(type) == letter) return true;
  return false;
}
constexpr uint32_t words_of(PrintType type) {
  return type == PrintType::Unsigned64 || type == PrintType::Signed64 ? 2 : 1;
}

/// The number of a print in its kernel's instructions. Prints of one kernel may share one: where their instructions
/// lie tells them apart, and the number tells kernels apart that are alike.
constexpr uint32_t print_id(const char* format, const char* end, uint32_t most) {
  uint32_t hash = 0x811C'9DC5;
  for (; format != end; ++format) hash = (hash ^ static_cast<uint8_t>(*format)) * 0x0100'0193;
  return 1 + (hash ^ hash >> 16) % most;
}
template <uint32_t n>
constexpr uint32_t print_id(const char (&format)[n], uint32_t most) {
  return print_id(format, format + n - 1, most);
}

}  // namespace kerr::isa
