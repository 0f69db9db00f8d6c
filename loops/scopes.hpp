// Which values of a program may be used where: those of the blocks that are open.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "loops/program.hpp"
#include "loops/words.hpp"

namespace kerr::loops {

/// Names stay where the text has them, which must outlive it. Each function throws ProgramError.
class Scopes {
 public:
  /// Adds values to `program`, and sets which instructions begin and end a block together.
  Scopes(const Words& words, Program& program) : words_(words), program_(program) {}

  bool is_outermost() const { return open_.empty(); }
  bool is_in(Verb verb) const { return !open_.empty() && blocks_[open_.back()].verb == verb; }

  /// A value named so ("%7"), to be used in the innermost block that is open. Returns its index of Program::values.
  uint32_t define(const Word& word, VectorType type);
  /// A value that may be used here.
  Operand value(const Word& word) const;

  /// Begins a block, whose first instruction comes next. An if has no name.
  void open(const Word& where, Verb verb);
  /// As define(): the loop's variable, or the name of a do.
  uint32_t define_name(const Word& word, VectorType type);
  /// Checks that the innermost block is of that verb, which `where` ends.
  void expect_end(const Word& where, Verb verb) const;
  /// Checks that the innermost block has that name. Returns its index of Program::values.
  uint32_t expect_name(const Word& word) const;
  /// Ends the innermost block with the instruction that came last.
  void close();
  /// Checks that no block is open.
  void expect_nothing_open() const;

 private:
  struct Block {
    Verb verb = Verb::Loop;
    uint32_t instruction = 0;  // its first, of Program::body
    uint32_t name = kNoValue;  // of Program::values
    uint32_t line = 0;
    bool open = true;
  };
  struct Definition {
    uint32_t line;
    uint32_t block;  // in which it may be used
  };
  static constexpr uint32_t kOutermost = ~0u;

  std::string describe(const Block& block) const;

  const Words& words_;
  Program& program_;
  std::map<std::string_view, uint32_t> values_;  // ordered, so that no choice of names makes it slow
  std::vector<Definition> defined_;              // as many as Program::values
  std::vector<Block> blocks_;                    // all that were ever open
  std::vector<uint32_t> open_;                   // of them, from the outermost to the innermost
};

}  // namespace kerr::loops
