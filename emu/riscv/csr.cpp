// Control and status registers.   docs/hardware/tile.md 1.4
#include <fmt/format.h>

#include "emu/riscv/hart.hpp"
#include "isa/riscv/registers.hpp"

namespace kerr::emu {

namespace {

using namespace isa::csr;

constexpr uint32_t kMstatusValue = 0x80006600;
constexpr uint32_t kMisaValue = 0x40201123;
constexpr uint32_t kFcsrBits = 0xFF;  // the others are reserved and read zero: RISC-V, F extension
constexpr unsigned kStreamStatusLast = kSstatus0 + 7;
constexpr uint32_t kFreezeStatus = 1u << 29;  // cfg0.DisTTStatusReg

bool is_status(unsigned number) { return number == kQstatus || number == kBstatus; }

}  // namespace

// Which of csrs_ is this CSR, -1: none. 0x7C0 to 0x7C6 come first: cfg0, pmacfg0, pmacfg1, cfg1, hwa_mask, hwa_cfg,
// vgsrc. The event counters count nothing, as nobody knows the numbers of their events.
int Hart::csr_storage(unsigned number) const {
  if (number >= kCfg0 && number <= kCfg0 + 6u) return static_cast<int>(number - kCfg0);
  // In a TRISC these CSRs show streams; in the other harts they are scratch.
  if (number >= kSstatus0 && number <= kStreamStatusLast && thread_of(index_) < 0)
    return static_cast<int>(16 + number - kSstatus0);
  switch (number) {
    case 0x320: return 7;  // mcountinhibit
    case 0x323: return 8;  // mhpmevent3, 4
    case 0x324: return 9;
    case 0xB03: return 10;  // mhpmcounter3, 4 and their high words
    case 0xB83: return 11;
    case 0xB04: return 12;
    case 0xB84: return 13;
    case kFcsr: return 14;
    case kIntpRestorePc: return 15;
    default: return -1;
  }
}

bool Hart::csr_read(unsigned number, uint32_t& value) {
  if (number == kFcsr && floats_done_) {
    stop(FaultCategory::UnpredictableValue, number, "fcsr is read after floating-point instructions.",
         "Whether these cores collect exception flags in it is not known (tile.md 1.2).");
    return false;
  }
  if (const int slot = csr_storage(number); slot >= 0) {
    value = csrs_[static_cast<size_t>(slot)];
    return true;
  }
  switch (number) {
    case kMstatus: value = kMstatusValue; return true;
    case kMisa: value = kMisaValue; return true;
    case kMhartid: value = 0; return true;
    case kMcycle:
    case kCycle: value = static_cast<uint32_t>(cycle_); return true;
    case kMcycleh:
    case kCycleh: value = static_cast<uint32_t>(cycle_ >> 32); return true;
    case kMinstret:
    case kInstret: value = static_cast<uint32_t>(instructions_); return true;
    case kMinstreth:
    case kInstreth: value = static_cast<uint32_t>(instructions_ >> 32); return true;
    default: break;
  }
  if (is_status(number) && !(csrs_[0] & kFreezeStatus)) {
    value = bus_.coprocessor_status(index_, number == kBstatus);
    return true;
  }
  stop(FaultCategory::Unsupported, number, fmt::format("CSR {:#x} does not exist or is not modelled.", number),
       number >= kSstatus0 && number <= kStreamStatusLast
           ? "Which streams a TRISC sees in it is not known (tile.md 1.4)."
           : "Modelled are fcsr, mstatus, misa, mcountinhibit, cfg0 and the scratch CSRs 0x7C1..0x7C6, the event "
             "counters, mcycle, minstret, tt_cfg_qstatus and bstatus, intp_restore_pc and mhartid (tile.md 1.4).");
  return false;
}

bool Hart::csr_write(unsigned number, uint32_t value) {
  if (in_handler_) {
    stop(FaultCategory::UndefinedBehavior, number,
         fmt::format("CSR {:#x} is written in an interrupt handler: silicon does not do it.", number),
         "Leave it to the code behind mret (tile.md 1.10).");
    return false;
  }
  if (const int slot = csr_storage(number); slot >= 0) {
    csrs_[static_cast<size_t>(slot)] = number == kFcsr ? value & kFcsrBits : value;
    if (number == kFcsr) floats_done_ = false;
    return true;
  }
  if (number == kMstatus || number == kMisa || number == kMhartid) return true;  // read only: writes have no effect
  stop(FaultCategory::Unsupported, number, fmt::format("Writing CSR {:#x} is not modelled.", number), "");
  return false;
}

bool Hart::csr(const isa::riscv::Instruction& i, uint32_t& value) {
  using isa::riscv::Op;
  const unsigned number = i.csr;
  const bool only_writes = (i.op == Op::Csrrw || i.op == Op::Csrrwi) && i.rd == 0;  // csrw does not read: RISC-V, Zicsr
  if (!only_writes && !csr_read(number, value)) return false;
  const bool immediate = i.op == Op::Csrrwi || i.op == Op::Csrrsi || i.op == Op::Csrrci;
  const uint32_t operand = immediate ? static_cast<uint32_t>(i.imm) : x_[i.rs1];
  uint32_t next = operand;
  if (i.op == Op::Csrrs || i.op == Op::Csrrsi || i.op == Op::Csrrc || i.op == Op::Csrrci) {
    if (immediate ? i.imm == 0 : i.rs1 == 0) return true;  // reads only
    next = i.op == Op::Csrrs || i.op == Op::Csrrsi ? value | operand : value & ~operand;
  }
  stop_watching();
  return csr_write(number, next);
}

void Hart::interrupt(uint32_t handler) {
  stop_watching();
  in_handler_ = true;
  return_pc_ = csrs_[static_cast<size_t>(csr_storage(kIntpRestorePc))] = pc_;
  pc_ = handler;
}

// mret
bool Hart::leave_handler(uint32_t& next) {
  if (!in_handler_) {
    stop(FaultCategory::UndefinedBehavior, pc_, "mret outside an interrupt handler.",
         "It returns from a handler that the PIC has called (tile.md 1.10).");
    return false;
  }
  stop_watching();
  in_handler_ = false;
  next = return_pc_;
  return true;
}

// A CSR read in a noted turn. Those that are storage are private, and whoever writes one in a loop is impure.
void Hart::note_csr(const isa::riscv::Instruction& i) {
  switch (i.csr) {
    case kMcycle:
    case kCycle: watch_.note(wait::kTime); return watch_.forms().load_clock_low();
    case kMcycleh:
    case kCycleh: watch_.note(wait::kTime); return watch_.forms().load_clock_high(cycle_);
    case kMinstret:
    case kInstret:
    case kMinstreth:
    case kInstreth:
    case kQstatus:
    case kBstatus: return stop_watching();
    default: return;
  }
}

}  // namespace kerr::emu
