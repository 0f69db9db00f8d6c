// Random programs for a LoneHart: every instruction that it knows, most of them with sensible operands.
#pragma once

#include <random>
#include <vector>

#include "tests/emu/riscv/lone_hart.hpp"

namespace kerr::emu {

/// Code lies at 0x1000. x8 points to it, x9 to data at 0x4000, x18 to local memory, x19 to the bus's registers; the
/// rest is random.
class RandomProgram {
 public:
  explicit RandomProgram(uint32_t seed) : random_(seed) {
    const int length = 20 + pick(200);
    for (int i = 0; i < length; ++i) code_.push_back(instruction(i, length));
    code_.push_back(jump(0, -4 * pick(length + 1)));
    for (uint32_t& value : data_) value = random_();
  }

  void load(LoneHart& lone) const {
    uint32_t at = 0x1000;
    const auto emit = [&](const Instruction& i) { lone.l1.store(at, isa::riscv::encode(i)), at += 4; };
    emit(upper(8, 0x1000));
    emit(upper(9, 0x4000));
    emit(upper(18, arch::kLdmBase));
    emit(upper(19, LoneHart::kRegisters));
    for (uint8_t r = 10; r < 18; ++r) emit(imm(Op::Lw, r, 9, 4 * r));
    for (const Instruction& i : code_) emit(i);
    for (uint32_t i = 0; i < data_.size(); ++i) lone.l1.store(0x4000 + 4 * i, data_[i]);
    lone.hart.release_reset(0x1000, 0, false);
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  // x8, x9, x18 and x19 are hardly ever written, so that most addresses make sense.
  uint8_t target() { return static_cast<uint8_t>(pick(50) == 0 ? pick(32) : pick(5) == 0 ? pick(8) : 10 + pick(8)); }
  uint8_t source() { return static_cast<uint8_t>(pick(20) == 0 ? pick(32) : 10 + pick(8)); }
  uint8_t base() { return std::array<uint8_t, 8>{9, 9, 9, 18, 18, 18, 8, 19}[static_cast<size_t>(pick(8))]; }

  Instruction instruction(int index, int length) {
    const isa::riscv::Row& row = isa::riscv::rows()[static_cast<size_t>(pick(isa::riscv::kOpCount))];
    using isa::riscv::Format;
    using isa::riscv::Kind;
    if (row.kind == Kind::Float) return floating(row);
    if (row.kind == Kind::System || row.kind == Kind::Illegal) return plain_load_or_store();
    const int anywhere = 4 * (pick(length + 1) - index);
    switch (row.format) {
      case Format::Branch: return branch(row.op, source(), source(), pick(3) == 0 ? anywhere : 4 * (1 + pick(6)));
      case Format::Jump: return jump(target(), pick(3) == 0 ? anywhere : 4 * (1 + pick(6)));
      case Format::Load:
        if (row.op == Op::Jalr) return imm(Op::Jalr, target(), 8, 4 * pick(length));
        return plain_load_or_store();
      case Format::FLoad:
      case Format::FStore: return float_load_or_store(row.op);
      case Format::Store: return plain_load_or_store();
      case Format::Shift: return imm(row.op, target(), source(), pick(32));
      case Format::Immediate: return imm(row.op, target(), source(), pick(4096) - 2048);
      case Format::Upper: return {.op = row.op, .rd = target(), .imm = static_cast<int32_t>(random_() << 12)};
      case Format::Csr:
      case Format::CsrImmediate: return csr(row.op);
      case Format::Amo: return {.op = row.op, .rd = target(), .rs1 = 9, .rs2 = source()};
      case Format::Tensix: return {.op = Op::Ttinsn, .imm = pick(1 << 24)};
      default: return {.op = row.op, .rd = target(), .rs1 = source(), .rs2 = source()};
    }
  }

  Instruction plain_load_or_store() {
    constexpr std::array<Op, 8> ops{Op::Lb, Op::Lh, Op::Lw, Op::Lbu, Op::Lhu, Op::Sb, Op::Sh, Op::Sw};
    const Op op = ops[static_cast<size_t>(pick(8))];
    const uint8_t where = base();
    if (where == 19 && op != Op::Sw) return imm(Op::Lw, target(), 19, 4 * pick(9));
    if (where == 8 && pick(4) != 0) return imm(Op::Lw, target(), 8, 4 * pick(200));
    const int offset = pick(60) == 0 ? pick(512) : 4 * pick(where == 19 ? 8 : 128);
    return op >= Op::Sb && op <= Op::Sw ? store(op, source(), where, offset) : imm(op, target(), where, offset);
  }

  uint8_t float_register() { return static_cast<uint8_t>(pick(20) == 0 ? pick(32) : pick(6)); }

  Instruction floating(const isa::riscv::Row& row) {
    const isa::riscv::FloatOperands files = isa::riscv::float_operands(row.format);
    const Instruction i{.op = row.op,
                        .rd = files.rd ? float_register() : target(),
                        .rs1 = files.rs1 ? float_register() : source(),
                        .rs2 = float_register(),
                        .rs3 = float_register(),
                        .rm = static_cast<uint8_t>(pick(200) == 0 ? pick(8) : 7 * pick(2))};
    return isa::riscv::decode(isa::riscv::encode(i));  // without operands that it does not have
  }

  Instruction float_load_or_store(Op op) {
    const uint8_t where = base();
    const int offset = pick(60) == 0 ? pick(512) : 4 * pick(where == 19 ? 8 : 128);
    if (op == Op::Flw) return imm(op, float_register(), where, offset);
    return where == 8 ? imm(Op::Flw, float_register(), 8, offset) : store(op, float_register(), where, offset);
  }

  Instruction csr(Op op) {
    constexpr uint16_t kFcsr = 3;  // not to be read after a float instruction
    if (pick(20) == 0) return {.op = Op::Csrrw, .rd = pick(4) == 0 ? target() : uint8_t{0}, .rs1 = source(), .csr = kFcsr};
    constexpr std::array<uint16_t, 6> numbers{0x7C1, 0x7C2, 0xB00, 0xC02, 0x300, 0xF14};
    const uint16_t number = numbers[static_cast<size_t>(pick(6))];
    if (number < 0xB00) return {.op = op, .rd = target(), .rs1 = 0, .csr = number};
    return {.op = Op::Csrrs, .rd = target(), .csr = number};
  }

  std::minstd_rand random_;
  std::vector<Instruction> code_;
  std::array<uint32_t, 256> data_{};
};

}  // namespace kerr::emu
