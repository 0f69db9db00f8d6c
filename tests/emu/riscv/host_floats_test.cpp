// Float instructions in the fast loop against their definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "emu/riscv/floating.hpp"
#include "tests/emu/riscv/float_patterns.hpp"
#include "tests/emu/riscv/lone_hart.hpp"

namespace kerr::emu {
namespace {

using isa::riscv::Format;

constexpr uint8_t kFa = 1, kFb = 2, kFc = 3, kFd = 4,
                  kFe = 5;             // what the instructions under test work on: a, b, c; results
constexpr uint8_t kXa = 11, kXd = 12;  // likewise if it is an integer
constexpr uint32_t kCount = 4096, kA = 0x100, kB = 0x10000, kC = 0x20000, kResults = 0x30000;

bool is_float_result(const Instruction& i) { return isa::riscv::float_operands(isa::riscv::row(i.op).format).rd; }

/// Some instructions, of which the last gives the result, on a, b[i] and c[i] for all i, in a loop.
class Rows {
 public:
  explicit Rows(const std::vector<Instruction>& tested) {
    constexpr uint8_t at_b = 20, at_c = 21, at_result = 22, end = 23;
    std::vector<Instruction> program{imm(Op::Flw, kFa, 0, kA),
                                     upper(at_b, kB),
                                     upper(at_c, kC),
                                     upper(at_result, kResults),
                                     upper(end, kB + 4 * kCount),
                                     imm(Op::Flw, kFb, at_b, 0),
                                     imm(Op::Flw, kFc, at_c, 0)};
    const size_t begin = program.size() - 2;
    program.insert(program.end(), tested.begin(), tested.end());
    const Instruction& last = tested.back();
    program.push_back(store(is_float_result(last) ? Op::Fsw : Op::Sw, last.rd, at_result, 0));
    for (const uint8_t pointer : {at_b, at_c, at_result}) program.push_back(imm(Op::Addi, pointer, pointer, 4));
    program.push_back(
        branch(Op::Bne, at_b, end, 4 * (static_cast<int32_t>(begin) - static_cast<int32_t>(program.size()))));
    cycles_ = begin + kCount * (program.size() - begin);
    program.push_back(jump(0, 0));
    for (uint32_t i = 0; i < program.size(); ++i) lone_.l1.store(kCode + 4 * i, isa::riscv::encode(program[i]));
  }

  void set_b(const std::vector<uint32_t>& values) { lone_.l1.write(kB, bytes_of(values)); }
  void set_c(const std::vector<uint32_t>& values) { lone_.l1.write(kC, bytes_of(values)); }

  /// False, and says where, if a result is not what is expected.
  template <class Expected>
  bool agree(uint32_t a, const Expected& expected) {
    lone_.l1.store(kA, a);
    lone_.hart.hold_reset();
    lone_.hart.release_reset(kCode, lone_.time, true);
    lone_.run(lone_.time + cycles_);
    if (lone_.faults.any()) return ADD_FAILURE() << "fault", false;
    for (uint32_t i = 0; i < 4 * kCount; i += 4) {
      const uint32_t b = lone_.l1.load<uint32_t>(kB + i), c = lone_.l1.load<uint32_t>(kC + i);
      const uint32_t result = lone_.l1.load<uint32_t>(kResults + i), right = expected(a, b, c);
      if (result == right) continue;
      ADD_FAILURE() << std::hex << a << ", " << b << ", " << c << " give " << result << ", not " << right;
      return false;
    }
    return true;
  }

 private:
  static constexpr uint32_t kCode = 0x1000;
  static std::span<const uint8_t> bytes_of(const std::vector<uint32_t>& values) {
    return {reinterpret_cast<const uint8_t*>(values.data()), 4 * kCount};
  }

  LoneHart lone_{arch::Hart::Brisc, {.parking = false}};
  Cycle cycles_ = 0;
};

/// Without operands that the format does not have.
Instruction instruction(const Instruction& i) { return isa::riscv::decode(isa::riscv::encode(i)); }

std::vector<Op> float_ops(bool of_two_or_three) {
  std::vector<Op> all;
  for (const isa::riscv::Row& row : isa::riscv::rows()) {
    if (row.kind == isa::riscv::Kind::Float && isa::riscv::float_operands(row.format).rs2 == of_two_or_three)
      all.push_back(row.op);
  }
  return all;
}

std::string name_of(const ::testing::TestParamInfo<Op>& info) {
  std::string name(isa::riscv::row(info.param).text);
  std::ranges::replace(name, '.', '_');
  return name;
}

class FloatOfTwo : public ::testing::TestWithParam<Op> {};
class FloatOfOne : public ::testing::TestWithParam<Op> {};
INSTANTIATE_TEST_SUITE_P(InTheFastLoop, FloatOfTwo, ::testing::ValuesIn(float_ops(true)), name_of);
INSTANTIATE_TEST_SUITE_P(InTheFastLoop, FloatOfOne, ::testing::ValuesIn(float_ops(false)), name_of);

// A third operand is another one in every row.
TEST_P(FloatOfTwo, IsWhatTheDefinitionSaysOnAllPairs) {
  const Op op = GetParam();
  const isa::riscv::Row& row = isa::riscv::row(op);
  const bool to_float = isa::riscv::float_operands(row.format).rd;
  Rows rows({instruction({.op = op, .rd = to_float ? kFd : kXd, .rs1 = kFa, .rs2 = kFb, .rs3 = kFc})});
  const std::vector<uint32_t> patterns = float_patterns(kCount, 1);
  std::vector<uint32_t> third = float_patterns(kCount, 2);
  rows.set_b(patterns);
  for (const uint32_t a : patterns) {
    rows.set_c(third);
    if (!rows.agree(a, [&](uint32_t x, uint32_t y, uint32_t z) { return float_result(op, x, y, z); })) break;
    if (row.format == Format::FFused) std::ranges::rotate(third, third.begin() + 1);
  }
}

// Its operand is b; an integer one goes the way through memory that its pattern goes.
TEST_P(FloatOfOne, IsWhatTheDefinitionSays) {
  const Op op = GetParam();
  const isa::riscv::FloatOperands files = isa::riscv::float_operands(isa::riscv::row(op).format);
  const Instruction tested = instruction({.op = op, .rd = files.rd ? kFd : kXd, .rs1 = files.rs1 ? kFb : kXa});
  Rows rows(files.rs1 ? std::vector{tested} : std::vector{{.op = Op::FmvXW, .rd = kXa, .rs1 = kFb}, tested});
  std::vector<uint32_t> patterns = float_patterns(kCount, 3);
  constexpr uint32_t kApart = 4093;  // in 256 rows once through all patterns
  uint32_t next = 0;
  for (int row = 0; row < 257; ++row) {
    rows.set_b(patterns);
    if (!rows.agree(0, [&](uint32_t, uint32_t b, uint32_t) { return float_result(op, b, 0, 0); })) break;
    for (uint32_t& pattern : patterns) pattern = next += kApart;
  }
}

// The result goes from the one to the other beside the register, and both may be such as the host does not compute.
TEST(FloatPair, OfProductAndSumIsWhatTheDefinitionSays) {
  const Instruction product = instruction({.op = Op::FmulS, .rd = kFd, .rs1 = kFa, .rs2 = kFb});
  const std::vector<uint32_t> patterns = float_patterns(kCount, 4), others = float_patterns(kCount, 5);
  for (const bool first : {false, true}) {
    Rows rows({product, instruction({.op = Op::FaddS, .rd = kFe, .rs1 = first ? kFd : kFc, .rs2 = first ? kFc : kFd})});
    rows.set_b(patterns);
    rows.set_c(others);
    for (size_t i = 0; i < kCount; i += 8) {
      const bool agree = rows.agree(patterns[i], [](uint32_t a, uint32_t b, uint32_t c) {
        return float_result(Op::FaddS, float_result(Op::FmulS, a, b, 0), c, 0);
      });
      if (!agree) break;
    }
  }
}

}  // namespace
}  // namespace kerr::emu
