#include "emu/riscv/csr.hpp"

#include <fmt/format.h>

namespace kerr::emu {

namespace csrs = isa::csr;
using isa::riscv::Instruction;
using isa::riscv::Op;

namespace {

constexpr uint32_t kMstatus = 0x80006600;
constexpr uint32_t kMisa = 0x40201123;
constexpr uint32_t kFcsrBits = 0xFF;          // the others are reserved and read zero: RISC-V, F extension
constexpr uint32_t kFreezeStatus = 1u << 29;  // cfg0.DisTTStatusReg
constexpr unsigned kStreamStatuses = 8;

bool is_stream_status(unsigned number) { return number - csrs::kSstatus0 < kStreamStatuses; }

// Which of HartState::csrs is this CSR, -1: none. cfg0, pmacfg0, pmacfg1, cfg1, hwa_mask, hwa_cfg and vgsrc come first.
// The event counters count nothing, as nobody knows the numbers of their events.
int storage_of(unsigned number, arch::Hart index) {
  if (number >= csrs::kCfg0 && number < csrs::kCfg0 + 7u) return static_cast<int>(number - csrs::kCfg0);
  // In a TRISC these CSRs show streams; in the other harts they are scratch.
  if (is_stream_status(number) && thread_of(index) < 0) return static_cast<int>(16 + number - csrs::kSstatus0);
  switch (number) {
    case 0x320: return 7;  // mcountinhibit
    case 0x323: return 8;  // mhpmevent3, 4
    case 0x324: return 9;
    case 0xB03: return 10;  // mhpmcounter3, 4 and their high words
    case 0xB83: return 11;
    case 0xB04: return 12;
    case 0xB84: return 13;
    case csrs::kFcsr: return 14;
    case csrs::kIntpRestorePc: return 15;
    default: return -1;
  }
}

bool read(HartState& hart, HartPort& port, uint16_t number, uint32_t& value) {
  if (number == csrs::kFcsr && hart.floats_done) {
    return port.stop(FaultCategory::UnpredictableValue, number, "fcsr is read after floating-point instructions.",
                     "Whether these cores collect exception flags in it is not known (tile.md 1.2).");
  }
  if (const int slot = storage_of(number, port.index); slot >= 0) {
    value = hart.csrs[static_cast<size_t>(slot)];
    return true;
  }
  switch (number) {
    case csrs::kMstatus: value = kMstatus; return true;
    case csrs::kMisa: value = kMisa; return true;
    case csrs::kMhartid: value = 0; return true;
    // clang-format off
    case csrs::kMcycle: case csrs::kCycle: value = static_cast<uint32_t>(hart.cycle); return true;
    case csrs::kMcycleh: case csrs::kCycleh: value = static_cast<uint32_t>(hart.cycle >> 32); return true;
    case csrs::kMinstret: case csrs::kInstret: value = static_cast<uint32_t>(hart.instructions); return true;
    case csrs::kMinstreth: case csrs::kInstreth: value = static_cast<uint32_t>(hart.instructions >> 32); return true;
    // clang-format on
    default: break;
  }
  if (is_coprocessor_status(number) && !(hart.csrs[0] & kFreezeStatus)) {
    value = port.bus.coprocessor_status(port.index, number == csrs::kBstatus);
    return true;
  }
  return port.stop(
      FaultCategory::Unsupported, number, fmt::format("CSR {:#x} does not exist or is not modelled.", number),
      is_stream_status(number)
          ? "Which streams a TRISC sees in it is not known (tile.md 1.4)."
          : "Modelled are fcsr, mstatus, misa, mcountinhibit, cfg0 and the scratch CSRs 0x7C1..0x7C6, the event "
            "counters, mcycle, minstret, tt_cfg_qstatus and bstatus, intp_restore_pc and mhartid (tile.md 1.4).");
}

bool write(HartState& hart, HartPort& port, uint16_t number, uint32_t value) {
  if (hart.in_handler) {
    return port.stop(FaultCategory::UndefinedBehavior, number,
                     fmt::format("CSR {:#x} is written in an interrupt handler: silicon does not do it.", number),
                     "Leave it to the code behind mret (tile.md 1.10).");
  }
  if (const int slot = storage_of(number, port.index); slot >= 0) {
    hart.csrs[static_cast<size_t>(slot)] = number == csrs::kFcsr ? value & kFcsrBits : value;
    if (number == csrs::kFcsr) hart.floats_done = false;
    return true;
  }
  const bool read_only = number == csrs::kMstatus || number == csrs::kMisa || number == csrs::kMhartid;
  if (read_only) return true;  // without effect
  return port.stop(FaultCategory::Unsupported, number, fmt::format("Writing CSR {:#x} is not modelled.", number), "");
}

}  // namespace

bool csr(HartState& hart, HartPort& port, const Instruction& i, uint32_t& value) {
  const bool immediate = i.op == Op::Csrrwi || i.op == Op::Csrrsi || i.op == Op::Csrrci;
  const bool replaces = i.op == Op::Csrrw || i.op == Op::Csrrwi;
  const bool only_writes = replaces && i.rd == 0;  // csrw does not read: RISC-V, Zicsr
  if (!only_writes && !read(hart, port, i.csr, value)) return false;
  if (csr_only_reads(i)) return true;
  const uint32_t operand = immediate ? static_cast<uint32_t>(i.imm) : hart.x[i.rs1];
  const bool sets = i.op == Op::Csrrs || i.op == Op::Csrrsi;
  return write(hart, port, i.csr, replaces ? operand : sets ? value | operand : value & ~operand);
}

void enter_handler(HartState& hart, uint32_t handler) {
  hart.in_handler = true;
  hart.return_pc = hart.csrs[static_cast<size_t>(storage_of(csrs::kIntpRestorePc, arch::Hart::Brisc))] = hart.pc;
  hart.pc = handler;
}

bool leave_handler(HartState& hart, HartPort& port, uint32_t& next) {
  if (!hart.in_handler) {
    return port.stop(FaultCategory::UndefinedBehavior, hart.pc, "mret outside an interrupt handler.",
                     "It returns from a handler that the PIC has called (tile.md 1.10).");
  }
  hart.in_handler = false;
  next = hart.return_pc;
  return true;
}

}  // namespace kerr::emu
