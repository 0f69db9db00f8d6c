#include "cli/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/version.hpp"
#include "isa/text/cursor.hpp"

namespace kerr::cli {

namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  kerr matmul 512 512 512\n"
    "  kerr eval \"gelu(a @ b + c)\" --a 512x1024 --b 1024x768 --c 768\n"
    "  kerr matmul --help";

using Entries = std::span<const CommandEntry>;
using Words = std::vector<std::string>;
using Names = std::vector<std::pair<std::string, std::string>>;

// nullptr if there is none.
const CommandEntry* find(Entries entries, const CommandEntry& group, const std::string& word) {
  const auto found = std::ranges::find(entries, fmt::format("{} {}", group.name, word), &CommandEntry::name);
  return found == entries.end() ? nullptr : &*found;
}

// The commands of "kerr cq" are "dump".
Names commands_of(Entries entries, const CommandEntry& group) {
  const std::string prefix = fmt::format("{} ", group.name);
  Names names;
  for (const auto& [name, what, make] : entries) {
    if (name.starts_with(prefix) && name.find(' ', prefix.size()) == std::string_view::npos)
      names.emplace_back(name.substr(prefix.size()), what);
  }
  return names;
}

std::string joined(const Names& names) {
  std::string all;
  for (const auto& [name, what] : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

[[noreturn]] void refuse_command(const CommandEntry& group, const Names& names, const std::string& word) {
  isa::text::Suggestion suggestion(word);
  for (const auto& [name, what] : names) suggestion.consider(name);
  const std::string near = suggestion.text();
  throw UsageError(
      fmt::format("'{}' has no command '{}'{}", group.name, word, near.empty() ? "; it has " + joined(names) : near));
}

int run_group(Entries entries, const CommandEntry& group, const Words& words) {
  const Names names = commands_of(entries, group);
  Syntax syntax;
  bool version = false;
  if (&group == entries.data()) {
    syntax.flag("--version", version, "print version and commit");
    syntax.footer(kFooter);
  } else {  // the examples of its first command
    Syntax of_first;
    const std::unique_ptr<Command> first = find(entries, group, names.front().first)->make();
    first->declare(of_first);
    syntax.footer(of_first.footer());
  }
  if (!words.empty() && !looks_like_option(words[0])) refuse_command(group, names, words[0]);
  if (!syntax.parse(group.name, words)) {
    fmt::print("{}", syntax.help(group.name, group.what, names));
  } else if (version) {
    fmt::print("{}\n", version_text());
  } else {
    throw UsageError(fmt::format("'{}' needs a command: {}", group.name, joined(names)));
  }
  return 0;
}

int run_one(const CommandEntry& entry, const Words& words) {
  const std::unique_ptr<Command> command = entry.make();
  Syntax syntax;
  command->declare(syntax);
  if (syntax.parse(entry.name, words)) return command->run();
  fmt::print("{}", syntax.help(entry.name, entry.what));
  return 0;
}

}  // namespace

int run_command(Entries entries, const Words& words) {
  const CommandEntry* entry = &entries.front();
  auto rest = words.begin();
  while (rest != words.end()) {
    const CommandEntry* inner = find(entries, *entry, *rest);
    if (inner == nullptr) break;
    entry = inner;
    ++rest;
  }
  try {
    return entry->make ? run_one(*entry, {rest, words.end()}) : run_group(entries, *entry, {rest, words.end()});
  } catch (const UsageError& error) {
    const std::string sentence = error.what();  // which may be a question already
    throw UsageError(fmt::format("{}{}  Try '{} --help'.", sentence, sentence.ends_with('?') ? "" : ".", entry->name));
  }
}

}  // namespace kerr::cli
