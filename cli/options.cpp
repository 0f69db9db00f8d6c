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

std::string all_commands(const CLI::App& app) {
  std::string all;
  for (const CLI::App* known : app.get_subcommands({}))
    all += fmt::format("{}{}", all.empty() ? "" : ", ", known->get_name());
  return all;
}

[[noreturn]] void refuse_command(const CLI::App& app, const std::string& path, const std::string& word) {
  Suggestion suggestion(word);
  for (const CLI::App* known : app.get_subcommands({})) suggestion.consider(known->get_name());
  const std::string near = suggestion.text();
  throw CLI::ExtrasError(with_hint(fmt::format("'{}' has no command '{}'{}", path, word,
                                               near.empty() ? "; it has " + all_commands(app) : near),
                                   path),
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

// What an option takes, without the parser's own words: "{a,b}" of "TEXT:{a,b}".
std::string value_of(const CLI::Option& option) {
  std::string type = option.get_type_name();
  if (type.starts_with("TEXT:")) type.erase(0, 5);
  return type;
}

bool takes_value(const CLI::Option& option) { return option.get_expected_min() > 0 && option.get_type_size() != 0; }

// The command line of one command, sorted.
struct Sorted {
  std::vector<std::string> options;  // of the command: "--name=value", so that a value may begin with a sign
  std::vector<std::string> words;    // operands, and what is too much
  struct Shape {
    std::string option;
    std::optional<std::string> value;
  };
  std::vector<Shape> shapes;  // options that the command does not have
  std::string problem;        // the first: an option that is given twice, lacks its value, or takes none
};

class Sorter {
 public:
  Sorter(const CLI::App& command, bool has_expression) : command_(command), has_expression_(has_expression) {}

  Sorted sort(const std::vector<std::string>& words) {
    bool options_end = false;
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      const std::string* next = i + 1 < words.size() ? &words[i + 1] : nullptr;
      if (options_end || word.size() < 2 || word[0] != '-') {
        out_.words.push_back(word);
      } else if (word == "--") {
        options_end = true;
      } else if (const CLI::Option* option = command_.get_option_no_throw(name_of(word))) {
        i += add(*option, word, next);
      } else if (word.starts_with("--")) {
        i += add_shape(word, next);
      } else if (has_expression_ || std::isdigit(static_cast<unsigned char>(word[1]))) {
        out_.words.push_back(word);  // an expression that begins with a sign, or a number
      } else if (command_.get_option_no_throw(word.substr(0, 2)) != nullptr) {
        out_.options.push_back(word);  // "-ofile"
      } else {
        out_.shapes.push_back({name_of(word), std::nullopt});
      }
    }
    return std::move(out_);
  }

 private:
  void refuse(std::string sentence) {
    if (out_.problem.empty()) out_.problem = std::move(sentence);
  }

  // How many of the next words belong to it: 0 or 1.
  size_t add(const CLI::Option& option, const std::string& word, const std::string* next) {
    const std::string name = name_of(word);
    const bool with_value = name.size() < word.size();
    if (!takes_value(option)) {
      if (with_value) refuse(fmt::format("{} takes no value", name));
      out_.options.push_back(name);
      return 0;
    }
    if (!seen_.insert(&option).second) refuse(fmt::format("{} is given twice", name));
    if (!with_value &&
        (next == nullptr || next->starts_with("--") || command_.get_option_no_throw(name_of(*next)) != nullptr)) {
      refuse(fmt::format("{} needs a value: {}", name, value_of(option)));
      return 0;
    }
    const std::string value = with_value ? word.substr(name.size() + 1) : *next;
    if (value.empty()) refuse(fmt::format("{}: it must not be empty", name));
    if (with_value) {
      out_.options.push_back(word);
    } else if (name.starts_with("--")) {
      out_.options.push_back(name + "=" + value);
    } else {
      out_.options.push_back(name);
      out_.options.push_back(value);
    }
    return with_value ? 0 : 1;
  }

  size_t add_shape(const std::string& word, const std::string* next) {
    Sorted::Shape shape{name_of(word), std::nullopt};
    const bool with_value = shape.option.size() < word.size();
    const bool takes_next = !with_value && next && std::isdigit(static_cast<unsigned char>(next->c_str()[0]));
    if (with_value) shape.value = word.substr(shape.option.size() + 1);
    if (takes_next) shape.value = *next;
    out_.shapes.push_back(std::move(shape));
    return takes_next ? 1 : 0;
  }

  const CLI::App& command_;
  const bool has_expression_;
  Sorted out_;
  std::set<const CLI::Option*> seen_;
};

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
  const CLI::App* command = &app;
  std::string path = app.get_name();
  size_t named = 0;
  for (; named < words.size(); ++named) {
    const auto inner = command->get_subcommands([&](const CLI::App* c) { return c->get_name() == words[named]; });
    if (inner.empty()) break;
    command = inner.front();
    path += " " + words[named];
  }
  const bool has_expression = path == "kerr eval" || path == "kerr kernel show";
  const Sorted given =
      Sorter(*command, has_expression).sort({words.begin() + static_cast<ptrdiff_t>(named), words.end()});
  const bool help = std::ranges::find_if(given.options, [](const std::string& o) {
                      return o == "-h" || o == "--help";
                    }) != given.options.end();
  if (!help) {
    const bool has_commands = !command->get_subcommands({}).empty();
    if (has_commands && !given.words.empty() && words[named] == given.words.front())
      refuse_command(*command, path, given.words.front());
    // Before the parser takes what follows an unknown option for an operand.
    if (!has_expression && !given.shapes.empty()) refuse_option(*command, path, given.shapes.front().option, "");
    if (!given.problem.empty()) throw CLI::ValidationError(with_hint(given.problem, path));
    if (has_commands && command != &app && given.options.empty())
      throw CLI::ValidationError(
          with_hint(fmt::format("'{}' needs a command: {}", path, all_commands(*command)), path));
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
    if (!shape.value) {
      throw CLI::ValidationError(
          with_hint(fmt::format("{} needs a shape, as in '{} 512x1024'", shape.option, shape.option), path));
    }
    if (!seen.insert(name).second)
      throw CLI::ValidationError(with_hint(fmt::format("{} is given twice", shape.option), path));
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
