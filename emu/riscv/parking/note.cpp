#include "emu/riscv/parking/note.hpp"

#include "emu/riscv/csr.hpp"

namespace kerr::emu {

namespace {

using isa::riscv::Instruction;
using isa::riscv::Kind;
using isa::riscv::Op;

unsigned bytes_of(Op op) {
  switch (op) {
#define ALU(op, value)
#define BRANCH(op, condition)
#define LOAD(op, type) \
  case Op::op:         \
    return sizeof(type);
#define STORE(op, type) LOAD(op, type)
#include "emu/riscv/semantics.def"
    default: return 4;
  }
}

uint32_t address_of(const HartState& hart, const Instruction& i) {
  return hart.x[i.rs1] + static_cast<uint32_t>(i.imm);
}

// It changes more than registers and the hart's own memory, or what the watch does not compare. No polling loop does.
bool leaves_traces(const HartState& hart, const Instruction& i, Kind kind) {
  switch (kind) {
    case Kind::Alu:
    case Kind::Mul:
    case Kind::Div:
    case Kind::Branch:
    case Kind::Jump:
    case Kind::Fence: return false;
    case Kind::Load: return i.op == Op::Flw;
    case Kind::Store: return i.op == Op::Fsw || !hart.is_private(address_of(hart, i));
    case Kind::Csr: return !csr_only_reads(i);
    default: return true;
  }
}

void note_load(PollWatch& watch, HartPort& port, uint32_t address, unsigned bytes) {
  const HartState& hart = port.state;
  if (address < port.l1_bytes) {
    watch.note(wait::kL1);
    const uint32_t line = address / L1::kLineBytes;  // a load that crosses its end is a fault
    if (watch.note_data(line, L1::bytes_of_line(line, address, bytes))) port.l1.attributes()[line] |= L1::kWatched;
    return;
  }
  if (hart.is_private(address)) {
    watch.note(wait::kDebugRegisters);
    return watch.note_local_load(address - arch::kLdmBase, bytes);
  }
  switch (port.bus.clock_of(address)) {
    case ClockPart::None: break;
    case ClockPart::Low: watch.note(wait::kTime); return bytes == 4 ? watch.clock().load() : watch.clock().lose();
    case ClockPart::High: watch.note(wait::kTime); return watch.clock().load_high(hart.cycle);
  }
  const WaitMask waits_for = port.bus.watch_of(port.index, address);
  if (waits_for == 0) return watch.give_up();
  watch.note(waits_for);
}

// A CSR is read. Those that are storage are private.
void note_csr(PollWatch& watch, const HartState& hart, uint16_t number) {
  namespace csr = isa::csr;
  switch (number) {
    case csr::kMcycle:
    case csr::kCycle: watch.note(wait::kTime); return watch.clock().load();
    case csr::kMcycleh:
    case csr::kCycleh: watch.note(wait::kTime); return watch.clock().load_high(hart.cycle);
    case csr::kMinstret:
    case csr::kInstret:
    case csr::kMinstreth:
    case csr::kInstreth:
    case csr::kQstatus:
    case csr::kBstatus: return watch.give_up();
    default: return;
  }
}

}  // namespace

void note(PollWatch& watch, HartPort& port, const Instruction& i) {
  const HartState& hart = port.state;
  const Kind kind = isa::riscv::row(i.op).kind;
  if (leaves_traces(hart, i, kind)) return watch.give_up();
  if (!watch.noting()) return;
  ClockFollowers& clock = watch.clock();
  const bool addresses = kind == Kind::Load || kind == Kind::Store || kind == Kind::Jump;
  if (addresses && clock.follows(i.rs1)) clock.lose();
  if (kind == Kind::Load) note_load(watch, port, address_of(hart, i), bytes_of(i.op));
  if (kind == Kind::Csr) note_csr(watch, hart, i.csr);
  if (kind == Kind::Store) {
    watch.note(wait::kDebugRegisters);  // others reach it through the slow window
    return watch.note_local_store(address_of(hart, i) - arch::kLdmBase, bytes_of(i.op), clock.follows(i.rs2));
  }
  clock.follow(i, hart.x[i.rs1], hart.x[i.rs2]);
}

void note_code(PollWatch& watch, HartPort& port) {
  if (!watch.noting()) return;
  const uint32_t line = port.state.pc / L1::kLineBytes;
  if (watch.note_code(line)) port.l1.attributes()[line] |= L1::kWatched;
}

}  // namespace kerr::emu
