// The words of a loop program's text, read as what they must be. Each function throws ProgramError where they are not.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "loops/line_reader.hpp"
#include "loops/program.hpp"

namespace kerr::loops {

class Words {
 public:
  explicit Words(std::string_view text) : reader_(text) {}

  bool next_line() { return reader_.next_line(); }
  uint32_t line() const { return reader_.line(); }
  [[noreturn]] void fail(const Word& where, const std::string& message) const {
    throw ProgramError(line(), where.column, message);
  }

  /// The next word of the line; empty if there is none.
  Word word() { return reader_.word(); }
  /// The next word. `wanted`: what is missing if there is none.
  Word word(std::string_view wanted);
  void end_of_line();

  // What a word is.
  std::string name(const Word& word, std::string_view what) const;
  Type scalar_type(const Word& word) const;
  VectorType vector_type(const Word& word) const;
  /// A number with its type.
  Operand number(const Word& word) const;
  template <class Integer>
  Integer integer(const Word& word, std::string_view what, Integer least, Integer most) const {
    Integer value = 0;
    const char* const end = word.text.data() + word.text.size();
    const auto [stopped, error] = std::from_chars(word.text.data(), end, value);
    if (error != std::errc() || stopped != end || value < least || value > most)
      fail(word,
           fmt::format("{} is {}, and wanted is a whole number from {} to {}", what, quoted(word.text), least, most));
    return value;
  }
  /// The number behind the letter: of p0 or r1.
  uint32_t index(const Word& word, char letter, std::string_view what) const;

 private:
  LineReader reader_;
};

}  // namespace kerr::loops
