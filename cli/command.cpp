#include "cli/command.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "cli/messages.hpp"
#include "cli/syntax/help.hpp"
#include "cli/syntax/parse.hpp"
#include "cli/version.hpp"
#include "isa/text/cursor.hpp"

namespace kerr::cli {

namespace {

constexpr const char* kWhat = "Kerr: a Tenstorrent Blackhole that you can see inside.";
constexpr const char* kFooter =
    "Examples:\n"
    "  kerr matmul 512 512 512\n"
    "  kerr eval \"gelu(a @ b + c)\" --a 512x1024 --b 1024x768 --c 768\n"
    "  kerr matmul --help";

using Entries = std::span<const CommandEntry>;
using Names = std::vector<std::pair<std::string, std::string>>;

// A sentence, which may be a question already, and what to try.
std::string with_hint(const std::string& sentence, const std::string& path) {
  return fmt::format("{}{}  Try '{} --help'.", sentence, sentence.ends_with('?') ? "" : ".", path);
}

const CommandEntry* find(Entries entries, const std::string& name) {
  for (const CommandEntry& entry : entries)
    if (entry.name == name) return &entry;
  return nullptr;
}

// The commands of "cq" are "dump"; those of "" have no blank.
Names commands_of(Entries entries, const std::string& group) {
  const std::string prefix = group.empty() ? "" : group + " ";
  Names names;
  for (const CommandEntry& entry : entries) {
    const std::string_view name = entry.name;
    if (!name.starts_with(prefix) || name.size() == prefix.size()) continue;
    const std::string_view last = name.substr(prefix.size());
    if (last.find(' ') == std::string_view::npos) names.emplace_back(last, entry.what);
  }
  return names;
}

std::string joined(const Names& names, const char* before_last = ", ") {
  std::string all;
  for (const auto& entry : names)
    all += (all.empty() ? "" : &entry == &names.back() ? before_last : ", ") + entry.first;
  return all;
}

[[noreturn]] void refuse_command(const std::string& path, const Names& names, const std::string& word) {
  isa::text::Suggestion suggestion(word);
  for (const auto& [name, what] : names) suggestion.consider(name);
  const std::string near = suggestion.text();
  throw UsageError(fmt::format("'{}' has no command '{}'{}", path, word, near.empty() ? "; it has " + joined(names) : near));
}

// `group`: "cq", or "" for kerr itself.
int run_group(Entries entries, const std::string& group, std::string_view what, std::span<const std::string> words) {
  const std::string path = group.empty() ? "kerr" : "kerr " + group;
  const Names names = commands_of(entries, group);
  Syntax syntax;
  bool version = false;
  if (group.empty()) {
    syntax.flag("--version", version, "print version and commit");
    syntax.footer(kFooter);
  } else {  // the examples of its first command
    const std::unique_ptr<Command> first = find(entries, group + " " + names.front().first)->make();
    Syntax of_first;
    first->declare(of_first);
    syntax.footer(of_first.footer().c_str());
  }
  if (asks_for_help(syntax, words)) {
    fmt::print("{}", help_text(syntax, path, what, names));
    return 0;
  }
  if (!words.empty() && !looks_like_option(words[0])) refuse_command(path, names, words[0]);
  parse(syntax, path, words);
  if (version) {
    fmt::print("{}\n", version_text());
    return 0;
  }
  throw UsageError(group.empty() ? "a command is required: " + joined(names, " or ")
                                 : fmt::format("'{}' needs a command: {}", path, joined(names)));
}

int run_one(const CommandEntry& entry, std::span<const std::string> words) {
  const std::string path = fmt::format("kerr {}", entry.name);
  const std::unique_ptr<Command> command = entry.make();
  Syntax syntax;
  command->declare(syntax);
  if (asks_for_help(syntax, words)) {
    fmt::print("{}", help_text(syntax, path, entry.what));
    return 0;
  }
  parse(syntax, path, words);
  return command->run();
}

}  // namespace

int run_command(Entries entries, const std::vector<std::string>& words) {
  std::string name;
  size_t named = 0;
  const CommandEntry* entry = nullptr;
  while (named < words.size()) {
    const CommandEntry* inner = find(entries, name.empty() ? words[named] : name + " " + words[named]);
    if (inner == nullptr) break;
    entry = inner;
    name = entry->name;
    ++named;
  }
  const std::span<const std::string> rest = std::span(words).subspan(named);
  try {
    return entry && entry->make ? run_one(*entry, rest) : run_group(entries, name, entry ? entry->what : kWhat, rest);
  } catch (const UsageError& error) {
    throw UsageError(with_hint(error.what(), name.empty() ? "kerr" : "kerr " + name));
  }
}

}  // namespace kerr::cli
