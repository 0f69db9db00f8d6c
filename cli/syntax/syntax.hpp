// What a command takes, as it declares it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kerr::cli {

/// What is wrong with a command line, in one sentence without a full stop that names the offender.
class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// An option, or an operand: its name then has no dash.
class Option {
 public:
  Option& required();
  Option& needs(const char* option);
  /// Neither may be given with the other.
  Option& excludes(std::initializer_list<const char*> options);
  /// What its value is called in the help: "FILE".
  Option& called(const char* value);
  /// Its value is taken for what this makes of it.
  Option& respelled(std::string (*spelling)(std::string));

  bool is_operand() const { return names.front()[0] != '-'; }
  /// The long one: "--output".
  const std::string& name() const { return names.back(); }

  std::vector<std::string> names;  // "-o", "--output"
  std::string help;
  std::string value_name;  // "NUMBER", "{a,b}"; empty: any text
  std::string group;       // the heading of its help
  bool takes_value = true;
  bool is_required = false;
  bool is_many = false;  // an operand that takes all that follow
  std::vector<std::string> needed, excluded;
  std::function<void(const std::string&)> set;  // of a flag: with an empty text. Throws UsageError
  std::string (*spelling)(std::string) = nullptr;
};

class Syntax {
 public:
  Syntax();  // with --help
  /// A heading of the help, under which stands what is declared from now on. The last one is "Options".
  void group(const char* heading) { group_ = heading; }

  Option& flag(const char* names, bool& value, const char* help);
  /// `value` becomes `when_given`.
  template <class T>
  Option& flag(const char* names, T& value, std::type_identity_t<T> when_given, const char* help) {
    return add(names, help, false, [&value, when_given](const std::string&) { value = when_given; });
  }

  Option& text(const char* names, std::string& value, const char* help);
  /// The last operand: it takes all words from here on.
  Option& texts(const char* names, std::vector<std::string>& values, const char* help);
  /// A file to write.
  Option& output_file(const char* names, std::string& path, const char* help);
  /// A file, a pipe or "-"; it must be there.
  Option& input_file(const char* names, std::string& path, const char* help);

  /// A whole number from `least` to `most`: nothing wraps, saturates or is octal.
  template <class T>
  Option& number(const char* names, T& value, const char* help, uint64_t least = 0,
                 uint64_t most = static_cast<uint64_t>(std::numeric_limits<T>::max())) {
    return whole_number(names, help, least, most, [&value](uint64_t read) { value = static_cast<T>(read); });
  }
  template <class T>
  Option& number(const char* names, std::optional<T>& value, const char* help, uint64_t least = 0,
                 uint64_t most = static_cast<uint64_t>(std::numeric_limits<T>::max())) {
    return whole_number(names, help, least, most, [&value](uint64_t read) { value = static_cast<T>(read); });
  }
  /// A finite number.
  Option& real(const char* names, std::optional<float>& value, const char* help);

  /// One of some words.
  template <class T>
  Option& choice(const char* names, T& value,
                 std::initializer_list<std::pair<const char*, std::type_identity_t<T>>> choices, const char* help) {
    std::vector<std::string> words;
    std::vector<T> values;
    for (const auto& [word, meaning] : choices) {
      words.emplace_back(word);
      values.push_back(meaning);
    }
    return word(names, std::move(words), [&value, values](size_t i) { value = values[i]; }, help);
  }
  Option& word(const char* names, std::vector<std::string> words, std::function<void(size_t index)> set,
               const char* help);
  /// Any text, which `set` reads. Throws UsageError or std::invalid_argument.
  Option& add(const char* names, const char* help, bool takes_value, std::function<void(const std::string&)> set);

  /// An operand that may begin with a sign and names matrices. Options of these names are their shapes: "--x", "64x64", ...
  Option& expression(const char* name, std::string& text, std::vector<std::string>& shapes, const char* help);

  /// Stands below the help: prose is wrapped, lines that begin with two blanks are examples.
  void footer(const char* text) { footer_ = text; }

  const std::deque<Option>& options() const { return options_; }
  /// Options of this heading, as far as they are declared, exclude these too.
  void group_excludes(const char* heading, std::initializer_list<const char*> options);
  const std::string& footer() const { return footer_; }
  std::vector<std::string>* shapes() const { return shapes_; }
  const Option* find(const std::string& name) const;

 private:
  Option& whole_number(const char* names, const char* help, uint64_t least, uint64_t most,
                       std::function<void(uint64_t)> set);

  std::deque<Option> options_;  // whose addresses stay
  std::string group_ = "Options";
  std::string footer_;
  std::vector<std::string>* shapes_ = nullptr;
  bool help_ = false;
};

}  // namespace kerr::cli
