#include "cli/syntax/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "isa/text/cursor.hpp"

namespace kerr::cli {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// "--trace" of "--trace=x.json".
std::string name_of(const std::string& word) { return word.substr(0, word.find('=')); }

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
    if (!is_digit(text[at]) && !call) names.emplace(text.substr(at, end - at));
    at = end;
  }
  return names;
}

// A command line, sorted into what its command has declared.
class Sorted {
 public:
  struct Unknown {
    std::string option;
    std::optional<std::string> value;
  };

  Sorted(const Syntax& syntax, std::span<const std::string> words) : syntax_(syntax) {
    bool options_end = false;
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      const std::string* next = i + 1 < words.size() ? &words[i + 1] : nullptr;
      if (options_end || !looks_like_option(word)) {
        operands.push_back(word);
      } else if (word == "--") {
        options_end = true;
      } else if (const Option* option = syntax.find(name_of(word))) {
        if (add(*option, word, next)) ++i;
      } else if (word.starts_with("--")) {
        if (add_unknown(word, next)) ++i;
      } else if (syntax.shapes() != nullptr) {
        operands.push_back(word);  // an expression that begins with a sign
      } else if (const Option* attached = syntax.find(word.substr(0, 2))) {
        add(*attached, word.substr(0, 2) + "=" + word.substr(2), nullptr);  // "-ofile"
      } else {
        unknown.push_back({name_of(word), std::nullopt});
      }
    }
  }

  std::map<const Option*, std::vector<std::string>> given;
  std::vector<std::string> operands;  // and what is too much
  std::vector<Unknown> unknown;       // options that the command does not have: shapes of an expression's matrices
  std::string problem;                // the first: an option that is given twice, lacks its value, or takes none

 private:
  void refuse(std::string sentence) {
    if (problem.empty()) problem = std::move(sentence);
  }

  // Whether the next word belongs to it.
  bool add(const Option& option, const std::string& word, const std::string* next) {
    const std::string name = name_of(word);
    const bool with_value = name.size() < word.size();
    if (!option.takes_value) {
      if (with_value) refuse(fmt::format("{} takes no value", name));
      given[&option] = {""};
      return false;
    }
    if (given.contains(&option)) refuse(fmt::format("{} is given twice", name));
    if (!with_value && (next == nullptr || next->starts_with("--") || syntax_.find(name_of(*next)) != nullptr)) {
      refuse(fmt::format("{} needs a value: {}", name, option.value_name.empty() ? "TEXT" : option.value_name));
      return false;
    }
    const std::string value = with_value ? word.substr(name.size() + 1) : *next;
    if (value.empty()) refuse(fmt::format("{}: it must not be empty", name));
    given[&option] = {value};
    return !with_value;
  }

  // As before.
  bool add_unknown(const std::string& word, const std::string* next) {
    Unknown& option = unknown.emplace_back(Unknown{name_of(word), std::nullopt});
    const bool with_value = option.option.size() < word.size();
    const bool takes_next = !with_value && next && is_digit(next->c_str()[0]);
    if (with_value) option.value = word.substr(option.option.size() + 1);
    if (takes_next) option.value = *next;
    return takes_next;
  }

  const Syntax& syntax_;
};

[[noreturn]] void refuse_option(const Syntax& syntax, const std::string& path, const std::string& option,
                                std::string_view why = "") {
  isa::text::Suggestion suggestion(option);
  for (const Option& known : syntax.options()) {
    if (!known.is_operand()) suggestion.consider(known.name());
  }
  throw UsageError(fmt::format("'{}' has no option '{}'{}{}", path, option, why, suggestion.text()));
}

void set_shapes(const Syntax& syntax, const std::string& path, const Sorted& sorted) {
  const std::set<std::string> names = sorted.operands.empty() ? std::set<std::string>{} : names_in(sorted.operands[0]);
  std::set<std::string> seen;
  for (const auto& [option, value] : sorted.unknown) {
    const std::string name = option.substr(2);
    if (!names.contains(name)) {
      refuse_option(syntax, path, option,
                    sorted.operands.empty() ? "" : fmt::format(", and the expression has no '{}'", name));
    }
    if (!value) throw UsageError(fmt::format("{} needs a shape, as in '{} 512x1024'", option, option));
    if (!seen.insert(name).second) throw UsageError(fmt::format("{} is given twice", option));
    syntax.shapes()->push_back(option);
    syntax.shapes()->push_back(*value);
  }
}

// Gives the operands to those that are declared. Returns the first that is too much.
const std::string* take_operands(const Syntax& syntax, Sorted& sorted) {
  size_t taken = 0;
  for (const Option& option : syntax.options()) {
    if (!option.is_operand()) continue;
    const size_t end = option.is_many ? sorted.operands.size() : std::min(taken + 1, sorted.operands.size());
    for (; taken < end; ++taken) sorted.given[&option].push_back(sorted.operands[taken]);
  }
  return taken < sorted.operands.size() ? &sorted.operands[taken] : nullptr;
}

void set_all(const Syntax& syntax, const Sorted& sorted) {
  for (const Option& option : syntax.options()) {
    const auto found = sorted.given.find(&option);
    if (found == sorted.given.end()) continue;
    for (const std::string& value : found->second) {
      if (option.takes_value && value.empty()) throw UsageError(option.name() + ": it must not be empty");
      option.set(option.spelling ? option.spelling(value) : value);
    }
  }
}

bool excludes(const Option& a, const Option& b) { return std::ranges::find(a.excluded, b.name()) != a.excluded.end(); }

void check_together(const Syntax& syntax, const Sorted& sorted) {
  for (const Option& option : syntax.options()) {
    const bool given = sorted.given.contains(&option);
    if (option.is_required && !given) throw UsageError(option.name() + " is required");
    if (!given) continue;
    for (const std::string& other : option.needed)
      if (!sorted.given.contains(syntax.find(other)))
        throw UsageError(fmt::format("{} requires {}", option.name(), other));
    for (const Option& other : syntax.options())
      if (sorted.given.contains(&other) && (excludes(option, other) || excludes(other, option)))
        throw UsageError(fmt::format("{} excludes {}", option.name(), other.name()));
  }
}

}  // namespace

void parse(const Syntax& syntax, const std::string& path, std::span<const std::string> words) {
  Sorted sorted(syntax, words);
  // Before what follows an unknown option is taken for an operand.
  if (syntax.shapes() == nullptr && !sorted.unknown.empty()) refuse_option(syntax, path, sorted.unknown.front().option);
  if (!sorted.problem.empty()) throw UsageError(sorted.problem);
  set_shapes(syntax, path, sorted);
  const std::string* extra = take_operands(syntax, sorted);
  set_all(syntax, sorted);
  check_together(syntax, sorted);
  if (extra == nullptr) return;
  if (looks_like_option(*extra)) refuse_option(syntax, path, name_of(*extra));
  throw UsageError(fmt::format("'{}' is one operand too many for '{}'", *extra, path));
}

bool looks_like_option(const std::string& word) { return word.size() > 1 && word[0] == '-' && !is_digit(word[1]); }

bool asks_for_help(const Syntax& syntax, std::span<const std::string> words) {
  return Sorted(syntax, words).given.contains(syntax.find("--help"));
}

}  // namespace kerr::cli
