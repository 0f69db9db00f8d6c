// Random programs that any RV32 machine can run, so that another implementation can say what they compute.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/riscv/instructions.hpp"

namespace kerr::emu {

/// RV32IM, Zba, Zbb, pack, brev8 and Zaamo: every register except x0 begins with a random or extreme value, a body of
/// random instructions runs three times, and the registers are stored behind the data. Data and results are memory from
/// kData on.
class IndependentProgram {
 public:
  static constexpr uint32_t kCode = 0x10000, kData = 0x20000;
  static constexpr uint32_t kDataBytes = 1024, kResultBytes = 32 * 4;

  explicit IndependentProgram(uint32_t seed) : state_(seed * 2654435761u + 1) {
    for (uint32_t& word : data) word = value();
    add({.op = Op::Lui, .rd = kBase, .imm = static_cast<int32_t>(kData)});
    add({.op = Op::Lui, .rd = kPlace, .imm = static_cast<int32_t>(kData)});
    add({.op = Op::Lui, .rd = kCodeBase, .imm = static_cast<int32_t>(kCode)});
    for (uint8_t r = 1; r < kCodeBase; ++r) add({.op = Op::Lw, .rd = r, .rs1 = kBase, .imm = 4 * r});
    add({.op = Op::Addi, .rd = kTurns, .imm = 3});
    const size_t begin = words.size();
    const size_t end = begin + 60 + pick(60);
    while (words.size() < end) step(end - words.size());
    add({.op = Op::Addi, .rd = kTurns, .rs1 = kTurns, .imm = -1});
    const auto back = static_cast<int32_t>(begin) - static_cast<int32_t>(words.size());
    add({.op = Op::Bne, .rs1 = kTurns, .imm = 4 * back});
    for (uint8_t r = 0; r < 32; ++r)
      add({.op = Op::Sw, .rs1 = kBase, .rs2 = r, .imm = static_cast<int32_t>(kDataBytes) + 4 * r});
  }

  std::vector<uint32_t> words;  // at kCode; whoever runs them appends how to stop
  std::array<uint32_t, kDataBytes / 4> data{};

 private:
  using Op = isa::riscv::Op;
  using Instruction = isa::riscv::Instruction;
  using Format = isa::riscv::Format;
  // The body writes kPlace only, always an address of data: a jump may come between two words of a step.
  static constexpr uint8_t kCodeBase = 28, kPlace = 29, kBase = 30, kTurns = 31;

  uint32_t random() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    return state_ ^= state_ << 5;
  }
  uint32_t pick(uint32_t n) { return random() % n; }
  uint32_t value() {
    constexpr std::array<uint32_t, 8> extremes{0, 1, ~0u, 0x80000000, 0x7FFFFFFF, 31, 32, 0xFFFF8000};
    return pick(4) == 0 ? extremes[pick(8)] : random() >> pick(4) * 8;
  }
  uint8_t any() { return static_cast<uint8_t>(pick(kCodeBase)); }
  void add(const Instruction& i) { words.push_back(isa::riscv::encode(i)); }

  // One or two words; `left` of them remain.
  void step(size_t left) {
    const isa::riscv::Row& row = isa::riscv::rows()[pick(isa::riscv::kOpCount)];
    using isa::riscv::Kind;
    // Forward, over at most six words of the body.
    const auto ahead = 4 * static_cast<int32_t>(1 + pick(static_cast<uint32_t>(left < 6 ? left : 6)));
    switch (row.kind) {
      case Kind::Alu:
      case Kind::Mul:
      case Kind::Div: return add(computation(row));
      case Kind::Branch: return add({.op = row.op, .rs1 = any(), .rs2 = any(), .imm = ahead});
      case Kind::Jump:
        if (row.op == Op::Jal) return add({.op = Op::Jal, .rd = any(), .imm = ahead});
        return add(
            {.op = Op::Jalr, .rd = any(), .rs1 = kCodeBase, .imm = 4 * static_cast<int32_t>(words.size()) + ahead});
      case Kind::Amo:
        if (left < 2) return;
        add({.op = Op::Addi, .rd = kPlace, .rs1 = kBase, .imm = static_cast<int32_t>(4 * pick(256))});
        return add({.op = row.op, .rd = any(), .rs1 = kPlace, .rs2 = any()});
      default: return access();
    }
  }
  Instruction computation(const isa::riscv::Row& row) {
    const auto small = static_cast<int32_t>(pick(4096)) - 2048;
    switch (row.format) {
      case Format::Upper: return {.op = row.op, .rd = any(), .imm = static_cast<int32_t>(random() & 0xFFFFF000)};
      case Format::Shift: return {.op = row.op, .rd = any(), .rs1 = any(), .imm = static_cast<int32_t>(pick(32))};
      case Format::Immediate: return {.op = row.op, .rd = any(), .rs1 = any(), .imm = small};
      case Format::Unary: return {.op = row.op, .rd = any(), .rs1 = any()};
      default: return {.op = row.op, .rd = any(), .rs1 = any(), .rs2 = any()};
    }
  }
  void access() {
    constexpr std::array<Op, 8> ops{Op::Lb, Op::Lh, Op::Lw, Op::Lbu, Op::Lhu, Op::Sb, Op::Sh, Op::Sw};
    const Op op = ops[pick(8)];
    const uint32_t bytes = op == Op::Lw || op == Op::Sw ? 4 : op == Op::Lh || op == Op::Lhu || op == Op::Sh ? 2 : 1;
    const auto offset = static_cast<int32_t>(pick(kDataBytes / bytes) * bytes);
    if (op >= Op::Sb && op <= Op::Sw) return add({.op = op, .rs1 = kBase, .rs2 = any(), .imm = offset});
    add({.op = op, .rd = any(), .rs1 = kBase, .imm = offset});
  }

  uint32_t state_;
};

}  // namespace kerr::emu
