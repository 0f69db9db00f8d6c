#include "cli/options.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <string_view>

#include "cli/files.hpp"
#include "isa/text/cursor.hpp"
#include "isa/text/whole_number.hpp"

namespace kerr::cli {

namespace {

using isa::text::Suggestion;

const CLI::App& innermost(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

// "--trace" of "--trace=x.json".
std::string name_of(const std::string& word) { return word.substr(0, word.find('=')); }

// A sentence, which may be a question already, and what to try.
std::string with_hint(const std::string& sentence, const std::string& path) {
  return fmt::format("{}{}  Try '{} --help'.", sentence, sentence.ends_with('?') ? "" : ".", path);
}

std::string unknown_option(const CLI::App& command, const std::string& path, const std::string& option,
                           std::string_view of_expression = "") {
  Suggestion suggestion(option);
  for (const CLI::Option* known : command.get_options()) {
    for (const std::string& name : known->get_lnames()) suggestion.consider("--" + name);
  }
  return fmt::format("'{}' has no option '{}'{}{}", path, option, of_expression, suggestion.text());
}

[[noreturn]] void refuse_option(const CLI::App& command, const std::string& path, const std::string& option,
                                std::string_view of_expression) {
  throw CLI::ExtrasError(with_hint(unknown_option(command, path, option, of_expression), path),
                         CLI::ExitCodes::ExtrasError);
}

[[noreturn]] void refuse_command(const CLI::App& app, const std::string& path, const std::string& word) {
  Suggestion suggestion(word);
  std::string all;
  for (const CLI::App* known : app.get_subcommands({})) {
    suggestion.consider(known->get_name());
    all += fmt::format("{}{}", all.empty() ? "" : ", ", known->get_name());
  }
  const std::string near = suggestion.text();
  throw CLI::ExtrasError(
      with_hint(fmt::format("'{}' has no command '{}'{}", path, word, near.empty() ? "; there are " + all : near), path),
      CLI::ExitCodes::ExtrasError);
}

// The names in an expression that stand for matrices: not those of calls.
std::set<std::string> names_in(std::string_view text) {
  const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  std::set<std::string> names;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && is_name(text[end])) ++end;
    if (end == at) {
      ++at;
      continue;
    }
    size_t next = end;
    while (next < text.size() && std::isspace(static_cast<unsigned char>(text[next]))) ++next;
    const bool call = next < text.size() && text[next] == '(';
    if (!std::isdigit(static_cast<unsigned char>(text[at])) && !call) names.emplace(text.substr(at, end - at));
    at = end;
  }
  return names;
}

// The command line of a command whose operand is an expression, sorted.
struct Sorted {
  std::vector<std::string> options;  // of the command, with their values
  std::vector<std::string> words;    // the expression, and what is too much
  struct Shape {
    std::string option;
    std::optional<std::string> value;
  };
  std::vector<Shape> shapes;
};

Sorted sorted(const CLI::App& command, const std::vector<std::string>& words) {
  Sorted out;
  bool options_end = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string name = name_of(word);
    const bool with_value = name.size() < word.size();
    if (options_end || word.size() < 2 || word[0] != '-') {
      out.words.push_back(word);
    } else if (word == "--") {
      options_end = true;
    } else if (const CLI::Option* option = command.get_option_no_throw(name)) {
      out.options.push_back(word);
      if (option->get_expected_min() > 0 && option->get_type_size() != 0 && !with_value && i + 1 < words.size())
        out.options.push_back(words[++i]);
    } else if (word.starts_with("--")) {
      Sorted::Shape shape{name, std::nullopt};
      if (with_value) {
        shape.value = word.substr(name.size() + 1);
      } else if (i + 1 < words.size() && std::isdigit(static_cast<unsigned char>(words[i + 1].c_str()[0]))) {
        shape.value = words[++i];
      }
      out.shapes.push_back(std::move(shape));
    } else {
      out.words.push_back(word);  // an expression that begins with a sign
    }
  }
  return out;
}

}  // namespace

uint64_t number(const std::string& name, const std::string& text, uint64_t least, uint64_t most) {
  if (const auto problem = isa::text::problem_with_number(text, least, most)) throw CLI::ValidationError(name + *problem);
  return *isa::text::whole_number(text);
}

CLI::Option* add_real(CLI::App* command, const std::string& name, std::optional<float>& value,
                      const std::string& help) {
  return command
      ->add_option_function<std::string>(
          name,
          [name, &value](const std::string& text) {
            float read = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
            if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(read))
              throw CLI::ValidationError(fmt::format("{} = {} is no finite number of fp32", name, text));
            value = read;
          },
          help)
      ->type_name("NUMBER");
}

CLI::Validator readable_file() {
  return CLI::Validator(
      [](std::string& path) { return can_be_read(path) ? "" : fmt::format("there is no file '{}'", path); }, "FILE");
}

void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_type_size() == 0) continue;
    option->check(CLI::Validator(
        [](std::string& text) { return text.empty() ? std::string("it must not be empty") : std::string(); }, ""));
  }
  for (CLI::App* command : app.get_subcommands({})) refuse_empty_values(*command);
}

std::vector<std::string> take_expression(CLI::App& app, std::vector<std::string> words,
                                         std::vector<std::string>& shapes) {
  for (const std::string& word : words) {
    if (word == "--") break;
    if (word.size() > 3 && word.starts_with("--") && word.ends_with('=') && name_of(word).size() + 1 == word.size())
      throw CLI::ValidationError(fmt::format("{}: it must not be empty", name_of(word)));
  }
  const CLI::App* command = &app;
  std::string path = app.get_name();
  size_t named = 0;
  for (; named < words.size(); ++named) {
    const auto inner = command->get_subcommands([&](const CLI::App* c) { return c->get_name() == words[named]; });
    if (inner.empty()) break;
    command = inner.front();
    path += " " + words[named];
  }
  if (named < words.size() && !words[named].starts_with('-') && !command->get_subcommands({}).empty())
    refuse_command(*command, path, words[named]);
  const Sorted given = sorted(*command, {words.begin() + static_cast<ptrdiff_t>(named), words.end()});
  const bool help = std::ranges::find_if(given.options, [](const std::string& o) {
                      return o == "-h" || o == "--help";
                    }) != given.options.end();
  const bool has_expression = path == "kerr eval" || path == "kerr kernel show";
  if (!has_expression) {
    // Before the parser takes what follows an unknown option for an operand.
    if (!help && !given.shapes.empty()) refuse_option(*command, path, given.shapes.front().option, "");
    return words;
  }
  const std::set<std::string> names = given.words.empty() ? std::set<std::string>{} : names_in(given.words[0]);
  std::set<std::string> seen;
  for (const Sorted::Shape& shape : given.shapes) {
    if (help) break;
    const std::string name = shape.option.substr(2);
    if (!names.contains(name)) {
      const std::string in_expression =
          given.words.empty() ? "" : fmt::format(", and the expression has no '{}'", name);
      refuse_option(*command, path, shape.option, in_expression);
    }
    if (!shape.value)
      throw CLI::ValidationError(fmt::format("{} needs a shape, as in '{} 512x1024'", shape.option, shape.option));
    if (!seen.insert(name).second) throw CLI::ValidationError(fmt::format("{} is given twice", shape.option));
    shapes.push_back(shape.option);
    shapes.push_back(*shape.value);
  }
  words.resize(named);
  words.insert(words.end(), given.options.begin(), given.options.end());
  if (!given.words.empty()) {
    words.emplace_back("--");
    words.insert(words.end(), given.words.begin(), given.words.end());
  }
  return words;
}

std::string command_name(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* command = &app; !command->get_subcommands().empty();) {
    command = command->get_subcommands().front();
    name += " " + command->get_name();
  }
  return name;
}

std::string refusal(const CLI::App& app, const CLI::ParseError& error) {
  const std::string path = command_name(app);
  const std::string text = error.what();
  if (text.find("Try 'kerr") != std::string::npos) return text;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return with_hint(text, path);

  // In the order in which they were written; the parser's own text turns them round.
  const CLI::App& command = innermost(app);
  std::string first;
  for (const std::string& word : app.remaining(true)) {
    if (word != "--") {
      first = word;
      break;
    }
  }
  if (first.size() > 1 && first[0] == '-' && !std::isdigit(static_cast<unsigned char>(first[1])))
    return with_hint(unknown_option(command, path, name_of(first)), path);
  return with_hint(fmt::format("'{}' is one operand too many for '{}'", first, path), path);
}

}  // namespace kerr::cli
