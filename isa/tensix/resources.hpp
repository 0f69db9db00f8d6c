#pragma once

#include <cstdint>

// What a Tensix instruction may read or write, and what can hold it at the wait gate: the vocabulary of the
// footprint and gate columns of instructions.def.

namespace kerr::isa::tensix {

/// The unit that executes an instruction. Mop, Replay and TtSync consume it in the front end, before the wait gate.
enum class Unit : uint8_t { Mop, Replay, TtSync, Sync, Config, Scalar, Misc, Unpack, Pack, Mover, Fpu, Sfpu };

inline constexpr int kUnitCount = 12;

/// A set of resources, one bit each.
using Resources = uint32_t;

inline constexpr int kResourceCount = 23;

namespace resource {
inline constexpr Resources SrcA = 1u << 0;  // cells of both banks
inline constexpr Resources SrcB = 1u << 1;
inline constexpr Resources Valid = 1u << 2;  // who owns the SrcA and SrcB banks, and the bank pointers
inline constexpr Resources Dst = 1u << 3;    // cells and row flags
inline constexpr Resources LReg = 1u << 4;
inline constexpr Resources Lane = 1u << 5;     // lane flags and their stack
inline constexpr Resources SfpuCfg = 1u << 6;  // LaneConfig, templates, macro sequences and what they have scheduled
inline constexpr Resources Prng = 1u << 7;
inline constexpr Resources Cfg = 1u << 8;        // the banked and the global configuration words
inline constexpr Resources ThreadCfg = 1u << 9;  // 16-bit configuration words of the issuing thread
inline constexpr Resources Gpr = 1u << 10;
inline constexpr Resources Adc = 1u << 11;
inline constexpr Resources Rwc = 1u << 12;  // a, b, dst counters, fidelity phase, Sp; the last row of SrcA computed
inline constexpr Resources Sem = 1u << 13;
inline constexpr Resources Mutex = 1u << 14;
inline constexpr Resources L1 = 1u << 15;
inline constexpr Resources Mmio = 1u << 16;    // registers at 0xFFB00000 and up
inline constexpr Resources Stream = 1u << 17;  // overlay streams
inline constexpr Resources MopCfg = 1u << 18;
inline constexpr Resources ReplayBuf = 1u << 19;
inline constexpr Resources Latch = 1u << 20;      // the wait that holds the thread at its gate
inline constexpr Resources Context = 1u << 21;    // context counters and row bases of the unpackers
inline constexpr Resources PackState = 1u << 22;  // the packer's streams and tile position; sizes, flags, histogram

// Groups that many rows share.
inline constexpr Resources kMatrixIn = SrcA | SrcB | Valid | Dst | Rwc | Cfg | ThreadCfg;
inline constexpr Resources kMatrixOut = Dst | Rwc | Valid;
inline constexpr Resources kVectorIn = LReg | Lane | SfpuCfg;
inline constexpr Resources kRegisterOut = LReg | SfpuCfg;  // with VD 12..15 it becomes a template instead
inline constexpr Resources kVectorOut = LReg | Lane | SfpuCfg;
}  // namespace resource

/// Which block-mask bits hold an instruction at the wait gate. docs/hardware/tensix-datapath.md 5.2
using Gate = uint16_t;

namespace gate {
inline constexpr Gate Never = 0;
inline constexpr Gate B0 = 1u << 0, B1 = 1u << 1, B2 = 1u << 2, B3 = 1u << 3, B4 = 1u << 4;
inline constexpr Gate B5 = 1u << 5, B6 = 1u << 6, B7 = 1u << 7, B8 = 1u << 8;
inline constexpr Gate Any = 0x1FF;
inline constexpr Gate OnlyAll = 0x8000;  // held only when all nine bits are set: plain NOP
}  // namespace gate

/// Whether a latched wait with this block mask (operand bits 23:15, already replaced by B6 when it was 0) holds the
/// instruction.
constexpr bool held_by(Gate instruction, unsigned block_mask) {
  if (instruction == gate::OnlyAll) return (block_mask & gate::Any) == gate::Any;
  return (instruction & block_mask) != 0;
}

}  // namespace kerr::isa::tensix
