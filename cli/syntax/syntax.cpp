#include "cli/syntax/syntax.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>

#include "cli/files.hpp"
#include "isa/text/cursor.hpp"
#include "isa/text/whole_number.hpp"

namespace kerr::cli {

namespace {

bool is_digit(unsigned char c) { return std::isdigit(c) != 0; }
bool in_name(unsigned char c) { return std::isalnum(c) != 0 || c == '_'; }

// "--trace" of "--trace=x.json".
std::string name_of(const std::string& word) { return word.substr(0, word.find('=')); }

// The names in an expression that stand for matrices: not those of calls, and of arguments as in "axis=1".
std::set<std::string> names_in(const std::string& text) {
  std::set<std::string> names;
  for (auto at = text.begin(); (at = std::find_if(at, text.end(), in_name)) != text.end();) {
    const auto end = std::find_if_not(at, text.end(), in_name);
    const auto next = std::find_if_not(end, text.end(), [](unsigned char c) { return std::isspace(c) != 0; });
    const bool call = next != text.end() && *next == '(';
    const bool argument = next != text.end() && *next == '=' && (next + 1 == text.end() || next[1] != '=');
    if (!is_digit(*at) && !call && !argument) names.emplace(at, end);
    at = end;
  }
  return names;
}

[[noreturn]] void refuse_option(const CLI::App& app, std::string_view path, const std::string& name,
                                std::string_view why = "") {
  isa::text::Suggestion suggestion(name);
  for (const CLI::Option* known : app.get_options()) {
    if (known->nonpositional() && known->get_name() != name) suggestion.consider(known->get_name());
  }
  throw UsageError(fmt::format("'{}' has no option '{}'{}{}", path, name, why, suggestion.text()));
}

bool is_list(const CLI::Option& option) { return option.get_allow_extra_args(); }

std::string needs_value(const CLI::Option& option) {
  const std::string value = option.get_type_name();
  return fmt::format("{} needs a value: {}", option.get_name(), value.empty() ? "TEXT" : value);
}

std::string entry_of(const CLI::Option& option, size_t columns) {
  if (option.get_positional()) return help_entry(option.get_name(), option.get_description(), columns, kCommandColumn);
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  const std::string value = option.get_type_name();
  return help_entry(fmt::format("{}{}{}", fmt::join(names, ", "), value.empty() ? "" : " ", value),
                    option.get_description(), columns, kOptionColumn);
}

}  // namespace

bool looks_like_option(const std::string& word) { return word.size() > 1 && word[0] == '-' && !is_digit(word[1]); }

Option Option::required() { return Option(*option_.required()); }
Option Option::needs(const char* option) { return Option(*option_.needs(option)); }
Option Option::called(const std::string& value) { return Option(*option_.type_name(value)); }
Option Option::respelled(std::string (*spelling)(std::string)) { return Option(*option_.transform(spelling)); }
Option Option::excludes(std::initializer_list<const char*> options) {
  for (const char* option : options) option_.excludes(option);
  return *this;
}

Syntax::Syntax() : app_(std::make_shared<CLI::App>()) {
  app_->allow_extras();
  app_->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void Syntax::group(const char* heading, std::initializer_list<const char*> excluded) {
  app_->option_defaults()->group(heading);
  group_excludes_ = excluded;
}

Option Syntax::add(const char* names, const char* help, Set set, int values) {
  CLI::Option* option = app_->add_option(names, CLI::callback_t{}, help)->expected(values);
  for (const char* excluded : group_excludes_) option->excludes(excluded);
  declared_.emplace_back(option, std::move(set));
  return Option(*option);
}

Option Syntax::text(const char* names, std::string& value, const char* help) {
  return add(names, help, [&value](const std::string&, const std::string& text) { value = text; });
}

Option Syntax::list(const char* names, std::vector<std::string>& values, const char* help) {
  const Option option =
      add(names, help, [&values](const std::string&, const std::string& text) { values.push_back(text); });
  lists_.push_back(declared_.back().first);
  return option;
}

Option Syntax::texts(const char* names, std::vector<std::string>& values, const char* help) {
  return add(
      names, help, [&values](const std::string&, const std::string& text) { values.push_back(text); }, -1);
}

Option Syntax::output_file(const char* names, std::string& path, const char* help) {
  return text(names, path, help).called("FILE");
}

Option Syntax::input_file(const char* names, std::string& path, const char* help, std::function<void()> read) {
  const auto set = [&path, read = std::move(read)](const std::string& name, const std::string& text) {
    if (!can_be_read(text)) throw UsageError(fmt::format("{}: there is no file '{}'", name, text));
    path = text;
    if (read) read();
  };
  return add(names, help, set).called("FILE");
}

Option Syntax::whole_number(const char* names, const char* help, uint64_t least, uint64_t most,
                            std::function<void(uint64_t)> set) {
  const auto checked = [least, most, set = std::move(set)](const std::string& name, const std::string& text) {
    if (const auto problem = isa::text::problem_with_number(text, least, most)) throw UsageError(name + *problem);
    set(*isa::text::whole_number(text));
  };
  return add(names, help, checked).called("NUMBER");
}

Option Syntax::real(const char* names, std::optional<float>& value, const char* help) {
  const auto set = [&value](const std::string& name, const std::string& text) {
    float read = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(read))
      throw UsageError(fmt::format("{} = {} is no finite number of fp32", name, text));
    value = read;
  };
  return add(names, help, set).called("NUMBER");
}

Option Syntax::word(const char* names, std::vector<std::string> words, std::function<void(size_t index)> set,
                    const char* help) {
  const std::string all = fmt::format("{{{}}}", fmt::join(words, ","));
  const auto checked = [all, words = std::move(words), set = std::move(set)](const std::string& name,
                                                                             const std::string& text) {
    const auto found = std::ranges::find(words, text);
    if (found == words.end()) throw UsageError(fmt::format("{}: {} not in {}", name, text, all));
    set(static_cast<size_t>(found - words.begin()));
  };
  return add(names, help, checked).called(all);
}

Option Syntax::expression(const char* name, std::string& text, Shapes& shapes, const char* help) {
  expression_ = &text;
  shapes_ = &shapes;
  return add(name, help, [&text](const std::string&, const std::string& word) { text = word.substr(word[0] == ' '); });
}

void Syntax::footer(const std::string& text) { app_->footer(text); }
std::string Syntax::footer() const { return app_->get_footer(); }

void Syntax::check_values(const CLI::Option& option) const {
  const bool is_flag = option.get_expected_max() == 0;
  const bool may_repeat = is_list(option) || std::ranges::find(lists_, &option) != lists_.end();
  if (option.count() > 1 && !is_flag && !may_repeat) throw UsageError(option.get_name() + " is given twice");
  for (const std::string& value : option.results()) {
    if (is_flag && value != "true") throw UsageError(option.get_name() + " takes no value");
    if (option.nonpositional() && value.starts_with("--")) throw UsageError(needs_value(option));
    if (value.empty()) throw UsageError(option.get_name() + ": it must not be empty");
  }
}

// Options of an expression's command that it does not declare are declared now: they may be shapes of matrices. So are
// those of a command that takes others.
std::vector<CLI::Option*> Syntax::prepare(std::vector<std::string>& words) {
  std::vector<CLI::Option*> added;
  for (std::string& word : words) {
    const auto alone = std::ranges::find(alone_, word, &std::pair<std::string, std::string>::first);
    if (alone != alone_.end()) word += "=" + alone->second;
    const std::string name = name_of(word);
    if (word == "--") continue;                                    // CLI11 may take it for the end of a shape
    if (word.starts_with("--") && word.size() == name.size() + 1)  // CLI11 would take the next word for its value
      throw UsageError(name + ": it must not be empty");
    const bool is_declared = app_->get_option_no_throw(name) != nullptr;
    if ((expression_ == nullptr && others_ == nullptr) || !looks_like_option(word) || is_declared) continue;
    if (expression_ != nullptr && !word.starts_with("--"))
      word.insert(0, " ");  // an expression that begins with a sign
    else if (word.starts_with("--") && std::all_of(name.begin() + 2, name.end(), in_name))
      added.push_back(app_->add_option(name, CLI::callback_t{})->expected(0, 1));
  }
  return added;
}

void Syntax::set_other(const CLI::Option& option) {
  const std::string name = option.get_name();
  if (option.count() > 1) throw UsageError(name + " is given twice");
  if (option.results()[0].empty()) throw UsageError(name + " needs a value");
  others_->emplace_back(name.substr(2), option.results()[0]);
}

void Syntax::set_shape(std::string_view path, const CLI::Option& option) {
  const std::string name = option.get_name(), matrix = name.substr(2);
  if (!names_in(*expression_).contains(matrix))
    refuse_option(*app_, path, name,
                  expression_->empty() ? "" : fmt::format(", and the expression has no '{}'", matrix));
  if (option.count() > 1) throw UsageError(name + " is given twice");
  if (option.results()[0].empty()) throw UsageError(fmt::format("{} needs a shape, as in '{} 512x1024'", name, name));
  shapes_->emplace_back(matrix, option.results()[0]);
}

// A matrix whose name is that of an option could never get a shape.
void Syntax::check_names(std::string_view path, const std::vector<CLI::Option*>& shapes) const {
  if (expression_ == nullptr) return;
  for (const std::string& name : names_in(*expression_)) {
    const CLI::Option* const option = app_->get_option_no_throw("--" + name);
    if (option != nullptr && std::ranges::find(shapes, option) == shapes.end())
      throw UsageError(fmt::format("'{}' names no matrix: --{} is an option of '{}'", name, name, path));
  }
}

bool Syntax::parse(std::string_view path, std::vector<std::string> words) {
  const std::vector<CLI::Option*> shapes = prepare(words);
  std::string problem;
  try {
    std::ranges::reverse(words);  // as CLI11 wants them
    app_->parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return false;
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();  // "--output: 1 required FILE missing"
    problem = needs_value(*app_->get_option(text.substr(0, text.find(':'))));
  } catch (const CLI::ParseError& error) {
    problem = error.what();
  }
  std::vector<std::string> extra = app_->remaining();
  std::erase(extra, "--");
  // First, as the word behind it was taken for an operand.
  if (const auto unknown = std::ranges::find_if(extra, looks_like_option); unknown != extra.end())
    refuse_option(*app_, path, name_of(*unknown));
  if (!problem.empty()) throw UsageError(problem);
  for (const auto& [option, set] : declared_) check_values(*option);
  for (const auto& [option, set] : declared_)
    for (const std::string& value : option->results()) set(option->get_name(), value);
  for (const CLI::Option* option : shapes) others_ != nullptr ? set_other(*option) : set_shape(path, *option);
  check_names(path, shapes);
  if (!extra.empty()) throw UsageError(fmt::format("'{}' is one operand too many for '{}'", extra[0], path));
  return true;
}

std::string Syntax::help(std::string_view path, std::string_view what,
                         const std::vector<std::pair<std::string, std::string>>& commands, size_t columns) const {
  const auto operands = std::as_const(*app_).get_options([](const CLI::Option* o) { return o->get_positional(); });
  std::string usage = fmt::format("Usage: {} [OPTIONS]", path), listed;
  for (const CLI::Option* operand : operands) {
    const std::string shown = operand->get_name() + (is_list(*operand) ? "..." : "");
    usage += operand->get_required() ? " " + shown : " [" + shown + "]";
    listed += entry_of(*operand, columns);
  }
  if (!commands.empty()) usage += " COMMAND";
  std::string out = wrapped(what, columns, 0, 0) + "\n\n" + wrapped(usage, columns, 0, 6) + "\n";
  if (!listed.empty()) out += "\n" + listed;
  if (!commands.empty()) out += "\nCommands:\n";
  for (const auto& [name, does] : commands) out += help_entry(name, does, columns, kCommandColumn);
  std::vector<std::string> groups = app_->get_groups();           // in the order in which they come first
  std::rotate(groups.begin(), groups.begin() + 1, groups.end());  // but "Options", that of --help, last
  for (const std::string& group : groups) {
    out += fmt::format("\n{}:\n", group);
    for (const CLI::Option* option : std::as_const(*app_).get_options())
      if (option->nonpositional() && option->get_group() == group) out += entry_of(*option, columns);
  }
  return footer().empty() ? out : out + "\n" + help_footer(footer(), columns);
}

}  // namespace kerr::cli
