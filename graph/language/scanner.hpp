// The characters of an expression, from left to right: blanks, signs, words, numbers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kerr::graph {

/// Throws Mistake. Blanks before what is taken are skipped.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  /// Where the next character is that is no blank.
  size_t place();
  bool at_end();
  char peek();  // 0 at the end
  /// What is left, without blanks in front.
  std::string_view rest();
  std::string_view text() const { return text_; }
  void move_to(size_t at) { at_ = at; }

  bool take(std::string_view sign);
  /// A word: no letter, digit or '_' follows.
  bool take_word(std::string_view word);
  void expect(std::string_view sign, std::string_view why = "");
  /// Letters, digits and '_'; empty if something else is next.
  std::string_view word();
  /// As Python writes numbers: 12, 1_000, .5, 1e-3, 0x1f, 0o17, 0b101. At most the largest number of FP32; whole
  /// numbers with a
  /// prefix have 32 bits.
  double number();
  /// Text between quotes.
  std::string_view quoted();

  [[noreturn]] void fail(const std::string& sentence);
  [[noreturn]] static void fail_at(size_t at, const std::string& sentence);

 private:
  double prefixed(int base);
  double decimal();

  std::string_view text_;
  size_t at_ = 0;
};

/// The sentence, the number of the character, and below it the text with a mark under the place:
///
///   an operator or the end is expected, at character 3:
///     a b
///       ^
std::string with_place(std::string_view sentence, std::string_view text, size_t at);

}  // namespace kerr::graph
