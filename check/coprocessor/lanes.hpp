// Which unit does an instruction of a thread, and which of them a STALLWAIT waits for.
// docs/hardware/tensix-datapath.md 5.3
#pragma once

#include <cstdint>
#include <optional>

#include "check/component.hpp"
#include "isa/tensix/instructions.hpp"
#include "isa/tensix/table.hpp"

namespace kerr::check {

/// One bit for each lane that the conditions of a STALLWAIT name: of the thread itself, but for the mover, whose work
/// for any thread is awaited.
constexpr uint32_t lanes_of_conditions(uint32_t conditions) {
  struct Of {
    unsigned condition;
    Lane lane;
  };
  constexpr Of kOf[] = {{0, Lane::Scalar}, {1, Lane::Unpacker0}, {2, Lane::Unpacker1}, {3, Lane::Packer},
                        {4, Lane::Matrix}, {9, Lane::Mover},     {11, Lane::Vector}};
  if (conditions == 0) conditions = 0xF;
  uint32_t lanes = 0;
  for (const Of& of : kOf) {
    if (conditions >> of.condition & 1) lanes |= 1u << static_cast<int>(of.lane);
  }
  return lanes;
}

/// Conditions C5 to C8: bits 0 and 1, the unpackers' banks of SrcA and SrcB; 2 and 3, the matrix unit's.
constexpr uint32_t banks_of_conditions(uint32_t conditions) { return conditions >> 5 & 0xF; }

/// The lane that executes an instruction; nothing: it has effect when it issues, or its unit is not modelled.
inline std::optional<Lane> lane_of(uint32_t word) {
  using isa::tensix::Opcode;
  using isa::tensix::Unit;
  const isa::tensix::Row* const row = isa::tensix::row_of(word);
  if (row == nullptr) return std::nullopt;
  switch (row->unit) {
    case Unit::Unpack: return word >> 23 & 1 ? Lane::Unpacker1 : Lane::Unpacker0;
    case Unit::Pack: return Lane::Packer;
    case Unit::Fpu: return Lane::Matrix;
    case Unit::Sfpu: return Lane::Vector;
    case Unit::Mover: return Lane::Mover;
    default: break;
  }
  switch (row->opcode) {
    case Opcode::LOADIND:
    case Opcode::STOREIND:
    case Opcode::ATINCGET:
    case Opcode::ATINCGETPTR:
    case Opcode::ATSWAP:
    case Opcode::ATCAS: return Lane::Scalar;
    default: return std::nullopt;
  }
}

}  // namespace kerr::check
