// Makes steps: small operations on registers, folded where their operands are known.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "loops/scalar/machine.hpp"
#include "loops/types.hpp"

namespace kerr::loops::scalar {

/// A number: one register, or the low and the high word.
struct Scalar {
  RegId low = kZero, high = kZero;
};

class Builder {
 public:
  using Op = isa::riscv::Op;

  Builder();

  // ---- where steps go

  /// Loops that are open, the function itself being the first.
  uint32_t depth() const { return static_cast<uint32_t>(frames_.size() - 1); }
  /// Steps go to where all that was made at `level` or outside of it exists: the end of the open loop of that depth, or
  /// before the loop inside it.
  void aim(uint32_t level);
  void aim_here() { aim(depth()); }
  void set_line(uint32_t line) { line_ = line; }
  uint32_t line() const { return line_; }
  void open_loop();
  void close_loop();
  Machine finish();

  // ---- steps

  RegId make(bool float_file = false) { return machine_.make(float_file); }
  uint32_t label() { return machine_.labels++; }
  void put(Op op, RegId rd, RegId rs1, RegId rs2 = kZero, int32_t imm = 0);
  void store(Op op, RegId value, RegId base, int32_t offset) { put(op, kZero, base, value, offset); }
  void branch(Op op, RegId rs1, RegId rs2, uint32_t label);
  void jump(uint32_t label);
  void bind(uint32_t label);
  void set(RegId rd, RegId from);  // a copy, inside a file
  void set_constant(RegId rd, uint32_t value);
  void memory_call(uint32_t routine);
  void mark(Step::Kind kind, RegId rd = kZero);
  uint64_t count() const { return count_; }
  /// If the last step, which is younger than `since`, has made `made`, then it makes `instead` from now on, and `made`
  /// is that.
  void retarget(Scalar& made, Scalar instead, uint64_t since);
  Scalar call(Routine routine, std::initializer_list<RegId> operands, uint32_t results, bool float_result = false);
  RegId op2(Op op, RegId a, RegId b);
  RegId op1(Op op, RegId a, int32_t imm = 0);
  RegId float2(Op op, RegId a, RegId b);
  RegId compare(Op op, RegId a, RegId b);  // of floats, into an integer register

  // ---- numbers

  /// In a register that keeps it throughout.
  RegId constant(uint32_t value);
  RegId float_constant(uint32_t bits);
  Scalar constant64(uint64_t value) {
    return {constant(static_cast<uint32_t>(value)), constant(static_cast<uint32_t>(value >> 32))};
  }
  std::optional<uint32_t> known(RegId reg) const;

  RegId add(RegId a, RegId b);
  RegId add_constant(RegId a, uint32_t value);
  RegId sub(RegId a, RegId b);
  RegId mul(RegId a, RegId b);
  RegId and_(RegId a, RegId b);
  RegId or_(RegId a, RegId b);
  RegId xor_(RegId a, RegId b);
  RegId shift_left(RegId a, uint32_t count);
  RegId shift_right(RegId a, uint32_t count, bool arithmetic);
  RegId less(RegId a, RegId b, bool is_signed);
  RegId is_zero(RegId a);
  RegId is_not_zero(RegId a);
  /// condition ? a : b; condition is 0 or 1.
  RegId select(RegId condition, RegId a, RegId b);
  Scalar select(RegId condition, Scalar a, Scalar b, bool wide);
  RegId to_float(RegId bits);  // fmv
  RegId to_bits(RegId value);
  /// base + index * bytes, for 1, 2, 4, 8 and others.
  RegId scaled(RegId base, RegId index, uint32_t bytes);
  /// An integer of up to 32 bits as its type keeps it in a register, from its low bits.
  RegId normal(Type type, RegId a);

 private:
  struct Frame {
    std::vector<Step> before, body;
  };
  void append(Step step);

  Machine machine_;
  std::vector<Frame> frames_;
  std::vector<Step>* out_;
  std::unordered_map<uint32_t, RegId> constants_, float_constants_;
  std::unordered_map<RegId, uint32_t> known_;
  uint32_t line_ = 0;
  uint64_t count_ = 0;  // of steps so far
};

}  // namespace kerr::loops::scalar
