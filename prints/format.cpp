#include "prints/format.hpp"

#include <fmt/format.h>

#include <bit>
#include <optional>

namespace kerr::prints {

namespace {

using isa::PrintPlace;
using isa::PrintType;

// As fmt has them. `types`: those that it may say of such a value.
std::string spec_of(const PrintPlace& place, std::string_view types, bool numeric) {
  const bool suits = place.type != 0 && types.find(place.type) != types.npos;
  std::string out = "{:";
  if (place.align != 0) out += place.align;
  if (numeric && place.plus) out += '+';
  if (numeric && place.alternate) out += '#';
  if (numeric && place.zeros && place.align == 0) out += '0';
  if (place.width != 0) out += std::to_string(place.width);
  if (place.precision >= 0 && types.find('f') != types.npos) out += fmt::format(".{}", place.precision);
  if (suits) out += place.type;
  return out + "}";
}

template <class T>
std::string written(const PrintPlace& place, std::string_view types, T value) {
  return fmt::format(fmt::runtime(spec_of(place, types, true)), value);
}

std::string written(const PrintPlace& place, const std::string& text) {
  return fmt::format(fmt::runtime(spec_of(place, "s", false)), text);
}

constexpr std::string_view kWhole = "duxXobB", kFloat = "feg";

std::string value_text(const PrintPlace& place, PrintType type, uint64_t value, const StringAt& string_at) {
  const auto word = static_cast<uint32_t>(value);
  const bool signs = place.type == 'd' || place.type == 0;
  PrintPlace whole = place;
  if (whole.type == 'u') whole.type = 'd';
  switch (type) {
    case PrintType::Unsigned: return written(whole, kWhole, word);
    case PrintType::Unsigned64: return written(whole, kWhole, value);
    // A negative number in hexadecimal shows its bits.
    case PrintType::Signed:
      return signs ? written(whole, kWhole, static_cast<int32_t>(word)) : written(whole, kWhole, word);
    case PrintType::Signed64:
      return signs ? written(whole, kWhole, static_cast<int64_t>(value)) : written(whole, kWhole, value);
    case PrintType::Float: return written(place, kFloat, std::bit_cast<float>(word));
    case PrintType::Bool: return written(place, std::string(word != 0 ? "true" : "false"));
    case PrintType::Char: return written(place, std::string(1, static_cast<char>(word)));
    case PrintType::String: return written(place, string_at(word));
    case PrintType::Pointer: return written(place, fmt::format("{:#x}", word));
  }
  return "?";
}

// The words of a print, value by value.
class Values {
 public:
  Values(std::string_view types, std::span<const uint32_t> words) : types_(types), words_(words) {}

  std::string next(const PrintPlace& place, const StringAt& string_at) {
    if (types_.empty()) return "?";
    const auto type = static_cast<PrintType>(types_.front());
    types_.remove_prefix(1);
    const uint32_t n = isa::words_of(type);
    if (words_.size() < n) return "?";
    const uint64_t value = n == 2 ? words_[0] | uint64_t{words_[1]} << 32 : words_[0];
    words_ = words_.subspan(n);
    return value_text(place, type, value, string_at);
  }

 private:
  std::string_view types_;
  std::span<const uint32_t> words_;
};

}  // namespace

std::string text_of(const isa::Print& print, std::span<const uint32_t> words, const StringAt& string_at) {
  const char* at = print.format.data();
  const char* const end = at + print.format.size();
  if (isa::print_places(at, end) < 0) return print.format;
  Values values(print.types, words);
  std::string out;
  while (at != end) {
    const char c = *at++;
    PrintPlace place;
    if (c != '{' && c != '}') {
      out += c;
    } else if (at != end && *at == c) {
      out += *at++;
    } else if (isa::parse_place(at, end, place)) {
      out += values.next(place, string_at);
    }
  }
  return out;
}

}  // namespace kerr::prints
