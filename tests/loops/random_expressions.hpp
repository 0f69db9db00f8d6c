// Random expressions, as lines.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loops/program.hpp"
#include "tests/loops/random_text.hpp"

namespace kerr::loops {

// Expressions of any type out of what a Writer knows.
class Expressions {
 public:
  Expressions(Random& random, Writer& writer, const ExpressionOptions& options)
      : random_(random), writer_(writer), options_(options) {}

  /// A parameter whose elements may be loaded, at any index below its count.
  void add_source(uint32_t slot, Type type, uint64_t count) { sources_.push_back({slot, type, count}); }
  void set_budget(uint32_t lines) { budget_ = lines; }

  std::string of(Type type, uint32_t levels) {
    if (levels == 0 || budget_ == 0) return leaf(type);
    --budget_;
    switch (below(random_, 8)) {
      case 0: return leaf(type);
      case 1: return cast(type, levels);
      case 2: return bitcast(type, levels);
      case 3:
        if (const auto loaded = load(type, levels)) return *loaded;
        break;
      default: break;
    }
    return arithmetic(type, levels);
  }

  Type any_type() {
    Type type = random_type(random_);
    while (type == Type::F64 && !options_.f64) type = random_type(random_);
    return type;
  }

 private:
  struct Source {
    uint32_t slot;
    Type type;
    uint64_t count;
  };

  std::string leaf(Type type) {
    if (!one_in(random_, 4))
      if (const auto known = writer_.known(type)) return *known;
    return number(type, random_bits(random_, type));
  }

  std::string cast(Type type, uint32_t levels) {
    const Type from = any_type();
    return writer_.value(type, fmt::format("cast {} {}", name_of(type), of(from, levels - 1)));
  }

  std::string bitcast(Type type, uint32_t levels) {
    std::vector<Type> same_size;
    for (const TypeInfo& t : kTypes)
      if (t.bytes == info(type).bytes && (options_.f64 || t.type != Type::F64)) same_size.push_back(t.type);
    return writer_.value(type, fmt::format("bitcast {} {}", name_of(type), of(one_of(random_, same_size), levels - 1)));
  }

  // At a computed index, which is either brought into range or guarded.
  std::optional<std::string> load(Type type, uint32_t levels) {
    std::vector<Source> fit;
    for (const Source& s : sources_)
      if (s.type == type) fit.push_back(s);
    if (fit.empty()) return std::nullopt;
    const Source source = one_of(random_, fit);
    const Type index_type = one_of(random_, std::vector<Type>{Type::I32, Type::I32, Type::U32, Type::I64, Type::U8});
    const std::string index = of(index_type, levels - 1), t = name_of(index_type);
    const uint64_t most = std::min(source.count, index_type == Type::U8 ? uint64_t{255} : source.count);
    if (one_in(random_, 2)) {
      uint64_t bits = 1;  // the largest power of two that is not above the count, less one
      while (bits * 2 <= most) bits *= 2;
      const std::string inside = writer_.value(index_type, fmt::format("and {} {} {}:{}", t, index, t, bits - 1));
      return writer_.value(type, fmt::format("load {} p{}[{}]", name_of(type), source.slot, inside));
    }
    std::string gate = writer_.value(Type::Bool, fmt::format("cmplt {} {} {}:{}", t, index, t, most));
    if (info(index_type).is_signed) {
      const std::string above = writer_.value(Type::Bool, fmt::format("cmplt {} {}:-1 {}", t, t, index));
      gate = writer_.value(Type::Bool, fmt::format("and bool {} {}", gate, above));
    }
    const std::string otherwise = of(type, levels - 1);
    return writer_.value(type,
                         fmt::format("load {} p{}[{}] {} {}", name_of(type), source.slot, index, gate, otherwise));
  }

  bool may_use(const Operation& row) const {
    return options_.functions || (row.verb != Verb::Exp2 && row.verb != Verb::Log2 && row.verb != Verb::Sin);
  }

  std::string arithmetic(Type type, uint32_t levels) {
    std::vector<const Operation*> rows;
    for (const Operation& row : operations())
      if (row.kind != OperandKind::Compare && computes(row.verb, type) && may_use(row)) rows.push_back(&row);
    if (type == Type::Bool) {
      for (const Operation& row : operations())
        if (row.kind == OperandKind::Compare) rows.insert(rows.end(), 3, &row);
    }
    const Operation& row = *one_of(random_, rows);
    Type operand = type;
    if (row.kind == OperandKind::Compare) operand = any_type();
    std::string line = fmt::format("{} {}", row.name, name_of(operand));
    for (uint32_t k = 0; k < row.operands; ++k) {
      Type wanted = operand;
      if (row.kind == OperandKind::Select && k == 0) wanted = Type::Bool;
      if (row.kind == OperandKind::Shift && k == 1) {
        line += " " + shift_count(type, levels);
        continue;
      }
      line += " " + of(wanted, levels - 1);
    }
    return writer_.value(type, line);
  }

  std::string shift_count(Type type, uint32_t levels) {
    std::vector<Type> integers;
    for (const TypeInfo& t : kTypes)
      if (is_integer(t.type)) integers.push_back(t.type);
    const Type count = one_of(random_, integers);
    if (one_in(random_, 3)) return of(count, levels - 1);
    return number(count, below(random_, 8 * info(type).bytes + 2));
  }

  Random& random_;
  Writer& writer_;
  ExpressionOptions options_;
  std::vector<Source> sources_;
  uint32_t budget_ = 60;  // lines that expressions may still take, roughly
};

}  // namespace kerr::loops
