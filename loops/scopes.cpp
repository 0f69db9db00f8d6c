#include "loops/scopes.hpp"

#include <fmt/format.h>

#include <utility>

namespace kerr::loops {

std::string Scopes::describe(const Block& block) const {
  if (block.verb == Verb::If) return fmt::format("the 'if' of line {}", block.line);
  return fmt::format("the '{}' of line {}, %{},", block.verb == Verb::Loop ? "loop" : "do", block.line,
                     program_.values[block.name].name);
}

uint32_t Scopes::define(const Word& word, VectorType type) {
  if (!word.text.starts_with('%'))
    words_.fail(word, fmt::format("a value is named %NAME, unlike {}", quoted(word.text)));
  std::string name = words_.name(word.part(1), "the name of a value");
  const auto value = static_cast<uint32_t>(program_.values.size());
  if (const auto [known, is_new] = values_.try_emplace(word.text, value); !is_new)
    words_.fail(word, fmt::format("{} is defined in line {} already", quoted(word.text), defined_[known->second].line));
  program_.values.push_back({std::move(name), type});
  defined_.push_back({words_.line(), open_.empty() ? kOutermost : open_.back()});
  return value;
}

Operand Scopes::value(const Word& word) const {
  const auto known = values_.find(word.text);
  if (known == values_.end()) words_.fail(word, fmt::format("{} is not defined before it is used", quoted(word.text)));
  const uint32_t value = known->second;
  const Definition& definition = defined_[value];
  if (definition.block != kOutermost) {
    const Block& block = blocks_[definition.block];
    if (!block.open)
      words_.fail(word,
                  fmt::format("{} is gone: it belongs to {} which has ended", quoted(word.text), describe(block)));
    if (block.verb == Verb::Do && block.name == value)
      words_.fail(word, fmt::format("{} is the name of a 'do' and no value", quoted(word.text)));
  }
  return {program_.values[value].type, value, 0};
}

void Scopes::open(const Word& where, Verb verb) {
  if (open_.size() == kDeepestNesting)
    words_.fail(where, fmt::format("blocks stand in each other at most {} deep", kDeepestNesting));
  open_.push_back(static_cast<uint32_t>(blocks_.size()));
  blocks_.push_back({verb, static_cast<uint32_t>(program_.body.size()), kNoValue, words_.line(), true});
}

uint32_t Scopes::define_name(const Word& word, VectorType type) { return blocks_.back().name = define(word, type); }

void Scopes::expect_end(const Word& where, Verb verb) const {
  if (is_in(verb)) return;
  const std::string inside =
      open_.empty() ? "nothing is open here" : fmt::format("{} is open", describe(blocks_[open_.back()]));
  words_.fail(where, fmt::format("{} closes nothing: {}", quoted(where.text), inside));
}

uint32_t Scopes::expect_name(const Word& word) const {
  const Block& block = blocks_[open_.back()];
  if (!word.text.starts_with('%') || word.text.substr(1) != program_.values[block.name].name)
    words_.fail(word, fmt::format("{} is not what ends here: {} is the innermost one that is open", quoted(word.text),
                                  describe(block)));
  return block.name;
}

void Scopes::close() {
  Block& block = blocks_[open_.back()];
  const auto here = static_cast<uint32_t>(program_.body.size() - 1);
  program_.body[here].partner = block.instruction;
  program_.body[block.instruction].partner = here;
  block.open = false;
  open_.pop_back();
}

void Scopes::expect_nothing_open() const {
  if (open_.empty()) return;
  const Block& block = blocks_[open_.back()];
  const char* const end = block.verb == Verb::Loop ? "end" : block.verb == Verb::Do ? "while" : "endif";
  throw ProgramError(block.line, 1, fmt::format("{} has no '{}'", describe(block), end));
}

}  // namespace kerr::loops
