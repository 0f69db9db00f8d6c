// Control and status registers.   docs/hardware/tile.md 1.4
#include <fmt/format.h>

#include "emu/riscv/hart.hpp"

namespace kerr::emu {

namespace {

constexpr std::uint32_t kMstatus = 0x80006600;
constexpr std::uint32_t kMisa = 0x40201123;

// Plain storage: 0x7C0..0x7C6 are csrs_[0..6], mcountinhibit is csrs_[7].
int storage_of(unsigned number) {
  if (number >= 0x7C0 && number <= 0x7C6) return static_cast<int>(number - 0x7C0);
  return number == 0x320 ? 7 : -1;
}

}  // namespace

bool Hart::csr_read(unsigned number, std::uint32_t& value) const {
  if (const int slot = storage_of(number); slot >= 0) {
    value = csrs_[static_cast<std::size_t>(slot)];
    return true;
  }
  switch (number) {
    case 0x300: value = kMstatus; return true;
    case 0x301: value = kMisa; return true;
    case 0xF14: value = 0; return true;
    case 0xB00: case 0xC00: value = static_cast<std::uint32_t>(cycle_); return true;
    case 0xB80: case 0xC80: value = static_cast<std::uint32_t>(cycle_ >> 32); return true;
    case 0xB02: case 0xC02: value = static_cast<std::uint32_t>(instructions_); return true;
    case 0xB82: case 0xC82: value = static_cast<std::uint32_t>(instructions_ >> 32); return true;
    default: return false;
  }
}

bool Hart::csr_write(unsigned number, std::uint32_t value) {
  if (const int slot = storage_of(number); slot >= 0) {
    csrs_[static_cast<std::size_t>(slot)] = value;
    return true;
  }
  return number == 0x300 || number == 0x301 || number == 0xF14;  // read only: writes have no effect
}

bool Hart::csr(const isa::riscv::Instruction& i, std::uint32_t& value) {
  using isa::riscv::Op;
  const unsigned number = i.csr;
  if (!csr_read(number, value)) {
    stop(FaultCategory::Unsupported, number, fmt::format("CSR {:#x} does not exist or is not modelled.", number),
         "Modelled are cfg0, the scratch CSRs 0x7C1..0x7C6, mcycle, minstret, mstatus, misa and mhartid.");
    return false;
  }
  const bool immediate = i.op == Op::Csrrwi || i.op == Op::Csrrsi || i.op == Op::Csrrci;
  const std::uint32_t operand = immediate ? static_cast<std::uint32_t>(i.imm) : x_[i.rs1];
  std::uint32_t next = operand;
  if (i.op == Op::Csrrs || i.op == Op::Csrrsi || i.op == Op::Csrrc || i.op == Op::Csrrci) {
    if (immediate ? i.imm == 0 : i.rs1 == 0) return true;  // reads only
    next = i.op == Op::Csrrs || i.op == Op::Csrrsi ? value | operand : value & ~operand;
  }
  impure();
  if (!csr_write(number, next)) {
    stop(FaultCategory::Unsupported, number, fmt::format("Writing CSR {:#x} is not modelled.", number), "");
    return false;
  }
  return true;
}

// A CSR read in a noted turn. Those that are storage are private, and whoever writes one in a loop is impure.
void Hart::note_csr(const isa::riscv::Instruction& i) {
  switch (i.csr) {
    case 0xB00:
    case 0xC00: watch_.note(wait::kTime); return watch_.forms().load_clock_low();
    case 0xB80:
    case 0xC80: watch_.note(wait::kTime); return watch_.forms().load_clock_high(cycle_);
    case 0xB02:
    case 0xC02:
    case 0xB82:
    case 0xC82: return impure();
    default: return;
  }
}

}  // namespace kerr::emu
