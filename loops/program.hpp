// A loop program: typed values, structured loops, flat buffers.          docs/reference/loop-programs.md
//
//   kernel add
//   param p0 f32 6144
//   param p1 f32 6144
//   %1 = loop i32 i32:6144 weak
//   %2 = load f32 p1[%1]
//   %3 = add f32 %2 f32:1.0
//   store f32 p0[%1] %3
//   end %1
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "loops/types.hpp"

namespace kerr::loops {

enum class Verb : uint8_t {
  Loop,
  EndLoop,  // %ID = loop TYPE EXTENT AXIS ... end %ID
  Do,
  While,  // do %ID ... while %ID COND
  If,
  EndIf,  // if COND ... endif
  Load,
  Store,
  Cast,
  Bitcast,
  Pack,
  Lane,
#define X(verb, name, operands, kind) verb,
#include "loops/operations.def"
};

enum class OperandKind : uint8_t { Integer, Float, Number, Bits, Any, Compare, Select, Shift, Threefry };

struct Operation {
  Verb verb;
  std::string_view name;
  uint8_t operands;
  OperandKind kind;
};
/// The rows of operations.def in their order.
std::span<const Operation> operations();
constexpr bool is_arithmetic(Verb verb) { return verb >= Verb::Add; }
/// The row of an arithmetic verb.
const Operation& operation(Verb verb);
/// Whether a line of the verb may have the type; of comparisons: whether their operands may.
constexpr bool computes(Verb verb, Type type);

/// How the program's author means a loop. Only loops that are no reduction may be dealt to several harts.
enum class Axis : uint8_t { Weak, Loop, Global, Reduce, Upcast, Unroll };

inline constexpr uint32_t kNoValue = ~0u;

/// What a line computes with: a value that a line before it has made, or a number.
struct Operand {
  VectorType type;
  uint32_t value = kNoValue;  // index of Program::values
  uint64_t bits = 0;          // of a number (value == kNoValue): as memory holds it, in the low bits; above them zeros
  bool is_number() const { return value == kNoValue; }
};

/// The value of a number of an integer type, its sign included.
int64_t value_of(const Operand& operand);

/// One element of a parameter or of a register array: p0[i], r1[i].
struct Address {
  enum class Space : uint8_t { Parameter, Register };
  Space space = Space::Parameter;
  uint32_t index = 0;     // of Program::parameters or ::registers
  Operand element;        // of any integer type, signed or not; bytes are counted in 64 bits
  Type unit = Type::I32;  // what `element` counts; Instruction::type is what is accessed there
};

/// A line of the body.
struct Instruction {
  Verb verb = Verb::Add;
  Axis axis = Axis::Weak;  // Loop
  bool gated = false;      // Load: operands are condition and default
  uint8_t operand_count = 0;
  VectorType type;  // of the result; of what is stored or compared (a comparison's result is bool)
  uint32_t result =
      kNoValue;          // index of Program::values; of a Loop: its variable; of a Do: its label, which is no value
  uint32_t partner = 0;  // Loop, Do, If: index of the line that ends it, and of that line back
  uint32_t line = 0;     // of the text, from 1
  // Loop: extent. While: condition. If: condition. Load: [condition, default]. Store: value. Else: in the order of the
  // text.
  std::array<Operand, 4> operands;
  Address address;  // Load, Store

  std::span<const Operand> inputs() const { return {operands.data(), operand_count}; }
};

struct Parameter {
  uint32_t slot = 0;  // pSLOT
  Type type = Type::I32;
  uint64_t count = 0;  // elements
  uint32_t line = 0;
  uint64_t bytes() const { return count * info(type).bytes; }
};

/// An argument of a launch: a symbolic size.
struct Variable {
  uint32_t value = kNoValue;
  Type type = Type::I32;  // I32 or I64
  std::string name;
  int64_t min = 0, max = 0;  // both inclusive
};

/// An array of a hart's own, undefined until stored.
struct Register {
  uint32_t id = 0;  // rID
  Type type = Type::I32;
  uint64_t count = 0;
  uint32_t line = 0;
  bool settled = false;  // a compiler has made it: what is loaded of it, and matters, the same iteration has stored
  uint64_t bytes() const { return count * info(type).bytes; }
};

struct Value {
  std::string name;  // "%7" is "7"
  VectorType type;
};

/// Complete and checked: types agree, values are defined before they are used and inside their loop, blocks are closed.
struct Program {
  std::string name;
  bool tf32 = false;                  // tf32=1: contractions may be computed in TF32; none is today
  std::vector<Parameter> parameters;  // ascending slots: the k-th is the k-th buffer of a launch
  std::vector<Variable> variables;    // the k-th is the k-th of a launch's numbers
  std::vector<Register> registers;
  std::vector<Value> values;
  std::vector<Instruction> body;
};

/// Sets partners again after lines have come or gone.
void relink(Program& program);

/// A program that is none, with where: what() is "line 3, column 8: ...".
class ProgramError : public std::runtime_error {
 public:
  ProgramError(uint32_t line, uint32_t column, const std::string& message);
  uint32_t line, column;  // from 1
  std::string message;    // without them
};

/// What a program may have at most.
inline constexpr size_t kMostText = size_t{1} << 26;  // bytes
inline constexpr uint32_t kMostLines = 1'000'000;
inline constexpr uint32_t kMostParameters = 1024;
inline constexpr uint32_t kDeepestNesting = 64;
inline constexpr uint32_t kLongestName = 1000;                            // bytes
inline constexpr uint64_t kMostParameterBytes = (uint64_t{1} << 32) - 1;  // of each: offsets have 32 bits
inline constexpr uint64_t kMostRegisterBytes = 1 << 20;                   // of all together

/// In time n log n of the text's length. Throws ProgramError for the first thing that is wrong, limits included.
Program parse(std::string_view text);
/// parse(print(p)) is p, but for the numbers of lines.
std::string print(const Program& program);

constexpr bool computes(Verb verb, Type type) {
  constexpr OperandKind kKinds[] = {
#define X(verb, name, operands, kind) OperandKind::kind,
#include "loops/operations.def"
  };
  const bool integer = is_integer(type), is_float = info(type).is_float;
  switch (kKinds[static_cast<size_t>(verb) - static_cast<size_t>(Verb::Add)]) {
    case OperandKind::Integer:
    case OperandKind::Shift: return integer;
    case OperandKind::Float: return is_float;
    case OperandKind::Number: return integer || is_float;
    case OperandKind::Bits: return !is_float;
    case OperandKind::Any:
    case OperandKind::Compare:
    case OperandKind::Select: return true;
    case OperandKind::Threefry: return type == Type::U64;
  }
  return false;
}

}  // namespace kerr::loops
