// A second reading of what loop programs mean: it goes through the lines as they stand, and prepares nothing.
#pragma once

#include <array>
#include <cstring>
#include <stdexcept>
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
      values_[program_.variables[k].value][0] = program_.variables[k].type == Type::I32 ? bits & 0xFFFFFFFF : bits;
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
  uint64_t get(const Operand& o, uint8_t lane = 0) const { return o.is_number() ? o.bits : values_[o.value][lane]; }

  static int64_t signed_value(Type type, uint64_t bits) { return static_cast<int64_t>(convert(Type::I64, type, bits)); }

  std::byte* place(const Instruction& i, uint8_t lane) {
    const int64_t offset =
        signed_value(i.address.element.type.type, get(i.address.element)) * info(i.address.unit).bytes +
        lane * info(i.type.type).bytes;
    if (i.address.space == Address::Space::Register)
      return &registers_[i.address.index].at(static_cast<size_t>(offset));
    const RandomProgram::View& view = made_.views[i.address.index];
    if (offset < 0 || static_cast<uint64_t>(offset) + info(i.type.type).bytes > view.bytes)
      throw std::out_of_range("element");
    return &memories_[view.memory].at(view.offset + static_cast<uint64_t>(offset));
  }

  // What a lane of the line's result is.
  uint64_t result(const Instruction& i, uint8_t lane) {
    uint64_t bits = 0;
    switch (i.verb) {
      case Verb::Load:
        if (i.gated && get(i.operands[0]) == 0) return get(i.operands[1], lane);
        std::memcpy(&bits, place(i, lane), info(i.type.type).bytes);
        return i.type.type == Type::Bool ? bits != 0 : bits;
      case Verb::Cast: return convert(i.type.type, i.operands[0].type.type, get(i.operands[0], lane));
      case Verb::Bitcast: bits = get(i.operands[0], lane); return i.type.type == Type::Bool ? bits != 0 : bits;
      case Verb::Pack: return get(i.operands[lane]);
      case Verb::Lane: return get(i.operands[0], static_cast<uint8_t>(get(i.operands[1])));
      default: {
        std::vector<uint64_t> inputs;
        for (const Operand& o : i.inputs()) inputs.push_back(get(o, lane));
        return compute(i.verb, i.type.type, inputs);
      }
    }
  }

  // Whether the loop's variable is below its extent.
  bool goes_on(const Instruction& loop) const {
    return compute(Verb::Cmplt, loop.type.type,
                   std::vector<uint64_t>{values_[loop.result][0], get(loop.operands[0])}) != 0;
  }

  // Returns the line that follows.
  size_t step(size_t at) {
    const Instruction &i = program_.body[at], &partner = program_.body[i.partner];
    switch (i.verb) {
      case Verb::Loop: values_[i.result][0] = 0; return goes_on(i) ? at + 1 : i.partner + 1;
      case Verb::EndLoop: {
        uint64_t& variable = values_[partner.result][0];
        variable = compute(Verb::Add, partner.type.type, std::vector<uint64_t>{variable, 1});
        return goes_on(partner) ? i.partner + 1 : at + 1;
      }
      case Verb::While: return get(i.operands[0]) != 0 ? i.partner + 1 : at + 1;
      case Verb::If: return get(i.operands[0]) != 0 ? at + 1 : i.partner + 1;
      case Verb::Do:
      case Verb::EndIf: return at + 1;
      case Verb::Store:
        for (uint8_t lane = 0; lane < i.type.lanes; ++lane) {
          const uint64_t bits = get(i.operands[0], lane);
          std::memcpy(place(i, lane), &bits, info(i.type.type).bytes);
        }
        return at + 1;
      default:
        for (uint8_t lane = 0; lane < i.type.lanes; ++lane) values_[i.result][lane] = result(i, lane);
        return at + 1;
    }
  }

  Program program_;
  const RandomProgram& made_;
  std::vector<std::vector<std::byte>> memories_, registers_;
  std::vector<std::array<uint64_t, 4>> values_;  // lanes
  uint64_t lines_ = 0;
};

/// As interpret().
inline Interpreted walk(const RandomProgram& made) { return Walk(made).run(); }

}  // namespace kerr::loops
