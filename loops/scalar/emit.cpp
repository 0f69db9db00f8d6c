#include "loops/scalar/emit.hpp"

#include <vector>

namespace kerr::loops::scalar {
namespace {

using isa::FReg;
using isa::Reg;
using isa::riscv::Format;
using isa::riscv::Op;

constexpr uint8_t kDynamic = 7;
constexpr RegId kFloatSpill0 = float_reg(0), kFloatSpill1 = float_reg(1);

class Emitter {
 public:
  Emitter(isa::Assembler& a, const Machine& m, const Allocation& allocation, Routines& routines, MemoryRoutines& memory,
          const EmitOptions& options)
      : a_(a), m_(m), allocation_(allocation), routines_(routines), memory_(memory), options_(options) {
    for (uint32_t i = 0; i < m.labels; ++i) labels_.push_back(a.label());
  }

  void run() {
    std::vector<std::pair<size_t, size_t>> cold;
    for (size_t i = 0; i < m_.steps.size(); ++i) {
      if (m_.steps[i].kind == Step::Kind::ColdBegin) {
        const size_t begin = i + 1;
        while (m_.steps[i].kind != Step::Kind::ColdEnd) ++i;
        cold.push_back({begin, i});
      } else {
        emit(m_.steps[i]);
      }
    }
    after_hot_ = a_.label();
    a_.j(after_hot_);
    for (const auto& [begin, end] : cold)
      for (size_t i = begin; i < end; ++i) emit(m_.steps[i]);
    a_.bind(after_hot_);
  }

 private:
  void emit(const Step& s) {
    if (s.line != line_) {
      line_ = s.line;
      a_.source(options_.source, line_);
    }
    switch (s.kind) {
      case Step::Kind::Instruction: return instruction(s);
      case Step::Kind::Branch: {
        const RegId left = read(s.rs1, 0), right = read(s.rs2, 1);
        return a_.emit({.op = s.op, .rs1 = number(left), .rs2 = number(right)}, labels_[s.label]);
      }
      case Step::Kind::Jump: return a_.j(labels_[s.label]);
      case Step::Kind::Bind: return a_.bind(labels_[s.label]);
      case Step::Kind::Constant: return constant(s);
      case Step::Kind::Call: return call(m_.calls[s.label]);
      case Step::Kind::MemoryCall: return a_.call(memory_.of(static_cast<MemoryRoutine>(s.label)));
      default: return;
    }
  }

  void instruction(const Step& s) {
    const Place to = allocation_.of(s.rd);
    const bool copy = s.op == Op::Addi && s.imm == 0;
    if (to.kind == Place::Kind::Unused) return;
    const RegId target = to.kind == Place::Kind::Register ? to.number : scratch(s.rd, 0);
    RegId left;
    if (copy && to.kind == Place::Kind::Register) {  // into its place at once
      const Place from = allocation_.of(s.rs1);
      if (from.kind == Place::Kind::Register && from.number == to.number) return;
      if (from.kind != Place::Kind::Register) {
        fetch(from, target, false);
        return;
      }
      left = from.number;
    } else if (s.op == Op::FsgnjS && s.rs1 == s.rs2 && to.kind == Place::Kind::Register) {
      const Place from = allocation_.of(s.rs1);
      if (from.kind == Place::Kind::Register && from.number == to.number) return;
      if (from.kind != Place::Kind::Register) {
        fetch(from, target, true);
        return;
      }
      left = from.number;
    } else {
      left = read(s.rs1, 0);
    }
    const RegId right = s.rs2 == s.rs1 ? left : read(s.rs2, 1);
    const Format format = isa::riscv::row(s.op).format;
    const bool rounded = format == Format::FRounded || format == Format::FToInteger || format == Format::FFromInteger;
    a_.emit({.op = s.op,
             .rd = number(is_store(s.op) ? 0 : target),
             .rs1 = number(left),
             .rs2 = number(right),
             .rm = static_cast<uint8_t>(rounded ? kDynamic : 0),
             .imm = s.imm});
    if (to.kind == Place::Kind::Slot) keep(to.number, target);
  }

  void constant(const Step& s) {
    const Place to = allocation_.of(s.rd);
    if (to.kind == Place::Kind::Unused || to.kind == Place::Kind::Constant) return;
    if (!m_.in_float_file(s.rd)) {
      const RegId target = to.kind == Place::Kind::Register ? to.number : kSpill0;
      a_.li(reg(target), s.imm);
      if (to.kind == Place::Kind::Slot) keep(to.number, target);
      return;
    }
    if (s.imm != 0) a_.li(reg(kSpill0), s.imm);
    if (to.kind == Place::Kind::Slot) return keep(to.number, s.imm != 0 ? kSpill0 : kZero);
    a_.fmv_w_x(FReg{number(to.number)}, reg(s.imm != 0 ? kSpill0 : kZero));
  }

  // Operands to a0 and up, all at once: none is overwritten before it is read.
  void call(const RoutineCall& c) {
    constexpr uint32_t kFirst = 10;
    std::array<Place, 4> from{};
    std::array<bool, 4> done{};
    for (uint32_t i = 0; i < c.operand_count; ++i) from[i] = allocation_.of(c.operands[i]);
    const auto holds = [&](uint32_t i, uint32_t number) {
      return from[i].kind == Place::Kind::Register && from[i].number == number;
    };
    uint32_t left = c.operand_count;
    while (left != 0) {
      bool moved = false;
      for (uint32_t i = 0; i < c.operand_count; ++i) {
        if (done[i]) continue;
        bool needed = false;
        for (uint32_t k = 0; k < c.operand_count; ++k) needed |= k != i && !done[k] && holds(k, kFirst + i);
        if (needed) continue;
        move_operand(from[i], kFirst + i);
        done[i] = moved = true;
        --left;
      }
      if (moved) continue;
      for (uint32_t i = 0; i < c.operand_count; ++i) {  // a circle
        if (done[i]) continue;
        a_.mv(reg(kSpill0), reg(from[i].number));
        const uint32_t was = from[i].number;
        for (uint32_t k = 0; k < c.operand_count; ++k)
          if (!done[k] && holds(k, was)) from[k].number = kSpill0;
        break;
      }
    }
    a_.call(routines_.of(c.routine));
    // a1 first: a0's place may be a1.
    std::array<Place, 2> to{};
    for (uint32_t i = 0; i < c.result_count; ++i) to[i] = allocation_.of(c.results[i]);
    if (c.result_count == 2 && to[0].kind == Place::Kind::Register && to[0].number == kFirst + 1) {
      if (to[1].kind == Place::Kind::Register && to[1].number == kFirst) {
        a_.mv(reg(kSpill0), reg(kFirst));
        a_.mv(reg(kFirst), reg(kFirst + 1));
        a_.mv(reg(kFirst + 1), reg(kSpill0));
        return;
      }
      move_result(to[1], kFirst + 1);
      move_result(to[0], kFirst);
      return;
    }
    for (uint32_t i = 0; i < c.result_count; ++i) move_result(to[i], kFirst + i);
  }
  void move_operand(const Place& from, uint32_t target) {
    if (from.kind != Place::Kind::Register) return fetch(from, target, false);
    if (from.number >= 32) return a_.fmv_x_w(reg(target), FReg{number(from.number)});
    if (from.number != target) a_.mv(reg(target), reg(from.number));
  }
  void move_result(const Place& to, uint32_t source) {
    if (to.kind == Place::Kind::Slot) return keep(to.number, source);
    if (to.kind != Place::Kind::Register) return;
    if (to.number >= 32) return a_.fmv_w_x(FReg{number(to.number)}, reg(source));
    if (to.number != source) a_.mv(reg(to.number), reg(source));
  }

  // ---- slots

  static uint8_t number(RegId reg) { return static_cast<uint8_t>(reg & 31); }
  static Reg reg(RegId id) { return Reg{number(id)}; }
  static bool is_store(Op op) { return isa::riscv::row(op).kind == isa::riscv::Kind::Store; }
  RegId scratch(RegId of, int which) const {
    if (m_.in_float_file(of)) return which == 0 ? kFloatSpill0 : kFloatSpill1;
    return which == 0 ? kSpill0 : kSpill1;
  }
  RegId read(RegId id, int which) {
    const Place place = allocation_.of(id);
    if (place.kind == Place::Kind::Register) return place.number;
    const RegId target = scratch(id, which);
    fetch(place, target, target >= 32);
    return target;
  }
  // A slot or a constant to a register.
  void fetch(const Place& place, RegId target, bool float_file) {
    if (place.kind == Place::Kind::Constant) return a_.li(reg(target), place.value);
    if (place.kind == Place::Kind::Unused) return;  // nobody has given it a value
    const auto [base, offset] = slot(place.number, kSpill1);
    float_file ? a_.flw(FReg{number(target)}, base, offset) : a_.lw(reg(target), base, offset);
  }
  void keep(uint32_t slot_number, RegId source) {
    const auto [base, offset] = slot(slot_number, kSpill1);
    source >= 32 ? a_.fsw(FReg{number(source)}, base, offset) : a_.sw(reg(source), base, offset);
  }
  std::pair<Reg, int32_t> slot(uint32_t slot_number, RegId spare) {
    if (slot_number < kLocalSlots) return {reg(kFrame), static_cast<int32_t>(4 * slot_number) - 2048};
    const uint32_t offset = options_.more_slots + 4 * (slot_number - kLocalSlots);
    const uint32_t upper = (offset + 0x800) >> 12;
    a_.lui(reg(spare), upper);
    a_.add(reg(spare), reg(spare), reg(kWork));
    return {reg(spare), static_cast<int32_t>(offset - (upper << 12))};
  }

  isa::Assembler& a_;
  const Machine& m_;
  const Allocation& allocation_;
  Routines& routines_;
  MemoryRoutines& memory_;
  const EmitOptions& options_;
  std::vector<isa::Label> labels_;
  isa::Label after_hot_;
  uint32_t line_ = 0;
};

}  // namespace

void emit(isa::Assembler& assembler, const Machine& machine, const Allocation& allocation, Routines& routines,
          MemoryRoutines& memory, const EmitOptions& options) {
  Emitter(assembler, machine, allocation, routines, memory, options).run();
}

}  // namespace kerr::loops::scalar
