#include "emu/noc/rules.hpp"

#include <fmt/format.h>

#include "arch/memory_map.hpp"
#include "arch/noc_registers.hpp"
#include "emu/noc/atomics.hpp"

namespace kerr::emu {

namespace {

bool has_harts(arch::TileClass tile) { return tile == arch::TileClass::Tensix || tile == arch::TileClass::Ethernet; }

uint64_t l1_bytes(arch::TileClass tile) {
  return tile == arch::TileClass::Ethernet ? arch::kEthernetL1Bytes : arch::kL1Bytes;
}

// Exists, and `bytes` from there on as well.
std::optional<Refusal> check_end(End end, uint64_t bytes, const char* side) {
  switch (space_of(end)) {
    case Space::Memory:
    case Space::Registers: return {};
    case Space::L1:
      if (bytes <= l1_bytes(end.tile) - end.address) return {};
      return Refusal{FaultCategory::OutOfBounds,
                     fmt::format("the {} runs past the end of L1 ({:#x})", side, l1_bytes(end.tile)), ""};
    case Space::Unmapped: break;
  }
  if (end.address >> 32) {
    return Refusal{FaultCategory::OutOfBounds,
                   fmt::format("a tile with harts decodes 32 address bits, but the {} has more", side),
                   "Write 0 to the *_ADDR_MID register."};
  }
  return Refusal{FaultCategory::OutOfBounds, fmt::format("nothing is mapped at the {} address", side),
                 fmt::format("L1 ends at {:#x} and registers begin at 0xff000000.", l1_bytes(end.tile))};
}

std::optional<Refusal> check_congruent(End a, End b, uint64_t modulus, const char* advice) {
  if ((a.address - b.address) % modulus == 0) return {};
  const int top = modulus == 64 ? 5 : modulus == 16 ? 3 : 1;
  return Refusal{FaultCategory::Misaligned,
                 fmt::format("source and destination differ in address bits [{}:0] ({:#x} against {:#x})", top,
                             a.address % modulus, b.address % modulus),
                 advice};
}

}  // namespace

Space space_of(End end) {
  if (!has_harts(end.tile)) return Space::Memory;
  if (end.address < l1_bytes(end.tile)) return Space::L1;
  if (end.address >= arch::kNocMmioBase && end.address >> 32 == 0) return Space::Registers;
  return Space::Unmapped;
}

std::optional<Refusal> check_transfer(End source, End destination, uint32_t bytes) {
  if (auto refusal = check_end(source, bytes, "source")) return refusal;
  if (auto refusal = check_end(destination, bytes, "destination")) return refusal;
  const Space from = space_of(source);
  const Space to = space_of(destination);
  if (from == Space::Registers && to != Space::Registers) {
    if (source.address % 4 + bytes > 4) {
      return Refusal{FaultCategory::Misaligned, "a transfer from a register must stay inside one aligned 32-bit word",
                     ""};
    }
    return check_congruent(source, destination, 4, "A register's bytes keep their place in the word.");
  }
  if (to == Space::Registers) {
    if (bytes != 4 || destination.address % 4 != 0) {
      return Refusal{FaultCategory::Misaligned, "a transfer to a register must be one aligned 32-bit word", ""};
    }
    if (from == Space::Registers) return check_congruent(source, destination, 4, "Registers are 4-byte aligned.");
  }
  if (from == Space::Memory && to != Space::Registers) {
    // Deliberately lenient: host memory behind the PCIe tile is delivered at any alignment (noc.md 3.4).
    if (source.tile == arch::TileClass::Pcie) return {};
    return check_congruent(
        source, destination, 64,
        "A read from memory needs equal low 6 bits on both sides; align the destination to 64 bytes.");
  }
  return check_congruent(source, destination, 16,
                         "A NoC transfer needs equal low 4 bits on both sides; align both addresses to 16 bytes.");
}

std::optional<Refusal> check_inline_write(End destination) {
  if (auto refusal = check_end(destination, 4, "destination")) return refusal;
  if (space_of(destination) != Space::Registers) {
    return Refusal{FaultCategory::UndefinedBehavior, "inline writes reach registers only on Blackhole",
                   "Put the word in L1 and send it with an ordinary 4-byte write."};
  }
  if (destination.address % 4 == 0) return {};
  return Refusal{FaultCategory::Misaligned, "an inline write needs a 4-byte aligned address", ""};
}

std::optional<Refusal> check_atomic(End target, uint32_t fields) {
  if (auto refusal = check_end(target, 4, "target")) return refusal;
  if (space_of(target) != Space::L1) {
    return Refusal{FaultCategory::UndefinedBehavior, "NoC atomics act on L1 only", ""};
  }
  if (target.address % 4 != 0)
    return Refusal{FaultCategory::Misaligned, "an atomic needs a 4-byte aligned address", ""};
  if (atomic_is_modelled(fields)) return {};
  return Refusal{FaultCategory::Unsupported,
                 fmt::format("atomic opcode {} with fields {:#x} has no documented meaning that Kerr models",
                             fields >> arch::niu::kAtomicOpShift & 0xF, fields & 0xFFF),
                 "Increment, the three swaps and compare-and-swap are modelled."};
}

std::optional<Refusal> check_atomic_result(End result) {
  if (auto refusal = check_end(result, 4, "result")) return refusal;
  if (space_of(result) == Space::L1 && result.address % 4 == 0) return {};
  return Refusal{FaultCategory::Misaligned, "the result of an atomic goes to a 4-byte aligned address in L1", ""};
}

}  // namespace kerr::emu
