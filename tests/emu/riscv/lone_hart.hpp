// The smallest thing that can run a hart: L1, decoded lines, and a bus with sixteen plain registers at 0xFFB12000.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "emu/riscv/hart.hpp"
#include "isa/riscv/instructions.hpp"

namespace kerr::emu {

using isa::riscv::Instruction;
using isa::riscv::Op;

class LoneHart : public HartBus, public L1::Listener {
 public:
  // [0..7] pure, [8] counts its loads (not pure), [9] always waits, [10] faults, [11] and [12] the clock's low and high
  // word, [13..15] not pure
  static constexpr uint32_t kRegisters = 0xFFB12000;

  explicit LoneHart(arch::Hart index = arch::Hart::Brisc, const Options& how = {})
      : options(how), hart({}, index, l1, code, *this, faults, options) {
    l1.listen(this);
  }

  /// Writes the program at `address` and releases the hart there at cycle 0.
  void start(std::initializer_list<Instruction> program, uint32_t address = 0x1000) {
    uint32_t at = address;
    for (const Instruction& i : program) {
      l1.store(at, isa::riscv::encode(i));
      at += 4;
    }
    hart.release_reset(address, 0, false);
  }

  Access load(arch::Hart, uint32_t address, unsigned, BusReply& reply) override {
    const uint32_t index = (address - kRegisters) / 4;
    if (index == 9) {
      reply.wait = wait::kMailbox;
      return Access::Wait;
    }
    if (index >= registers.size() || index == 10) {
      faults.report({.what = "no such register"});
      return Access::Fault;
    }
    reply.value = index == 11   ? static_cast<uint32_t>(hart.state().cycle)
                  : index == 12 ? static_cast<uint32_t>(hart.state().cycle >> 32)
                                : registers[index];
    if (index == 8) ++registers[index];
    return Access::Done;
  }
  Access store(arch::Hart, uint32_t address, unsigned, uint32_t value, BusReply&) override {
    registers[(address - kRegisters) / 4 % registers.size()] = value;
    return Access::Done;
  }
  Access push(arch::Hart, uint32_t, uint32_t word, bool, BusReply& reply) override {
    if (pushed.size() == fifo_room) {
      reply.wait = wait::fifo(0);
      return Access::Wait;
    }
    pushed.push_back(word);
    return Access::Done;
  }
  WaitMask watch_of(arch::Hart, uint32_t address) const override {
    return (address - kRegisters) / 4 < 8 ? wait::stream(0) : 0;
  }
  uint32_t coprocessor_status(arch::Hart, bool) override { return 0; }
  ClockPart clock_of(uint32_t address) const override {
    const uint32_t index = (address - kRegisters) / 4;
    return index == 11 ? ClockPart::Low : index == 12 ? ClockPart::High : ClockPart::None;
  }
  // As Agents does it, for one hart.
  void before_write(uint32_t line, uint8_t attributes, L1::LineBytes written) override {
    if (attributes & L1::kWatched) {
      watched_writes.push_back(line);
      l1.attributes()[line] &= static_cast<uint8_t>(~L1::kWatched);
      if (hart.reads(line) & written) hart.state().parked() ? hart.wake(time) : hart.disturb();
      if (hart.reads(line) != 0) l1.attributes()[line] |= L1::kWatched;
    }
    if (l1.attributes()[line] & L1::kDecoded) code.drop(line);
  }
  void set_register(unsigned index, uint32_t value) {
    if (hart.depends_on() & wait::stream(0)) hart.state().parked() ? hart.wake(time) : hart.disturb();
    registers[index] = value;
  }
  /// Runs the hart, unless it sleeps, to `end`: time for those outside it.
  void run(Cycle end) {
    if (hart.state().running() || hart.alarm() < end) hart.run(time, end);
    time = end;
  }

  const Options options;
  L1 l1;
  CodeCache code{l1, std::make_shared<DecodedLines>(options)};
  FaultLog faults;
  std::array<uint32_t, 16> registers{};
  std::vector<uint32_t> pushed;
  size_t fifo_room = 4;
  std::vector<uint32_t> watched_writes;
  Cycle time = 0;
  Hart hart;
};

// x registers by their usual names
inline constexpr uint8_t t0 = 5, t1 = 6, t2 = 7, a0 = 10, a1 = 11, a2 = 12;

inline Instruction reg(Op op, uint8_t rd, uint8_t rs1, uint8_t rs2) {
  return {.op = op, .rd = rd, .rs1 = rs1, .rs2 = rs2};
}
inline Instruction imm(Op op, uint8_t rd, uint8_t rs1, int32_t value) {
  return {.op = op, .rd = rd, .rs1 = rs1, .imm = value};
}
inline Instruction upper(uint8_t rd, uint32_t value) {
  return {.op = Op::Lui, .rd = rd, .imm = static_cast<int32_t>(value & 0xFFFFF000)};
}
inline Instruction branch(Op op, uint8_t rs1, uint8_t rs2, int32_t offset) {
  return {.op = op, .rs1 = rs1, .rs2 = rs2, .imm = offset};
}
inline Instruction jump(uint8_t rd, int32_t offset) { return {.op = Op::Jal, .rd = rd, .imm = offset}; }
inline Instruction store(Op op, uint8_t rs2, uint8_t rs1, int32_t offset) {
  return {.op = op, .rs1 = rs1, .rs2 = rs2, .imm = offset};
}

}  // namespace kerr::emu
