// Loop programs made line by line. What a line computes goes to the outermost loop that has all it needs, and is made
// once there.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "loops/program.hpp"

namespace kerr::loops::tiles {

inline constexpr uint32_t kScratch = 1u << 31;       // and up: sources that are no parameters of the original program
inline constexpr uint64_t kMostScratch = 256 << 20;  // bytes of each of these

/// A program that is a part of another one.
struct Made {
  Program program;
  std::vector<uint32_t>
      sources;          // of each parameter: one of the original, or kScratch + a number of the maker's choice
  uint64_t places = 0;  // for scalar::compile()
};

Operand number(Type type, uint64_t bits);
Operand number(int64_t value);  // i32

class Maker {
 public:
  /// Name, and slots: those of `from` and the next ones.
  explicit Maker(const Program& from);

  /// Which line of the original program the next lines are for: what faults name.
  void at_line(uint32_t line) { line_ = line; }

  /// A parameter of the original program; asked for again, the same one.
  uint32_t parameter(uint32_t of_original);
  uint32_t scratch(uint32_t which, Type type, uint64_t count);
  /// `settled`: each iteration that loads an element has stored it before.
  uint32_t reg(Type type, uint64_t count, bool settled = false);
  /// A number that each launch gives, from 0 to `most`.
  Operand variable(std::string name, uint64_t most);

  /// Begins a loop in the one that is open, and gives its variable.
  Operand loop(uint64_t extent, Type type = Type::I32, Axis axis = Axis::Weak) {
    return loop(number(type, extent), axis);
  }
  Operand loop(Operand extent, Axis axis);
  void begin_if(Operand condition);
  /// Ends the block that was begun last.
  void end();

  /// Arithmetic, casts. Integers that are numbers or 0 and 1 are folded.
  Operand make(Verb verb, Type type, std::initializer_list<Operand> operands);
  /// A line of another program with these operands; `type` is the result's.
  Operand make(const Instruction& like, std::span<const Operand> operands, VectorType result);
  Operand add(Operand a, Operand b) { return make(Verb::Add, a.type.type, {a, b}); }
  Operand mul(Operand a, int64_t factor);
  /// Towards zero; `a` is never negative.
  Operand div(Operand a, uint64_t by);
  Operand mod(Operand a, uint64_t by);
  Operand both(std::optional<Operand> a, Operand b);  // bool
  Operand cast(Operand a, Type to);
  /// A load of memory that the program does not store to. `gate`: where it is false, `otherwise` or 0.
  Operand load(const Address& address, VectorType type, std::optional<Operand> gate,
               std::optional<Operand> otherwise = {});
  /// These stay where they stand. Registers are loaded by this, too.
  Operand load_here(const Address& address, VectorType type, std::span<const Operand> gate_and_default = {});
  void store(const Address& address, Operand value);

  /// Closes what is open.
  Made finish() &&;

 private:
  struct Block;
  struct Item {
    Instruction line;
    std::vector<Block> inside;  // one, of a line that begins one
  };
  struct Block {
    std::vector<Item> items;
    std::map<std::string, Operand> known;  // lines that compute: by what they say
  };
  struct Open {
    Instruction begin;
    Block block;
  };

  Operand value(VectorType type, size_t level);
  size_t level_of(const Operand& operand) const { return operand.is_number() ? 0 : level_[operand.value]; }
  Operand place(Instruction line, VectorType result);
  void flatten(Block& block, std::vector<Instruction>& out);

  const Program& from_;
  Made made_;
  std::map<uint32_t, uint32_t> parameters_;  // by source
  std::vector<Open> open_;                   // the first is the program itself
  std::vector<size_t> level_;                // of each value
  uint32_t line_ = 0, next_slot_ = 0;
};

/// Element `element` of a parameter or register of the program that is made.
Address element_of(Address::Space space, uint32_t index, Type type, Operand element);

}  // namespace kerr::loops::tiles
