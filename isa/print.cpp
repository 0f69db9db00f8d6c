#include "isa/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "isa/hints.hpp"

namespace kerr::isa {

namespace {

constexpr std::string_view kBegin = "print \"";

// What stands in quotes, and back.
std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

char type_of(const PrintPlace& place) {
  switch (place.type) {
    case 'd': return 'i';
    case 'f':
    case 'e':
    case 'g': return 'f';
    case 'c':
    case 's':
    case 'p': return place.type;
    default: return 'u';
  }
}

// The type letter of each value. Precondition: `format` is a format.
std::string types_of(std::string_view format) {
  std::string types;
  const char* at = format.data();
  const char* const end = at + format.size();
  while (at != end) {
    const char c = *at++;
    if (c != '{' && c != '}') continue;
    PrintPlace place;
    if (at != end && *at == c) {
      ++at;
    } else if (parse_place(at, end, place)) {
      types += type_of(place);
    }
  }
  return types;
}

}  // namespace

uint32_t Print::words() const {
  uint32_t words = 0;
  for (const char type : types) words += words_of(static_cast<PrintType>(type));
  return std::max(1u, words);
}

std::string remark_of(const Print& print) {
  std::string out = fmt::format("{}{}\" {}", kBegin, quoted(print.format), print.types);
  if (!print.file.empty()) out += fmt::format(" {}:{}", print.file, print.line);
  return out;
}

std::optional<Print> print_in(std::string_view remark) {
  const size_t begin = remark.find(kBegin);
  if (begin == remark.npos) return std::nullopt;
  size_t at = begin + kBegin.size();
  Print print;
  for (;; ++at) {
    if (at >= remark.size()) return std::nullopt;
    if (remark[at] == '"') break;
    const bool escaped = remark[at] == '\\';
    if (escaped && ++at >= remark.size()) return std::nullopt;
    print.format += escaped && remark[at] == 'n' ? '\n' : remark[at];
  }
  if (++at >= remark.size() || remark[at] != ' ') return std::nullopt;
  for (++at; at < remark.size() && is_print_type(remark[at]); ++at) print.types += remark[at];
  if (print.words() > hint::kMostPrintWords) return std::nullopt;
  if (at >= remark.size() || remark[at] != ' ') return print;
  const std::string_view place = remark.substr(at + 1, remark.find(';', at) - (at + 1));
  const size_t colon = place.rfind(':');
  if (colon == place.npos) return print;
  const auto [end, error] = std::from_chars(place.data() + colon + 1, place.data() + place.size(), print.line);
  if (error == std::errc{} && end == place.data() + place.size()) print.file = place.substr(0, colon);
  return print;
}

std::string print_mistake(std::string_view format, size_t values) {
  const int places = print_places(format.data(), format.data() + format.size());
  if (places < 0) return "the print has a '{' or '}' that begins no place: {} {:4} {:#x} {:.2f}; a brace is {{ or }}";
  if (static_cast<size_t>(places) != values)
    return fmt::format("the print has {} places and {} values", places, values);
  if (values > hint::kMostPrintWords) return fmt::format("a print has at most {} values", hint::kMostPrintWords);
  return {};
}

void print(Assembler& code, std::string_view format, std::span<const Reg> values, SourceLocation where) {
  if (const std::string wrong = print_mistake(format, values.size()); !wrong.empty())
    throw AssemblerError(fmt::format("{}:{}: {}", where.file_name(), where.line(), wrong));
  const auto id = static_cast<int32_t>(print_id(format.data(), format.data() + format.size(), hint::kMostPrintIds));
  constexpr auto kLast = static_cast<int32_t>(hint::kLast);
  code.comment(remark_of({std::string(format), types_of(format)}));
  if (values.empty()) code.addi(reg::zero, reg::zero, id | kLast, where);
  for (size_t i = 0; i < values.size(); ++i)
    code.addi(reg::zero, values[i], i + 1 == values.size() ? id | kLast : id, where);
}

}  // namespace kerr::isa
