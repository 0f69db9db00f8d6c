#include "isa/text/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "isa/print.hpp"
#include "isa/riscv/registers.hpp"
#include "isa/text/cursor.hpp"
#include "isa/text/riscv_statement.hpp"
#include "isa/text/tensix_statement.hpp"

namespace kerr::isa {
namespace {

using text::Cursor;
using text::Mistake;

constexpr int64_t kMostZeroBytes = 16 << 20;

// Calls `body(line, number)` for every line; a Mistake in it becomes a TextError that knows where it is.
template <class Body>
void for_each_line(std::string_view source, std::string_view file, Body body) {
  size_t number = 1;
  for (size_t start = 0; start <= source.size(); ++number) {
    const size_t end = std::min(source.find('\n', start), source.size());
    const std::string_view line = source.substr(start, end - start);
    try {
      body(line, number);
    } catch (Mistake& mistake) {
      throw TextError(file, number, mistake.column + 1, std::move(mistake.message), line);
    }
    start = end + 1;
  }
}

void expect_end(Cursor& cursor) {
  if (!cursor.at_end()) cursor.fail(fmt::format("unexpected '{}' after the statement", cursor.rest()));
}

uint32_t checked_word(int64_t value, size_t column, int bits) {
  const int64_t most = (int64_t{1} << bits) - 1, least = -(int64_t{1} << (bits - 1));
  if (value < least || value > most) {
    Cursor::fail_at(column, fmt::format("{} does not fit {} bits; allowed: {} to {}", value, bits, least, most));
  }
  return static_cast<uint32_t>(value & most);
}

// A Tensix instruction or a raw word as the operand of .ttinsn, or nothing if the text is something else.
std::optional<uint32_t> tensix_word(Cursor& cursor, const Cursor::Names& constants) {
  const tensix::Row* row = tensix::find(cursor.peek_identifier());
  if (!row) return {};
  cursor.identifier();
  return text::tensix_operands(cursor, *row, constants);
}

// One source text on its way through the assembler.
class Source {
 public:
  explicit Source(const TextOptions& options) : options_(options) {}

  void statement(std::string_view line, size_t number) {
    line_ = line, number_ = number;
    out_.source(options_.file, static_cast<uint32_t>(number));
    Cursor cursor(line);
    while (!cursor.at_end()) {
      const size_t column = cursor.column();
      const std::string_view word = cursor.identifier();
      if (word.empty()) cursor.fail("expected a label, an instruction or a directive");
      if (cursor.take(':')) {
        define(word, column);
        continue;
      }
      if (word[0] == '.' && word != ".ttinsn") {
        directive(word, column, cursor);
      } else if (word == ".ttinsn") {
        push(cursor);
      } else if (const tensix::Row* row = tensix::find(word)) {
        out_.ttinsn(text::tensix_operands(cursor, *row, constants_));
      } else {
        text::riscv_statement(cursor, word, column, scope_, out_);
      }
      expect_end(cursor);
    }
  }

  Code finish() {
    for (const auto& [name, use] : first_use_) {
      if (!defined_.contains(name)) {
        text::Suggestion suggestion(name);
        for (const std::string& known : defined_) suggestion.consider(known);
        throw TextError(options_.file, use.line, use.column + 1,
                        fmt::format("label '{}' is not defined{}", name, suggestion.text()), use.source_line);
      }
    }
    return out_.finish(options_.base);
  }

 private:
  struct Use {
    size_t line, column;
    std::string_view source_line;
  };

  Label label(std::string_view name, size_t column) {
    first_use_.try_emplace(std::string(name), Use{number_, column, line_});
    return labelled(name);
  }

  Label labelled(std::string_view name) {
    const auto it = labels_.find(name);
    if (it != labels_.end()) return it->second;
    return labels_.emplace(std::string(name), out_.label(std::string(name))).first->second;
  }

  void define(std::string_view name, size_t column) {
    if (reg_named(name) || freg_named(name))
      Cursor::fail_at(column, fmt::format("'{}' is a register and cannot be a label", name));
    if (values_.contains(name)) Cursor::fail_at(column, fmt::format("'{}' is already the name of a number", name));
    if (!defined_.emplace(name).second) Cursor::fail_at(column, fmt::format("label '{}' is already defined", name));
    out_.bind(labelled(name));
  }

  void push(Cursor& cursor) {
    if (const auto word = tensix_word(cursor, constants_)) return out_.ttinsn(*word);
    const size_t column = cursor.column();
    const uint32_t word = checked_word(cursor.expression(constants_), column, 32);
    if (word >= tensix::kFirstInvalidWord) {
      Cursor::fail_at(column, fmt::format("{:#x} cannot be pushed inline; a Tensix word is below 0xc0000000", word));
    }
    out_.ttinsn(word);
  }

  void directive(std::string_view word, size_t column, Cursor& cursor) {
    if (word == ".word") return data(cursor, 32);
    if (word == ".half") return data(cursor, 16);
    if (word == ".byte") return data(cursor, 8);
    const size_t at = cursor.column();
    if (word == ".zero") {
      const int64_t count = cursor.expression(constants_);
      if (count < 0 || count > kMostZeroBytes)
        Cursor::fail_at(at, fmt::format(".zero takes 0 to {} bytes", kMostZeroBytes));
      return out_.bytes(std::vector<uint8_t>(static_cast<size_t>(count)));
    }
    if (word == ".balign") {
      const int64_t bytes = cursor.expression(constants_);
      if (bytes < 1 || bytes > 65536 || (bytes & (bytes - 1)) != 0)
        Cursor::fail_at(at, ".balign takes a power of two up to 65536");
      return out_.align(static_cast<uint32_t>(bytes));
    }
    if (word == ".equ") {
      const std::string_view name = cursor.identifier();
      if (name.empty()) cursor.fail(".equ takes a name and a number");
      if (values_.contains(name) || labels_.contains(name))
        Cursor::fail_at(at, fmt::format("'{}' already has a meaning", name));
      cursor.expect(',', "after the name");
      values_.emplace(std::string(name), cursor.expression(constants_));
      return;
    }
    if (word == ".globl" || word == ".global") {
      const std::string_view name = cursor.identifier();
      if (name.empty()) cursor.fail(fmt::format("{} takes a label", word));
      out_.mark_function(label(name, at));
      return;
    }
    if (word == ".print") return print_registers(column, cursor);
    if (word == ".text") return;
    Cursor::fail_at(
        column,
        fmt::format("unknown directive '{}'; known: .word .half .byte .zero .balign .equ .globl .print .text .ttinsn",
                    word));
  }

  void print_registers(size_t column, Cursor& cursor) {
    const std::string format = cursor.quoted();
    std::vector<Reg> values;
    while (cursor.take(',')) {
      const size_t at = cursor.column();
      const std::string_view name = cursor.identifier();
      const std::optional<Reg> reg = reg_named(name);
      if (!reg) Cursor::fail_at(at, fmt::format("'{}' is no register; .print takes those of whole numbers", name));
      values.push_back(*reg);
    }
    if (const std::string wrong = print_mistake(format, values.size()); !wrong.empty()) Cursor::fail_at(column, wrong);
    print(out_, format, values);
  }

  void data(Cursor& cursor, int bits) {
    do {
      const size_t at = cursor.column();
      const std::string_view name = cursor.peek_identifier();
      if (bits == 32 && !name.empty() && !values_.contains(name)) {
        cursor.identifier();
        out_.word(label(name, at));
        continue;
      }
      const uint32_t value = checked_word(cursor.expression(constants_), at, bits);
      if (bits == 32) {
        out_.word(value);
        continue;
      }
      const uint8_t bytes[] = {static_cast<uint8_t>(value), static_cast<uint8_t>(value >> 8)};
      out_.bytes(std::span(bytes).first(static_cast<size_t>(bits / 8)));
    } while (cursor.take(','));
  }

  const TextOptions& options_;
  Assembler out_;
  std::string_view line_;
  size_t number_ = 0;
  std::map<std::string, Label, std::less<>> labels_;
  std::map<std::string, Use, std::less<>> first_use_;
  std::set<std::string, std::less<>> defined_;
  std::map<std::string, int64_t, std::less<>> values_;
  Cursor::Names constants_ = [this](std::string_view name) -> std::optional<int64_t> {
    const auto it = values_.find(name);
    if (it == values_.end()) return {};
    return it->second;
  };
  text::Scope scope_{constants_, [this](std::string_view name, size_t column) { return label(name, column); }};
};

std::string with_caret(std::string_view file, size_t line, size_t column, std::string_view message,
                       std::string_view source_line) {
  std::string caret;
  for (size_t k = 0; k + 1 < column; ++k) caret += k < source_line.size() && source_line[k] == '\t' ? '\t' : ' ';
  return fmt::format("{}:{}:{}: {}\n  {}\n  {}^", file, line, column, message, source_line, caret);
}

}  // namespace

TextError::TextError(std::string_view file, size_t line_, size_t column_, std::string message_,
                     std::string_view source_line)
    : AssemblerError(with_caret(file, line_, column_, message_, source_line)),
      line(line_),
      column(column_),
      message(std::move(message_)) {}

Code assemble(std::string_view source, const TextOptions& options) {
  Source text(options);
  for_each_line(source, options.file, [&](std::string_view line, size_t number) { text.statement(line, number); });
  return text.finish();
}

std::vector<uint32_t> assemble_tensix_program(std::string_view source) {
  const Cursor::Names no_names = [](std::string_view) { return std::optional<int64_t>{}; };
  std::vector<uint32_t> words;
  for_each_line(source, "<tensix>", [&](std::string_view line, size_t) {
    Cursor cursor(line);
    if (cursor.at_end()) return;
    if (const auto word = tensix_word(cursor, no_names)) {
      words.push_back(*word);
    } else if (cursor.peek_identifier() == ".word") {
      cursor.identifier();
      const size_t at = cursor.column();
      words.push_back(checked_word(cursor.expression(no_names), at, 32));
    } else {
      const std::string_view name = cursor.peek_identifier();
      text::Suggestion suggestion(name);
      for (const tensix::Row& row : tensix::rows()) suggestion.consider(row.mnemonic);
      cursor.fail(
          fmt::format("unknown Tensix instruction '{}'{}", name.empty() ? cursor.rest() : name, suggestion.text()));
    }
    expect_end(cursor);
  });
  return words;
}

uint32_t assemble_tensix(std::string_view line) {
  const std::vector<uint32_t> words = assemble_tensix_program(line);
  if (words.size() != 1)
    throw TextError("<tensix>", 1, 1, fmt::format("expected one Tensix instruction, found {}", words.size()), line);
  return words[0];
}

}  // namespace kerr::isa
