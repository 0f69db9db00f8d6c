// What all commands' options have in common: how numbers and files are read, what is refused and how it is said.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kerr::cli {

/// The text as a whole number. Throws CLI::ValidationError that says what is allowed: nothing wraps, saturates or is octal.
uint64_t number(const std::string& name, const std::string& text, uint64_t least, uint64_t most);

/// An option or operand that is a whole number from `least` to `most`.
template <class T>
CLI::Option* add_number(CLI::App* command, const std::string& name, T& value, const std::string& help,
                        uint64_t least = 0,
                        uint64_t most = static_cast<uint64_t>(std::numeric_limits<T>::max())) {
  using Stored = decltype([] {
    if constexpr (requires { typename T::value_type; })
      return typename T::value_type{};
    else
      return T{};
  }());
  const std::string shown = name.substr(name.rfind(',') + 1);
  return command
      ->add_option_function<std::string>(
          name,
          [shown, &value, least, most](const std::string& text) {
            value = static_cast<Stored>(number(shown, text, least, most));
          },
          help)
      ->type_name("NUMBER");
}

/// A finite number. Throws CLI::ValidationError otherwise.
CLI::Option* add_real(CLI::App* command, const std::string& name, std::optional<float>& value,
                      const std::string& help);

/// "-", or something at that path that is no directory: a file, or a pipe.
CLI::Validator readable_file();

/// From now on no option or operand of `app` and its commands takes an empty text.
void refuse_empty_values(CLI::App& app);

/// The words of the command line without the program's name, as the parser takes them. An expression of 'eval' and 'kernel show' may
/// begin with '-', and options that it names are the shapes of its matrices: they are taken out, `shapes` gets
/// "--x", "64x64", ... Throws CLI::ParseError.
std::vector<std::string> take_expression(CLI::App& app, std::vector<std::string> words,
                                         std::vector<std::string>& shapes);

/// The command that was given, as far as it was understood: "kerr cq dump".
std::string command_name(const CLI::App& app);

/// What is wrong with the command line, in one sentence that names the offender and what to try.
std::string refusal(const CLI::App& app, const CLI::ParseError& error);

}  // namespace kerr::cli
