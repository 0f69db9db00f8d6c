// What a command takes, as it declares it. CLI11 reads the words; only syntax.cpp sees it, which takes 10 s to compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/syntax/help.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kerr::cli {

/// What is wrong with a command line, in one sentence without a full stop that names the offender.
class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// An option, or an operand: its name then has no dash. What it refers to is declared before it.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(option) {}
  Option required();
  Option needs(const char* option);
  /// Neither may be given with the other.
  Option excludes(std::initializer_list<const char*> options);
  /// What its value is called in the help: "FILE".
  Option called(const std::string& value);
  /// Its value is taken for what this makes of it.
  Option respelled(std::string (*spelling)(std::string));

 private:
  CLI::Option& option_;
};

template <class T>
inline constexpr uint64_t kLargest = static_cast<uint64_t>(std::numeric_limits<T>::max());
template <class T>
inline constexpr uint64_t kLargest<std::optional<T>> = kLargest<T>;

/// The name and the shape of each matrix of an expression: "--x 64x64" is "x" and "64x64".
using Shapes = std::vector<std::pair<std::string, std::string>>;

/// "--x" and "-x", but not "-" and "-1".
bool looks_like_option(const std::string& word);

class Syntax {
 public:
  Syntax();  // with --help
  /// A heading of the help, under which stands what is declared from now on; all of it excludes these options, too. The
  /// last heading is "Options".
  void group(const char* heading, std::initializer_list<const char*> excluded = {});

  Option flag(const char* names, bool& value, const char* help) { return flag(names, value, true, help); }
  /// `value` becomes `when_given`.
  template <class T>
  Option flag(const char* names, T& value, std::type_identity_t<T> when_given, const char* help) {
    const auto set = [&value, when_given](const std::string&, const std::string&) { value = when_given; };
    return add(names, help, set, 0);
  }

  Option text(const char* names, std::string& value, const char* help);
  /// An option that may be given several times, a value each.
  Option list(const char* names, std::vector<std::string>& values, const char* help);
  /// The last operand: it takes all words from here on.
  Option texts(const char* names, std::vector<std::string>& values, const char* help);
  /// A file to write.
  Option output_file(const char* names, std::string& path, const char* help);
  /// A file, a pipe or "-"; it must be there. `read`: what is done with it at once.
  Option input_file(const char* names, std::string& path, const char* help, std::function<void()> read = {});

  /// A whole number from `least` to `most`: nothing wraps, saturates or is octal. T may be a std::optional.
  template <class T>
  Option number(const char* names, T& value, const char* help, uint64_t least = 0, uint64_t most = kLargest<T>) {
    return whole_number(names, help, least, most, [&value](uint64_t read) { value = static_cast<T>(read); });
  }
  /// A finite number.
  Option real(const char* names, std::optional<float>& value, const char* help);

  /// One of some words.
  template <class T>
  Option choice(const char* names, T& value,
                std::initializer_list<std::pair<const char*, std::type_identity_t<T>>> choices, const char* help) {
    std::vector<std::string> words;
    std::vector<T> values;
    for (const auto& [word, meaning] : choices) {
      words.emplace_back(word);
      values.push_back(meaning);
    }
    return word(
        names, std::move(words), [&value, values](size_t i) { value = values[i]; }, help);
  }
  /// The same behind "=" only: "--check", which is the first one, or "--check=memory".
  template <class T>
  Option optional_choice(const char* name, T& value,
                         std::initializer_list<std::pair<const char*, std::type_identity_t<T>>> choices,
                         const char* help) {
    alone_.emplace_back(name, choices.begin()->first);
    std::string words;
    for (const auto& [word, meaning] : choices) words += (words.empty() ? "" : "|") + std::string(word);
    return choice(name, value, choices, help).called("[=" + words + "]");
  }
  /// Text behind "=" only; the option alone is `alone`.
  Option optional_text(const char* name, std::string& value, const char* alone, const char* what, const char* help) {
    alone_.emplace_back(name, alone);
    return text(name, value, help).called(what);
  }
  Option word(const char* names, std::vector<std::string> words, std::function<void(size_t index)> set,
              const char* help);

  /// An operand that may begin with a sign and names matrices. Options of these names are their shapes.
  Option expression(const char* name, std::string& text, Shapes& shapes, const char* help);
  /// Takes options that are not declared, a value each, in their order: the command refuses those that it does not
  /// know. The first of a pair is the name without its dashes.
  void take_others(std::vector<std::pair<std::string, std::string>>& others) { others_ = &others; }

  /// Stands below the help: prose is wrapped, lines that begin with two blanks are examples.
  void footer(const std::string& text);
  std::string footer() const;

  /// Sets what was declared. Throws UsageError. False if help is asked for. `path`: of the command, "kerr cq dump".
  bool parse(std::string_view path, std::vector<std::string> words);
  /// The help of the command `path`. `what`: a sentence; `commands`: its own commands and what they do.
  std::string help(std::string_view path, std::string_view what,
                   const std::vector<std::pair<std::string, std::string>>& commands = {},
                   size_t columns = terminal_columns()) const;

 private:
  using Set = std::function<void(const std::string& name, const std::string& value)>;

  /// `values`: how many it takes; -1: any number.
  Option add(const char* names, const char* help, Set set, int values = 1);
  void check_values(const CLI::Option& option) const;
  Option whole_number(const char* names, const char* help, uint64_t least, uint64_t most,
                      std::function<void(uint64_t)> set);
  std::vector<CLI::Option*> prepare(std::vector<std::string>& words);
  void set_shape(std::string_view path, const CLI::Option& option);
  void set_other(const CLI::Option& option);
  void check_names(std::string_view path, const std::vector<CLI::Option*>& shapes) const;

  std::shared_ptr<CLI::App> app_;
  std::vector<std::pair<CLI::Option*, Set>> declared_;
  std::vector<const CLI::Option*> lists_;
  std::vector<std::pair<std::string, std::string>>
      alone_;  // options that may stand without a value, and what it then is
  std::vector<const char*> group_excludes_;
  std::string* expression_ = nullptr;
  Shapes* shapes_ = nullptr;
  std::vector<std::pair<std::string, std::string>>* others_ = nullptr;
};

}  // namespace kerr::cli
