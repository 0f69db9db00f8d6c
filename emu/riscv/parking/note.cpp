// What a watched hart is about to do, told to its PollWatch.
#include "emu/riscv/hart.hpp"

namespace kerr::emu {

using isa::riscv::Instruction;
using isa::riscv::Kind;
using isa::riscv::Op;

namespace {

unsigned bytes_of(Op op) {
  switch (op) {
    case Op::Lb:
    case Op::Lbu:
    case Op::Sb: return 1;
    case Op::Lh:
    case Op::Lhu:
    case Op::Sh: return 2;
    default: return 4;
  }
}

}  // namespace

// Notes an instruction of a watched turn, before it is executed. a = x[rs1], b = x[rs2].
void Hart::note(const Instruction& i, uint32_t a, uint32_t b) {
  if (i.op == Op::Flw || i.op == Op::Fsw) return stop_watching();  // float registers are not compared
  ClockForms& forms = watch_.forms();
  switch (isa::riscv::row(i.op).kind) {
    case Kind::Alu:
    case Kind::Mul:
    case Kind::Div:
    case Kind::Branch:
    case Kind::Fence: break;
    case Kind::Jump:
      if (forms.slope(i.rs1) != 0) forms.lose();
      break;
    case Kind::Load:
      if (forms.slope(i.rs1) != 0) forms.lose();
      note_load(a + static_cast<uint32_t>(i.imm), bytes_of(i.op));
      break;
    case Kind::Store: {
      if (forms.slope(i.rs1) != 0) forms.lose();
      const uint32_t offset = a + static_cast<uint32_t>(i.imm) - arch::kLdmBase;
      if (offset >= local_bytes_) return stop_watching();
      watch_.note(wait::kDebugRegisters);  // others reach it through the slow window
      return watch_.note_local_store(offset, bytes_of(i.op), local_.data(), forms.slope(i.rs2), cycle_);
    }
    case Kind::Csr: note_csr(i); break;
    default: return stop_watching();
  }
  forms.follow(i, a, b);
}

void Hart::note_load(uint32_t address, unsigned bytes) {
  if (address < l1_bytes_) {
    watch_.note(wait::kL1);
    const uint32_t line = address / L1::kLineBytes;  // a load that crosses its end is a fault
    if (watch_.note_data(line, L1::bytes_of_line(line, address, bytes), cycle_)) l1_.attributes()[line] |= L1::kWatched;
    return;
  }
  if (address - arch::kLdmBase < local_bytes_) {
    watch_.note(wait::kDebugRegisters);
    return watch_.note_local_load(address - arch::kLdmBase, bytes);
  }
  switch (bus_.clock_of(address)) {
    case ClockPart::None: break;
    case ClockPart::Low:
      if (bytes != 4) watch_.forms().lose();
      watch_.note(wait::kTime);
      return watch_.forms().load_clock_low();
    case ClockPart::High: watch_.note(wait::kTime); return watch_.forms().load_clock_high(cycle_);
  }
  const WaitMask watch = bus_.watch_of(index_, address);
  if (watch == 0) return stop_watching();
  watch_.note(watch);
}

void Hart::note_code_line(uint32_t line) {
  if (watch_.noting() && watch_.note_code(line, cycle_)) l1_.attributes()[line] |= L1::kWatched;
}

}  // namespace kerr::emu
