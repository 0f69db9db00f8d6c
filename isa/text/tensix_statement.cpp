#include "isa/text/tensix_statement.hpp"

#include <fmt/format.h>

#include <string>

#include "isa/tensix/names.hpp"

namespace kerr::isa::text {
namespace {

constexpr uint32_t kOperandBits = 0x00FFFFFF;

std::string describe_fields(const tensix::Row& row) {
  if (row.fields.empty()) return fmt::format("{} takes no operands", row.mnemonic);
  std::string text = fmt::format("{} takes ", row.mnemonic);
  for (const tensix::Field& f : row.fields) {
    text += fmt::format("{}{} (0 to {})", &f == row.fields.data() ? "" : ", ", f.name, f.limit());
  }
  return text;
}

// "; stray 0x200000" at the end: bits that belong to no operand.
uint32_t stray_bits(Cursor& cursor, const tensix::Row& row, const Cursor::Names& names) {
  const size_t at = cursor.column();
  if (cursor.identifier() != "stray") Cursor::fail_at(at, "expected 'stray' and a number after ';'");
  const size_t value_at = cursor.column();
  const int64_t value = cursor.expression(names);
  const uint32_t free = kOperandBits & ~row.named_bits;
  if (value < 0 || (value & ~int64_t{free}) != 0) {
    Cursor::fail_at(value_at,
                    fmt::format("{} has operands at some of these bits; bits without one: {:#x}", row.mnemonic, free));
  }
  return static_cast<uint32_t>(value);
}

}  // namespace

uint32_t tensix_operands(Cursor& cursor, const tensix::Row& row, const Cursor::Names& names) {
  uint32_t word = static_cast<uint32_t>(row.opcode) << 24;
  uint32_t given = 0;  // bits of the operands already written
  while (!cursor.at_end()) {
    if (given == 0 && cursor.take(';')) return word | stray_bits(cursor, row, names);
    const size_t at = cursor.column();
    const std::string_view name = cursor.identifier();
    const tensix::Field* field = row.field(name);
    if (!field) {
      Suggestion suggestion(name);
      for (const tensix::Field& f : row.fields) suggestion.consider(f.name);
      const std::string wrong =
          name.empty() ? std::string("expected name=value") : fmt::format("no operand '{}'{}", name, suggestion.text());
      Cursor::fail_at(at, fmt::format("{}{} {}", wrong, wrong.back() == '?' ? "" : ";", describe_fields(row)));
    }
    if (given & field->mask()) Cursor::fail_at(at, fmt::format("operand '{}' is given twice", name));
    given |= field->mask();
    cursor.expect('=', fmt::format("after operand '{}'", name));
    const size_t value_at = cursor.column();
    const auto value = cursor.expression(
        [&](std::string_view n) -> std::optional<int64_t> {
          if (const auto v = tensix::value_named(field->name, n)) return *v;
          return names(n);
        },
        tensix::names_of(field->name));
    const int64_t lowest = field->width > 1 ? -(int64_t{1} << (field->width - 1)) : 0;
    if (value < lowest || value > int64_t{field->limit()}) {
      Cursor::fail_at(
          value_at,
          fmt::format("{}: {}={} is out of range; allowed: 0 to {}{}", row.mnemonic, name, value, field->limit(),
                      lowest < 0 ? fmt::format(", or {} to -1 in two's complement", lowest) : ""));
    }
    word = field->set(word, static_cast<uint32_t>(value) & field->limit());
    if (cursor.at_end()) break;
    if (cursor.take(';')) return word | stray_bits(cursor, row, names);
    cursor.expect(',', "between operands");
    if (cursor.at_end()) cursor.fail("expected name=value after ','");
  }
  return word;
}

}  // namespace kerr::isa::text
