#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kerr::isa::text {

/// A mistake at a column of the current line; assemble.cpp adds file and line.
struct Mistake {
  size_t column;  // from 0
  std::string message;
};

/// Reads one line of source from left to right. Blanks before a token are skipped; a comment ends the line.
class Cursor {
 public:
  explicit Cursor(std::string_view line);

  bool at_end();
  size_t column();  // of the next token
  /// Takes the character if it is next.
  bool take(char c);
  void expect(char c, std::string_view before);
  /// Letters, digits, '_', '.', '$', not starting with a digit; empty if something else is next.
  std::string_view identifier();
  std::string_view peek_identifier();
  char peek();
  /// What stands in quotes; \n, \" and \\ are a new line, a quote and a backslash. Fails if something else is next.
  std::string quoted();
  /// Nothing but an error message wants the rest.
  std::string_view rest();
  /// How many operands are left: commas outside parentheses plus one, or 0.
  size_t count_operands();

  /// Numbers and names joined by + - |. `name_value` gives a name's value or nothing.
  using Names = std::function<std::optional<int64_t>(std::string_view)>;
  int64_t expression(const Names& name_value, std::string_view known_names = {});

  [[noreturn]] void fail(std::string message);
  [[noreturn]] static void fail_at(size_t column, std::string message);

 private:
  void skip_blanks();
  int64_t term(const Names& name_value, std::string_view known_names);
  int64_t number();

  std::string_view line_;
  size_t at_ = 0;
};

/// The candidate nearest to `word` if it is near enough to be what was meant: "; did you mean 'addi'?", else "".
class Suggestion {
 public:
  explicit Suggestion(std::string_view word);
  void consider(std::string_view candidate);
  std::string text() const;

 private:
  std::string word_, best_;  // whether letters are small or large is no difference
  size_t distance_;          // a suggestion is nearer: one edit for three letters, and at most two
};

}  // namespace kerr::isa::text
