// A second reading of what loop programs mean: it goes through the lines as they stand, and prepares nothing.
#pragma once

#include <bit>
#include <cstring>
#include <vector>

#include "loops/arithmetic.hpp"
#include "tests/loops/random_programs.hpp"

namespace kerr::loops {

class Walk {
 public:
  Walk(const RandomProgram& made)
      : program_(parse(made.text)), made_(made), memories_(made.memories), values_(program_.values.size()) {
    for (const Register& r : program_.registers) registers_.emplace_back(r.bytes());
    for (size_t k = 0; k < made.numbers.size(); ++k) {
      const auto bits = static_cast<uint64_t>(made.numbers[k]);
      values_[program_.variables[k].value] = program_.variables[k].type == Type::I32 ? bits & 0xFFFFFFFF : bits;
    }
  }

  Interpreted run() {
    for (size_t at = 0; at < program_.body.size();) {
      ++lines_;
      at = step(at);
    }
    return {memories_, lines_};
  }

 private:
  uint64_t get(const Operand& o) const { return o.is_number() ? o.bits : values_[o.value]; }

  static int64_t signed_value(Type type, uint64_t bits) { return static_cast<int64_t>(convert(Type::I64, type, bits)); }

  std::byte* place(const Instruction& i) {
    const int64_t offset =
        signed_value(i.address.element.type.type, get(i.address.element)) * info(i.address.unit).bytes;
    if (i.address.space == Address::Space::Register)
      return &registers_[i.address.index].at(static_cast<size_t>(offset));
    const RandomProgram::View& view = made_.views[i.address.index];
    if (offset < 0 || static_cast<uint64_t>(offset) + info(i.type.type).bytes > view.bytes)
      throw std::out_of_range("element");
    return &memories_[view.memory].at(view.offset + static_cast<uint64_t>(offset));
  }

  size_t step(size_t at) {
    const Instruction& i = program_.body[at];
    switch (i.verb) {
      case Verb::Loop:
        values_[i.result] = 0;
        return compute(Verb::Cmplt, i.type.type, std::vector<uint64_t>{0, get(i.operands[0])}) != 0 ? at + 1
                                                                                                    : i.partner + 1;
      case Verb::EndLoop: {
        const Instruction& loop = program_.body[i.partner];
        values_[loop.result] = compute(Verb::Add, loop.type.type, std::vector<uint64_t>{values_[loop.result], 1});
        const std::vector<uint64_t> both{values_[loop.result], get(loop.operands[0])};
        return compute(Verb::Cmplt, loop.type.type, both) != 0 ? i.partner + 1 : at + 1;
      }
      case Verb::While: return get(i.operands[0]) != 0 ? i.partner + 1 : at + 1;
      case Verb::If: return get(i.operands[0]) != 0 ? at + 1 : i.partner + 1;
      case Verb::Do:
      case Verb::EndIf: return at + 1;
      case Verb::Load: {
        uint64_t bits = 0;
        if (i.gated && get(i.operands[0]) == 0)
          bits = get(i.operands[1]);
        else
          std::memcpy(&bits, place(i), info(i.type.type).bytes);
        values_[i.result] = i.type.type == Type::Bool ? bits != 0 : bits;
        return at + 1;
      }
      case Verb::Store: {
        const uint64_t bits = get(i.operands[0]);
        std::memcpy(place(i), &bits, info(i.type.type).bytes);
        return at + 1;
      }
      case Verb::Cast:
        values_[i.result] = convert(i.type.type, i.operands[0].type.type, get(i.operands[0]));
        return at + 1;
      case Verb::Bitcast: {
        const uint64_t bits = get(i.operands[0]);
        values_[i.result] = i.type.type == Type::Bool ? bits != 0 : bits;
        return at + 1;
      }
      default: {
        std::vector<uint64_t> inputs;
        for (const Operand& o : i.inputs()) inputs.push_back(get(o));
        values_[i.result] = compute(i.verb, i.type.type, inputs);
        return at + 1;
      }
    }
  }

  Program program_;
  const RandomProgram& made_;
  std::vector<std::vector<std::byte>> memories_, registers_;
  std::vector<uint64_t> values_;
  uint64_t lines_ = 0;
};

/// As interpret(): of programs without vectors.
inline Interpreted walk(const RandomProgram& made) { return Walk(made).run(); }

}  // namespace kerr::loops
