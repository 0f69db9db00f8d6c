#pragma once

#include <stdint.h>

#include "arch/memory_map.hpp"

// Windows through which harts and coprocessor threads wait for each other.       docs/hardware/tile.md 4
namespace kerr::arch {

// Mailboxes: page k of hart h. A store pushes to FIFO h -> k, a load pops k -> h (and waits for it).
inline constexpr uint32_t kMailboxPageBytes = 0x1000;
inline constexpr int kMailboxDepth = 4;      // of one FIFO, and of the four FIFOs of one writer together
inline constexpr uint32_t kMailboxQuery = 4;  // address bit: load tells whether a value waits, does not pop
constexpr uint32_t mailbox_address(int partner) { return kMailboxBase + kMailboxPageBytes * partner; }

// PCBuf i: BRISC -> TRISCi, 16 words.
inline constexpr int kPcBufDepth = 16;
constexpr uint32_t pc_buf_address_of_brisc(int thread) { return kPcBufBase + 0x1'0000u * thread; }
inline constexpr uint32_t kPcBufOfTrisc = kPcBufBase;

// TTSync: a load completes when the own coprocessor thread is idle, or its MOP expander is.
inline constexpr uint32_t kTtSyncThreadIdle = 0xFFE8'0004;
inline constexpr uint32_t kTtSyncMopIdle = 0xFFE8'0008;

// Hardware semaphores: load = value, store of an even word = post, of an odd one = get.
inline constexpr uint32_t kSemaphoreBase = 0xFFE8'0020;
inline constexpr int kSemaphores = 8;
inline constexpr int kSemaphoreMax = 15;  // posts saturate here, not at the semaphore's own Max
constexpr uint32_t semaphore_address(int i) { return kSemaphoreBase + 4u * i; }

// Conventional use of the semaphores.                                            kernels.md 2.7
enum class Semaphore : uint8_t {
  FpuSfpu = 0,
  MathPack = 1,
  UnpackToDest = 2,
  UnpackOperandSync = 3,
  PackDone = 4,
  UnpackSync = 5,
  UnpackMathDone = 6,
  MathDone = 7,
};

// Instruction push windows.                                                      tile.md 4.8
constexpr uint32_t push_address_of_brisc(int thread) { return kInstructionPushBase + 0x1'0000u * thread; }

}  // namespace kerr::arch
