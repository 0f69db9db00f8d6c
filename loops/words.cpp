#include "loops/words.hpp"

#include <algorithm>

#include "loops/numbers.hpp"

namespace kerr::loops {

namespace {

bool is_name_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '-';
}

}  // namespace

Word Words::word(std::string_view wanted) {
  const Word word = reader_.word();
  if (word.text.empty()) fail(word, fmt::format("here the line ends, and {} is wanted", wanted));
  return word;
}

void Words::end_of_line() {
  const Word more = reader_.word();
  if (!more.text.empty()) fail(more, fmt::format("{} is a word too many", quoted(more.text)));
}

std::string Words::name(const Word& word, std::string_view what) const {
  if (word.text.size() > kLongestName) fail(word, fmt::format("{} has at most {} characters", what, kLongestName));
  if (word.text.empty() || !std::all_of(word.text.begin(), word.text.end(), is_name_character))
    fail(word, fmt::format("{} is made of letters, digits and _ . -, unlike {}", what, quoted(word.text)));
  return std::string(word.text);
}

Type Words::scalar_type(const Word& word) const {
  const VectorType type = vector_type(word);
  if (type.lanes != 1) fail(word, fmt::format("{} is a vector, and a single type is wanted", quoted(word.text)));
  return type.type;
}

VectorType Words::vector_type(const Word& word) const {
  if (const auto type = type_named(word.text)) return {*type, 1};
  const size_t x = word.text.rfind('x');
  if (x != std::string_view::npos) {
    const auto type = type_named(word.text.substr(0, x));
    const std::string_view lanes = word.text.substr(x + 1);
    if (type && lanes.size() == 1 && lanes[0] >= '2' && lanes[0] <= '4')
      return {*type, static_cast<uint8_t>(lanes[0] - '0')};
  }
  std::string names;
  for (const TypeInfo& t : kTypes) names += fmt::format(" {}", t.name);
  fail(word,
       fmt::format("{} is no type: there are{}, and vectors of 2 to 4 of them, as f32x4", quoted(word.text), names));
}

Operand Words::number(const Word& word) const {
  const size_t colon = word.text.find(':');
  if (colon == std::string_view::npos)
    fail(word, fmt::format("{} is no operand: it is written %NAME or TYPE:NUMBER, as f32:1.5", quoted(word.text)));
  const Type type = scalar_type(word.part(0, colon));
  const Word digits = word.part(colon + 1);
  const auto bits = number_of_text(type, digits.text);
  if (!bits)
    fail(digits, fmt::format("{} is no {}, which is {}", quoted(digits.text), info(type).name, numbers_of(type)));
  return {{type, 1}, kNoValue, *bits};
}

uint32_t Words::index(const Word& word, char letter, std::string_view what) const {
  if (!word.text.starts_with(letter))
    fail(word, fmt::format("{} is named {}NUMBER, unlike {}", what, letter, quoted(word.text)));
  return integer<uint32_t>(word.part(1), "its number", 0, kNoValue - 1);
}

}  // namespace kerr::loops
