#pragma once

#include <stdint.h>

#include "arch/array.hpp"

// The address map of a Tensix tile as harts and the NoC see it.                  docs/hardware/tile.md 2
namespace kerr::arch {

inline constexpr uint32_t kL1Bytes = 0x180000;
inline constexpr uint32_t kEthernetL1Bytes = 0x80000;
inline constexpr uint64_t kDramBankBytes = 0x1'0000'0000;
inline constexpr uint64_t kDramRegisterBase = 0xFF00'0000;  // registers shadow the last 16 MiB of a bank (noc.md 7.1)
inline constexpr uint32_t kNocMmioBase = 0xFF00'0000;       // over the NoC: registers from here, L1 below

// Harts in launch-message order. Every register that selects a hart has its own order: see the tables below.
enum class Hart : uint8_t { Brisc, Ncrisc, Trisc0, Trisc1, Trisc2 };
inline constexpr int kHarts = 5;
inline constexpr Array<const char*, kHarts> kHartNames = {"BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2"};
inline constexpr int kTensixThreads = 3;

inline constexpr uint32_t kLdmBase = 0xFFB0'0000;  // local data RAM, fast path, private to the hart
inline constexpr Array<uint32_t, kHarts> kLdmBytes = {0x2000, 0x2000, 0x1000, 0x1000, 0x1000};
inline constexpr Array<uint32_t, kHarts> kLdmSlowBase = {0xFFB1'4000, 0xFFB1'6000, 0xFFB1'8000, 0xFFB1'A000,
                                                         0xFFB1'C000};
inline constexpr uint32_t kLdmSlowStride = 0x2000;  // slots of 8 KiB; the 4 KiB of a TRISC appear twice

// Reset PC of a hart whose override bit is clear (tile.md 1.1). BRISC has no override.
inline constexpr Array<uint32_t, kHarts> kDefaultResetPc = {0x0, 0x12000, 0x6000, 0xA000, 0xE000};

inline constexpr Array<uint8_t, kHarts> kSoftResetBit = {11, 18, 12, 13, 14};
inline constexpr Array<uint8_t, kHarts> kIcInvalidateBit = {0, 4, 1, 2, 3};
inline constexpr Array<uint8_t, kHarts> kDisableResetBit = {6, 8, 0, 2, 4};  // +1: the DR registers
inline constexpr Array<int8_t, kHarts> kMailboxIndex = {0, -1, 1, 2, 3};

inline constexpr uint32_t kTdmaBase = 0xFFB1'1000;
inline constexpr uint32_t kDebugBase = 0xFFB1'2000;
inline constexpr uint32_t kPicBase = 0xFFB1'3000;
inline constexpr uint32_t kPcSnapshotBase = 0xFFB1'3138;
inline constexpr uint32_t kNiuBase = 0xFFB2'0000;
inline constexpr uint32_t kNiuStride = 0x1'0000;
inline constexpr uint32_t kOverlayBase = 0xFFB4'0000;
inline constexpr uint32_t kMopConfigBase = 0xFFB8'0000;
inline constexpr int kMopConfigWords = 9;
inline constexpr uint32_t kDstWindowBase = 0xFFBD'8000;
inline constexpr uint32_t kGprBase = 0xFFE0'0000;
inline constexpr int kGprsPerThread = 64;
inline constexpr uint32_t kInstructionPushBase = 0xFFE4'0000;  // + 0x10000 per thread, BRISC only
inline constexpr uint32_t kPcBufBase = 0xFFE8'0000;            // + 0x10000 per thread, BRISC only
inline constexpr uint32_t kMailboxBase = 0xFFEC'0000;          // + 0x1000 per partner
inline constexpr uint32_t kConfigBase = 0xFFEF'0000;

// Who may access a region. kNoc is the tile's own NIU: other tiles and the host.
enum Accessor : uint8_t {
  kByBrisc = 1,
  kByNcrisc = 2,
  kByTrisc = 4,
  kByNoc = 8,
  kByAll = 15,
};

struct Region {
  const char* name;
  uint32_t base;
  uint32_t bytes;
  uint8_t accessors;
};

// tile.md 2.1. A range that means different things to BRISC and to TRISCs has two rows.
inline constexpr Region kTensixRegions[] = {
    {"L1", 0x0000'0000, kL1Bytes, kByAll},
    {"local RAM", 0xFFB0'0000, 0x1000, kByBrisc | kByNcrisc | kByTrisc},
    {"local RAM, upper half", 0xFFB0'1000, 0x1000, kByBrisc | kByNcrisc},
    {"TDMA", 0xFFB1'1000, 0x1000, kByBrisc | kByTrisc},
    {"debug registers", 0xFFB1'2000, 0x1000, kByAll},
    {"PIC", 0xFFB1'3000, 0x138, kByAll},
    {"PC snapshot", 0xFFB1'3138, 0x14, kByAll},
    {"BRISC local RAM, slow path", 0xFFB1'4000, 0x2000, kByAll},
    {"NCRISC local RAM, slow path", 0xFFB1'6000, 0x2000, kByAll},
    {"TRISC0 local RAM, slow path", 0xFFB1'8000, 0x2000, kByAll},
    {"TRISC1 local RAM, slow path", 0xFFB1'A000, 0x2000, kByAll},
    {"TRISC2 local RAM, slow path", 0xFFB1'C000, 0x2000, kByAll},
    {"NIU 0", 0xFFB2'0000, 0x1'0000, kByAll},
    {"NIU 1", 0xFFB3'0000, 0x1'0000, kByAll},
    {"overlay", 0xFFB4'0000, 0x4'0000, kByAll},
    {"MOP configuration", 0xFFB8'0000, 0x24, kByTrisc},
    {"Dst window", 0xFFBD'8000, 0x8000, kByTrisc},
    {"GPRs", 0xFFE0'0000, 0x1000, kByBrisc | kByTrisc},
    {"instruction push, thread 0 or own", 0xFFE4'0000, 0x1'0000, kByBrisc | kByTrisc},
    {"instruction push, thread 1", 0xFFE5'0000, 0x1'0000, kByBrisc},
    {"instruction push, thread 2", 0xFFE6'0000, 0x1'0000, kByBrisc},
    {"PCBuf 0", 0xFFE8'0000, 0x1'0000, kByBrisc},
    {"PCBuf, own", 0xFFE8'0000, 0x4, kByTrisc},
    {"TTSync", 0xFFE8'0004, 0x1C, kByTrisc},
    {"semaphores", 0xFFE8'0020, 0xFFE0, kByTrisc},
    {"PCBuf 1", 0xFFE9'0000, 0x1'0000, kByBrisc},
    {"PCBuf 2", 0xFFEA'0000, 0x1'0000, kByBrisc},
    {"mailboxes", 0xFFEC'0000, 0x4000, kByBrisc | kByTrisc},
    {"backend configuration", 0xFFEF'0000, 0x1'0000, kByBrisc | kByTrisc},
};

// The instruction at L1 address 0 from which BRISC starts: jal x0, target (even, 2..0xFFFFE).     tile.md 3.2
constexpr uint32_t jal_word(uint32_t target) {
  return 0x6F | ((target & 0x7FE) << 20) | ((target & 0x800) << 9) | (target & 0xFF000);
}
static_assert(jal_word(0x3840) == 0x0410306F);

}  // namespace kerr::arch
