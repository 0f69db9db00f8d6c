#include "check/coprocessor/vector_registers.hpp"

#include "isa/tensix/instructions.hpp"
#include "isa/tensix/table.hpp"

namespace kerr::check {

using isa::tensix::Opcode;

namespace {

// Operands that stand at the same place in all words that have them. docs/hardware/tensix-math.md 10.1
constexpr uint32_t mode(uint32_t word) { return word & 15; }
constexpr uint32_t destination(uint32_t word) { return word >> 4 & 15; }
constexpr uint32_t source_c(uint32_t word) { return word >> 8 & 15; }
constexpr uint32_t source_b(uint32_t word) { return word >> 12 & 15; }
constexpr uint32_t source_a(uint32_t word) { return word >> 16 & 15; }
constexpr uint32_t named(uint32_t word) { return word >> 20 & 15; }  // of loads and stores

constexpr uint8_t kLow = 0x0F, kHigh = 0xF0;
constexpr uint32_t kAnyA = 4, kAnyDestination = 8;  // modes of SFPMAD: LReg 7 says which
constexpr uint32_t kSpecial = 8;                    // mode of SFPMOV: the source is no register

}  // namespace

VectorOperands vector_operands(uint32_t word) {
  const auto bit = [](uint32_t r) { return static_cast<uint16_t>(1u << r); };
  const auto to = bit(destination(word)), c = bit(source_c(word)), ind = bit(named(word));
  constexpr uint16_t kTable = 0x7F, kInput = 1u << 3, kAll = 0xFF, kWhich = 1u << 7;
  const auto of = [](uint32_t reads, uint32_t writes) {
    return VectorOperands{static_cast<uint16_t>(reads), static_cast<uint16_t>(writes)};
  };
  switch (isa::tensix::opcode_of(word)) {
    case Opcode::SFPLOAD:
    case Opcode::SFPLOADI:
    case Opcode::SFPLOADMACRO: return of(0, ind);
    case Opcode::SFPSTORE: return of(ind, 0);
    case Opcode::SFPLUT: return of(7u | kInput, ind);
    case Opcode::SFPLUTFP32: return of(kTable, to);
    case Opcode::SFPMULI:
    case Opcode::SFPADDI: return of(to, to);
    case Opcode::SFPSETCC: return of(c, 0);
    case Opcode::SFPPUSHC:
    case Opcode::SFPPOPC:
    case Opcode::SFPENCC:
    case Opcode::SFPCOMPC:
    case Opcode::SFPNOP: return {};
    case Opcode::SFPCONFIG: {
      constexpr uint32_t kFirst = 11, kLast = 14;  // constants that programs set
      const uint32_t r = destination(word);
      return of(1, r >= kFirst && r <= kLast ? to : 0);
    }
    case Opcode::SFPTRANSP: return of(kAll, kAll);
    case Opcode::SFPSHFT2: return of(kLow | c | to, kLow | to);
    case Opcode::SFPSWAP: return of(to | c, to | c);
    case Opcode::SFPMAD:
    case Opcode::SFPADD:
    case Opcode::SFPMUL:
    case Opcode::SFPMUL24: {
      const uint32_t sources = bit(source_a(word)) | bit(source_b(word)) | c;
      const bool named_elsewhere = (mode(word) & (kAnyA | kAnyDestination)) != 0;
      return of(sources | (named_elsewhere ? kWhich : 0), (mode(word) & kAnyDestination) != 0 ? 0 : to);
    }
    default: return of(c | to, to);
  }
}

int VectorRegisters::stored_unwritten(uint32_t word) const {
  if (isa::tensix::opcode_of(word) != Opcode::SFPSTORE || !is_unwritten(named(word))) return -1;
  return static_cast<int>(named(word));
}

void VectorRegisters::executed(uint32_t word) {
  if (unwritten_ == 0) return;
  const uint32_t to = destination(word);
  switch (isa::tensix::opcode_of(word)) {
    case Opcode::SFPLOAD:
    case Opcode::SFPLOADI:
    case Opcode::SFPLUT: return write(named(word));
    case Opcode::SFPLUTFP32: return write(to);
    case Opcode::SFPLOADMACRO: unwritten_ = 0; return;  // and whatever its template writes
    case Opcode::SFPSTORE:
    case Opcode::SFPMULI:
    case Opcode::SFPADDI:
    case Opcode::SFPSETCC:
    case Opcode::SFPPUSHC:
    case Opcode::SFPPOPC:
    case Opcode::SFPENCC:
    case Opcode::SFPCOMPC:
    case Opcode::SFPNOP:
    case Opcode::SFPCONFIG: return;  // nothing, or what they write they read
    case Opcode::SFPTRANSP: mix(kLow); return mix(kHigh);
    case Opcode::SFPSHFT2:
      mix(kLow);
      if (!is_unwritten(source_c(word))) write(to);
      return;
    case Opcode::SFPSWAP:
      if (!is_unwritten(to) || !is_unwritten(source_c(word))) {
        write(to);
        write(source_c(word));
      }
      return;
    case Opcode::SFPMAD:
    case Opcode::SFPADD:
    case Opcode::SFPMUL:
    case Opcode::SFPMUL24: {
      if (mode(word) & kAnyDestination) {
        unwritten_ = 0;
        return;
      }
      const bool a = !is_unwritten(source_a(word)) || (mode(word) & kAnyA) != 0;
      // A multiplication by 24 bits has two sources, which ones its mode says.
      const bool all = a && !is_unwritten(source_b(word)) && !is_unwritten(source_c(word));
      const bool some = a || !is_unwritten(source_b(word)) || !is_unwritten(source_c(word));
      if (isa::tensix::opcode_of(word) == Opcode::SFPMUL24 ? some : all) write(to);
      return;
    }
    case Opcode::SFPMOV:
      if (mode(word) == kSpecial) return write(to);
      break;
    case Opcode::SFPXOR:
      if (to == source_c(word)) return write(to);  // zero
      break;
    default: break;
  }
  if (!is_unwritten(source_c(word))) write(to);
}

}  // namespace kerr::check
